"""Delta histories for other tools: text, Elle's EDN and DOT.

A row is a key, and its versions are the commits that changed it. A predicate read becomes reads
of keys of its own, one for each row whose match some commit changes; those commits write that
key. So the anti-dependencies of other tools are exactly those of ``checker.judging.dependencies``.
In EDN a last transaction reads every list, which shows the order of the log and adds no cycle.
Every transaction has a session of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf

from checker.judging.dependencies import changes_matches, dependencies
from model.history import History, RowId, Transaction
from model.levels import CONFLICTS

TableRow = tuple[str, RowId]


@dataclass(slots=True)
class _Keyed:
    """The history as keys: for each its writers in the order of the log, and its readers."""

    transactions: tuple[Transaction, ...]
    versions: list[list[int]] = field(default_factory=list)
    reads: list[tuple[int, int, int]] = field(default_factory=list)


def _keyed(history: History) -> _Keyed:
    result = _Keyed(history.committed)
    rows: dict[TableRow, list[int]] = {}
    for number, transaction in enumerate(result.transactions):
        for change in transaction.changes:
            rows.setdefault((change.table, change.row), []).append(number)
    key_of: dict[TableRow, int] = {}
    for row, writers in rows.items():
        key_of[row] = len(result.versions)
        result.versions.append(list(dict.fromkeys(writers)))
    for number, transaction in enumerate(result.transactions):
        for read in transaction.item_reads:
            if (read.table, read.row) in key_of:
                key = key_of[read.table, read.row]
                result.reads.append((number, key, _seen(result, transaction, key)))
        for predicate in transaction.predicate_reads:
            changers: dict[TableRow, list[int]] = {}
            for other, writer in enumerate(result.transactions):
                for change in writer.changes:
                    if change.table == predicate.table and changes_matches(change, predicate):
                        changers.setdefault((change.table, change.row), []).append(other)
            for writers in changers.values():
                result.versions.append(list(dict.fromkeys(writers)))
                key = len(result.versions) - 1
                result.reads.append((number, key, _seen(result, transaction, key)))
    return result


def _seen(keyed: _Keyed, transaction: Transaction, key: int) -> int:
    """The number of versions of a key that the snapshot of a transaction shows."""
    return sum(
        (keyed.transactions[writer].commit_version or 0) <= transaction.read_version
        for writer in keyed.versions[key]
    )


def to_text(history: History) -> str:
    """dbcop's text; the value of a version is its place in the log order, from 1."""
    keyed = _keyed(history)
    lines = []
    for number in range(len(keyed.transactions)):
        for reader, key, seen in keyed.reads:
            if reader == number:
                lines.append(f"r({key},{seen},{number},{number})")
        for key, writers in enumerate(keyed.versions):
            if number in writers:
                lines.append(f"w({key},{writers.index(number) + 1},{number},{number})")
    return "".join(f"{line}\n" for line in lines)


def to_edn(history: History) -> str:
    """Elle's list-append, with a last transaction that reads every list.

    Invocations and answers are in an order that is certain: a transaction was invoked after the
    commits that its snapshot shows, and before those that it does not show. A reader's answer
    comes last, since nothing says when it ended.
    """
    keyed = _keyed(history)
    invoked, answered = 1, 0
    events: list[tuple[float, int, int]] = []
    values: list[str] = []
    for number, transaction in enumerate(keyed.transactions):
        reads = [
            f"[:r {key} {_list(seen)}]" for reader, key, seen in keyed.reads if reader == number
        ]
        appends = [
            f"[:append {key} {writers.index(number) + 1}]"
            for key, writers in enumerate(keyed.versions)
            if number in writers
        ]
        values.append(" ".join([*reads, *appends]))
        events.append((transaction.read_version, invoked, number))
        end = inf if transaction.commit_version is None else transaction.commit_version
        events.append((end, answered, number))
    every = [f"[:r {key} {_list(len(writers))}]" for key, writers in enumerate(keyed.versions)]
    values.append(" ".join(every))
    last = len(keyed.transactions)
    still_open = [event for event in events if event[0] == inf]
    events = sorted(event for event in events if event[0] < inf)
    events += [(inf, invoked, last), *still_open, (inf, answered, last)]
    lines = []
    for index, (_, kind, number) in enumerate(events):
        lines.append(
            f"{{:type :{'invoke' if kind == invoked else 'ok'}, :process {number}, :f :txn, "
            f":value [{values[number]}], :index {index}, :time {index}}}\n"
        )
    return "".join(lines)


def _list(length: int) -> str:
    return "[" + " ".join(str(n) for n in range(1, length + 1)) + "]"


def to_dot(history: History) -> str:
    """The serialization graph, for Graphviz."""
    lines = ["digraph history {", "  rankdir=LR;"]
    lines += [f"  {_quoted(transaction.name)};" for transaction in history.committed]
    for edge in dependencies(history).edges():
        if edge.kind in CONFLICTS:
            ends = f"{_quoted(edge.source.name)} -> {_quoted(edge.target.name)}"
            lines.append(f"  {ends} [label={_quoted(edge.kind.value)}];")
    return "\n".join((*lines, "}", ""))


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


EXPORTS = {"text": to_text, "edn": to_edn, "dot": to_dot}
"""The formats by the name that ``--export`` gives them."""

SEVERAL = frozenset({"dot"})
"""The formats of which one file can have several histories."""
