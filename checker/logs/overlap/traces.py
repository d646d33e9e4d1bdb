"""Commits that overlap as their writers recorded it, and what each may and must have missed.

A commit overlaps the versions between the one that it read and its own. Where a later commit
reads what an overlapped one changed, it comes before that one in every serial order that explains
both: an edge against the order of the log.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from checker.logs.actions import FileKey, LoggedCommit, LoggedFile
from checker.logs.reads.bounds import Reads, bounds, surely_new
from checker.logs.reads.file_facts import Columns
from checker.logs.reads.predicates import Predicate


@dataclass(frozen=True, slots=True)
class Trace:
    """The reads and changes of one commit, as far as the log bounds them.

    ``read_version`` is None if the commit does not record it, or records something impossible.
    ``added`` and ``removed`` are files whose rows it changed, removed ones as they were when they
    were live. ``opaque`` is True if it may have changed any row. ``blind``
    is True if the commit says that it was a blind append, None if it does not say.
    """

    version: int
    operation: str
    read_version: int | None
    reads: Reads
    added: tuple[LoggedFile, ...]
    removed: tuple[LoggedFile, ...]
    new: tuple[LoggedFile, ...]
    opaque: bool
    level: str
    columns: Columns
    blind: bool | None = None

    @property
    def name(self) -> str:
        """The commit, as verdicts name it."""
        return f"version {self.version} ({self.operation})"

    @property
    def changes(self) -> bool:
        """True if it may have changed rows."""
        return bool(self.added or self.removed or self.opaque)

    @property
    def missed(self) -> int:
        """The number of commits between its snapshot and itself, as recorded."""
        return 0 if self.read_version is None else self.version - self.read_version - 1

    def may_have_read(self, other: Trace) -> bool:
        """True if it may have read something that the other commit changed."""
        most = self.reads.most
        if most is None or not other.changes:
            return False
        return other.opaque or any(
            most.of(file, other.columns) is not False for file in (*other.added, *other.removed)
        )

    def has_read(self, other: Trace) -> bool:
        """True if it certainly read a predicate that rows of the other commit match."""
        least = self.reads.least
        return least is not None and any(least.of(file, other.columns) for file in other.new)


def trace(
    commit: LoggedCommit,
    live: dict[FileKey, LoggedFile],
    columns: Columns,
    *,
    new_schema: bool,
    level: str,
) -> Trace:
    """The trace of a commit on a table with some live files."""
    read = commit.read_version
    return Trace(
        commit.version,
        commit.operation,
        read if read is not None and -1 <= read < commit.version else None,
        bounds(commit, columns, new_schema=new_schema),
        tuple(file for file in commit.adds if file.data_change),
        tuple(live.get(file.key, file) for file in commit.removes if file.data_change),
        tuple(surely_new(commit)),
        new_schema or bool(commit.problems),
        level,
        columns,
        commit.blind_append if "isBlindAppend" in commit.info else None,
    )


@dataclass(frozen=True, slots=True)
class Segment:
    """Versions that belong together: no cycle leads out of them.

    ``first`` and ``last`` are versions. Every edge against the order of the log that there may be
    lies inside of one segment (and every cycle contains such an edge).
    """

    first: int
    last: int
    traces: tuple[Trace, ...]


def segments(traces: Sequence[Trace], intervals: Iterable[tuple[int, int]]) -> Iterator[Segment]:
    """The connected unions of intervals of versions, with the traces in them."""
    place = {commit.version: index for index, commit in enumerate(traces)}
    for first, last in united(intervals):
        yield Segment(first, last, tuple(traces[place[first] : place[last] + 1]))


def united(intervals: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Connected unions of closed intervals, in order."""
    current: tuple[int, int] | None = None
    for low, high in sorted(intervals):
        if current is not None and low <= current[1]:
            current = current[0], max(current[1], high)
            continue
        if current is not None:
            yield current
        current = low, high
    if current is not None:
        yield current


def recorded(traces: Sequence[Trace]) -> list[tuple[int, int]]:
    """The intervals of commits that overlap others, from the first one missed to their own."""
    return [
        (commit.read_version + 1, commit.version)
        for commit in traces
        if commit.read_version is not None and commit.missed > 0
    ]


def backward(traces: Sequence[Trace]) -> Iterator[tuple[Trace, Trace]]:
    """Pairs of a commit and an earlier one that it may have read without seeing its changes.

    Only the earliest such commit is given for each, which is where its interval begins.
    """
    if not traces:
        return
    first = traces[0].version
    for later in traces:
        if later.reads.most is None or later.read_version is None:
            continue
        since = max(0, later.read_version + 1 - first)
        for index in range(since, later.version - first):
            earlier = traces[index]
            if later.may_have_read(earlier):
                yield later, earlier
                break


def shown(predicate: Predicate | None) -> str:
    """A predicate in words."""
    if predicate is None:
        return "nothing"
    return "the whole table" if predicate.text.upper() == "TRUE" else predicate.text
