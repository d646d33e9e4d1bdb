"""Verdicts on overlapping commits: the levels judged twice, for the least and the most reads.

Files stand for the rows in them: a commit that adds a file writes a version, one that removes it
the next. With the least that each commit can have read, a forbidden cycle is there whatever they
read. With the most, a level without a cycle holds whatever they read. In between it depends on
reads that no log records, and the verdict names the commits concerned.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from checker.judging import graph
from checker.judging.dependencies import Cause, GraphEdge
from checker.judging.graph import VerdictName
from checker.judging.witness import Edge
from checker.logs.actions import LoggedFile
from checker.logs.overlap.components import MOST, components
from checker.logs.overlap.traces import Segment, Trace, shown
from checker.logs.reads.predicates import Predicate
from model.history import History, PredicateRead, Row, RowChange, Transaction
from model.levels import DELTA_LEVELS, SERIALIZABLE, WRITE_SERIALIZABLE, EdgeKind

LARGEST = 120
"""Commits of the largest segment, or component of one, whose cycles are searched for."""

_TABLE = "t"
_ANY_FILE = LoggedFile("any row")


@dataclass(frozen=True, slots=True)
class SegmentVerdict:
    """The verdict on one segment at one level.

    ``because`` gives the reason in words. ``cycle`` is the forbidden cycle of a violation or, if
    the verdict is unknown, the possible one. ``versions`` are those on the cycle.
    """

    level: str
    verdict: VerdictName
    because: str
    cycle: tuple[Edge, ...] = ()
    versions: tuple[int, ...] = ()


def judge(segment: Segment) -> list[SegmentVerdict]:
    """The verdicts on one segment, at each of Delta's levels."""
    involved = [
        commit for commit in segment.traces if commit.changes or commit.reads.most is not None
    ]
    if len(involved) <= LARGEST:
        return _judge_all(involved, DELTA_LEVELS)
    return [
        _by_components(segment, involved)
        if level == WRITE_SERIALIZABLE and len(involved) <= MOST
        else _too_large(segment, involved, level)
        for level in DELTA_LEVELS
    ]


def _by_components(segment: Segment, traces: Sequence[Trace]) -> SegmentVerdict:
    """WriteSerializable of a large segment: its cycles lie in components, and few are large."""
    undecided = None
    for component in components(traces):
        if len(component) > LARGEST:
            undecided = undecided or _too_large(segment, component, WRITE_SERIALIZABLE)
            continue
        (verdict,) = _judge_all(component, (WRITE_SERIALIZABLE,))
        if verdict.verdict == "violated":
            return verdict
        if verdict.verdict == "unknown":
            undecided = undecided or verdict
    holds = SegmentVerdict(WRITE_SERIALIZABLE, "holds", "holds whatever was read")
    return undecided or holds


def _judge_all(traces: Sequence[Trace], levels: Sequence[str]) -> list[SegmentVerdict]:
    least, most = _history(traces, sure=True), _history(traces, sure=False)
    return [_judge(traces, least, most, level) for level in levels]


def _judge(traces: Sequence[Trace], least: History, most: History, level: str) -> SegmentVerdict:
    by_name = {commit.name: commit for commit in traces}
    narrow = graph.judge(least, level)
    if narrow.verdict == "violated":
        edges = tuple(_in_words(edge) for edge in narrow.cycle)
        because = "violated whatever else was read: " + "; ".join(e.because for e in edges)
        return SegmentVerdict(level, "violated", because, edges, _versions(edges, by_name))
    wide = graph.judge(most, level)
    if wide.verdict == "holds":
        return SegmentVerdict(level, "holds", "holds whatever was read")
    edges = tuple(_in_words(edge) for edge in wide.cycle)
    asked = dict.fromkeys(reader for edge in wide.cycle for reader in _unsure(edge, by_name))
    # Each edge may be sure by itself; then it is the rows of some file that decide.
    what = " and ".join(f"what {name} read" for name in asked) or "the rows of the files"
    return SegmentVerdict(level, "unknown", f"depends on {what}", edges, _versions(edges, by_name))


def _unsure(edge: GraphEdge, traces: dict[str, Trace]) -> list[str]:
    """The reader of an edge, if the log does not say exactly what it read."""
    if edge.kind in (EdgeKind.RW_ITEM, EdgeKind.RW_PREDICATE):
        reader, writer = edge.source.name, edge.target.name
    elif edge.kind in (EdgeKind.WR_ITEM, EdgeKind.WR_PREDICATE):
        reader, writer = edge.target.name, edge.source.name
    else:
        return []
    return [] if traces[reader].has_read(traces[writer]) else [reader]


