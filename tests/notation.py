"""A tiny notation for histories, so that each test reads like a diagram.

    history("x=10 y=10", "A@0>1: r(x) w(y=11)", "R@1: p(v > 10)")

The first text is the table's rows (name = value). Each line is a transaction: its snapshot's
version, the version it wrote (none for a reader), and its operations:

- ``r(x)`` reads the row called x by its name, ``p(v > 10)`` the rows that match a condition
  (``v`` compared with a number, or ``any``), with every row that matches;
- ``w(x=11)`` writes the row x, or adds it; ``d(x)`` deletes it.

The values written are constants, so every transaction can be run again.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Mapping

from model.history import (
    History,
    ItemRead,
    PredicateRead,
    Row,
    RowChange,
    RowId,
    SerialResult,
    Transaction,
)

LINE = re.compile(r"(?P<name>\w+)@(?P<read>\d+)(?:>(?P<commit>\d+))?:(?P<operations>.*)")
OPERATION = re.compile(r"(?P<kind>[rpwd])\((?P<what>[^)]*)\)")
COMPARE = {
    "=": operator.eq,
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
    "<>": operator.ne,
}


def history(rows: str, *lines: str) -> History:
    """The history that the lines describe; raises ``ValueError`` for a line it cannot read."""
    initial = dict(_assignment(text) for text in rows.split())
    parsed = [_parsed(line) for line in lines]
    log = sorted((line for line in parsed if line["commit"]), key=lambda line: int(line["commit"]))
    contents: list[tuple[int, dict[str, int]]] = [(0, dict(initial))]
    changes: dict[str, tuple[RowChange, ...]] = {}
    for line in log:
        before = contents[-1][1]
        after = dict(before)
        changed = []
        for name, value in _writes(line):
            after.pop(name, None)
            if value is not None:
                after[name] = value
            changed.append(
                RowChange("t", _id(name), _row(name, before.get(name)), _row(name, value))
            )
        changes[line["name"]] = tuple(changed)
        contents.append((int(line["commit"]), after))
    return History(
        table="t",
        base_version=0,
        initial={"t": {_id(name): (name, value) for name, value in initial.items()}},
        transactions=tuple(
            _transaction(line, _shown(contents, int(line["read"])), changes) for line in parsed
        ),
        final=tuple(contents[-1][1].items()),
    )


def _transaction(
    line: dict[str, str], snapshot: dict[str, int], changes: dict[str, tuple[RowChange, ...]]
) -> Transaction:
    reads = tuple(_predicate(kind, what) for kind, what in _operations(line) if kind in ("r", "p"))
    writes = _writes(line)

    def rerun(tables: Mapping[str, tuple[Row, ...]]) -> SerialResult:
        rows = {row[0]: row for row in tables["t"]}
        found = tuple(tuple(row for row in rows.values() if r.matches(row)) for r in reads)
        for name, value in writes:
            rows.pop(name, None)
            if value is not None:
                rows[name] = (name, value)
        return SerialResult(found, {"t": tuple(rows.values())})

    return Transaction(
        name=line["name"],
        text=line["operations"].strip(),
        read_version=int(line["read"]),
        commit_version=int(line["commit"]) if line["commit"] else None,
        committed=True,
        predicate_reads=reads,
        item_reads=tuple(
            ItemRead("t", _id(name), (name, value))
            for name, value in snapshot.items()
            if any(read.matches((name, value)) for read in reads)
        ),
        changes=changes.get(line["name"], ()),
        rerun=rerun,
    )


def _parsed(line: str) -> dict[str, str]:
    match = LINE.fullmatch(line)
    if match is None or OPERATION.sub("", match["operations"]).strip():
        raise ValueError(f"not a transaction: {line}")
    return match.groupdict()


def _operations(line: dict[str, str]) -> list[tuple[str, str]]:
    return [(match["kind"], match["what"]) for match in OPERATION.finditer(line["operations"])]


def _writes(line: dict[str, str]) -> list[tuple[str, int | None]]:
    return [
        _assignment(what) if kind == "w" else (what, None)
        for kind, what in _operations(line)
        if kind in ("w", "d")
    ]


def _assignment(text: str) -> tuple[str, int]:
    name, value = text.split("=")
    return name, int(value)


def _predicate(kind: str, what: str) -> PredicateRead:
    if kind == "r":
        return PredicateRead("t", f"name = '{what}'", lambda row: row[0] == what)
    if what == "any":
        return PredicateRead("t", "TRUE", lambda row: True)
    _, comparison, number = what.split()
    compare = COMPARE[comparison]
    return PredicateRead("t", what, lambda row: compare(row[1], int(number)))


def _shown(contents: list[tuple[int, dict[str, int]]], version: int) -> dict[str, int]:
    return [rows for commit, rows in contents if commit <= version][-1]


def _id(name: str) -> RowId:
    return f"setup {name}", 0


def _row(name: str, value: int | None) -> Row | None:
    return None if value is None else (name, value)
