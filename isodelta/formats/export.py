"""Delta histories for other tools: text, Elle's EDN and DOT.

A row is a key, and its versions are the commits that changed it. A predicate read becomes reads
of keys of its own, one for each row whose match some commit changes; those commits write that
key. So the anti-dependencies of other tools are exactly those of ``checker.judging.dependencies``.
In EDN a last transaction reads every list, which shows the order of the log and adds no cycle.
Every transaction has a session of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

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
    """How many versions of a key the snapshot of a transaction shows."""
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
    """Elle's list-append, with a last transaction that reads every list."""
    keyed = _keyed(history)
    lines: list[str] = []
    for number in range(len(keyed.transactions)):
        reads = [
            f"[:r {key} {_list(seen)}]" for reader, key, seen in keyed.reads if reader == number
        ]
        appends = [
            f"[:append {key} {writers.index(number) + 1}]"
            for key, writers in enumerate(keyed.versions)
            if number in writers
        ]
        lines += _operation(len(lines), number, [*reads, *appends])
    last = [f"[:r {key} {_list(len(writers))}]" for key, writers in enumerate(keyed.versions)]
    lines += _operation(len(lines), len(keyed.transactions), last)
    return "".join(f"{line}\n" for line in lines)


def _list(length: int) -> str:
    return "[" + " ".join(str(n) for n in range(1, length + 1)) + "]"


def _operation(index: int, process: int, operations: list[str]) -> Iterator[str]:
    for at, kind in enumerate(("invoke", "ok")):
        yield (
            f"{{:type :{kind}, :process {process}, :f :txn, :value [{' '.join(operations)}], "
            f":index {index + at}, :time {index + at}}}"
        )


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