def _versions(edges: Iterable[Edge], traces: dict[str, Trace]) -> tuple[int, ...]:
    return tuple(sorted({traces[edge.source].version for edge in edges}))


def _too_large(segment: Segment, traces: Sequence[Trace], level: str) -> SegmentVerdict:
    """A segment without a search for cycles: an edge against the log decides at Serializable."""
    if level == SERIALIZABLE:
        for index, reader in enumerate(traces):
            for writer in traces[:index]:
                unseen = reader.read_version is not None and writer.version > reader.read_version
                if unseen and reader.has_read(writer):
                    because = _missed(reader, writer)
                    edges = (
                        Edge(reader.name, writer.name, "rw", because),
                        Edge(writer.name, reader.name, "log", "the log has the opposite order"),
                    )
                    versions = (writer.version, reader.version)
                    return SegmentVerdict(
                        level, "violated", f"violated whatever else was read: {because}",
                        edges, versions,
                    )  # fmt: skip
    because = (
        f"versions {segment.first} to {segment.last} overlap one another: {len(traces)} commits "
        f"are more than the {LARGEST} that are searched for cycles"
    )
    return SegmentVerdict(level, "unknown", because, (), (segment.first, segment.last))


def _missed(reader: Trace, writer: Trace) -> str:
    least = shown(reader.reads.least)
    return f"{reader.name} read {least} before {writer.name} added rows to it"


def _history(traces: Sequence[Trace], *, sure: bool) -> History:
    """The history of files, with the reads that are sure or with all that are possible."""
    return History(
        table=_TABLE,
        base_version=traces[0].version - 1 if traces else -1,
        initial={_TABLE: {}},
        transactions=tuple(_transaction(commit, sure=sure) for commit in traces),
        final=(),
    )


def _transaction(commit: Trace, *, sure: bool) -> Transaction:
    read = commit.reads.least if sure else commit.reads.most
    reads: tuple[PredicateRead, ...] = ()
    if read is not None:
        matches = partial(_matches, read, commit, sure=sure)
        reads = (PredicateRead(_TABLE, read.text, matches),)
    if sure:
        changes = [_change(file, added=True) for file in commit.new]
    else:
        changes = [_change(file, added=False) for file in commit.removed]
        changes += [_change(file, added=True) for file in commit.added]
        if commit.opaque:
            changes.append(RowChange(_TABLE, (commit.name, 0), None, (_ANY_FILE,)))
    read_version = commit.version - 1 if commit.read_version is None else commit.read_version
    return Transaction(
        name=commit.name,
        text=commit.operation,
        read_version=read_version,
        commit_version=commit.version,
        committed=True,
        predicate_reads=reads,
        changes=tuple(changes),
    )


def _change(file: LoggedFile, *, added: bool) -> RowChange:
    identity = (" ".join(part for part in file.key if part), 0)
    return RowChange(_TABLE, identity, None if added else (file,), (file,) if added else None)


def _matches(read: Predicate, reader: Trace, row: Row, *, sure: bool) -> bool:
    (file,) = row
    assert isinstance(file, LoggedFile)
    if file is _ANY_FILE:
        return not sure
    answer = read.of(file, reader.columns)
    return answer is True if sure else answer is not False


def _in_words(edge: GraphEdge) -> Edge:
    first, second = edge.source.name, edge.target.name
    causes = "; ".join(dict.fromkeys(_cause(edge, cause) for cause in edge.causes[:2]))
    if len(edge.causes) > 2:
        causes += f"; and {len(edge.causes) - 2} more"
    return Edge(first, second, edge.kind.short, causes)


def _cause(edge: GraphEdge, cause: Cause) -> str:
    first, second = edge.source.name, edge.target.name
    if edge.kind is EdgeKind.LOG:
        return f"the log has {first} before {second}"
    read = cause.predicate.text if cause.predicate is not None else "it"
    read = "the table" if read.upper() == "TRUE" else read
    match edge.kind:
        case EdgeKind.RW_PREDICATE | EdgeKind.RW_ITEM:
            return f"{first} read {read} before {second} {_deed(cause)}"
        case EdgeKind.WR_PREDICATE | EdgeKind.WR_ITEM:
            return f"{second} read {read} after {first} {_deed(cause)}"
    return f"{second} {_deed(cause)} after {first} wrote it"


def _deed(cause: Cause) -> str:
    change = cause.change
    assert change is not None
    row = change.after if change.before is None else change.before
    file = row[0] if row else None
    name = file.path if isinstance(file, LoggedFile) else "rows"
    return f"{'added' if change.before is None else 'removed'} {name}"
