"""A notation for histories and schedules, so that each test reads like a diagram.

A history is a line for each transaction, which ends in its operations: ``r(x)`` reads x, ``w(x)``
writes it. What stands before the colon and after ``=`` depends on the kind of history:

    history("x=10 y=10", "A@0>1: r(x) w(y=11)", "R@1: p(v > 10)")   of the model, on a Delta table
    recorded("1: w(x=1)", "2: r(x=1) r(y)", "!2: w(x=3)")           of sessions, without a log
    large("1@0: w(x)", "2@0: r(x) w(y)")                            as arrays, with a log

**Of the model.** The first text is the table's rows (name = value). A transaction has its
snapshot's version and the version it wrote (none for a reader). ``p(v > 10)`` reads the rows that
match a condition (``v`` compared with a number, or ``any``), with every row that matches; ``r(x)``
reads the row called x by its name; ``w(x=11)`` writes the row x, or adds it; ``d(x)`` deletes it.
The values written are constants, so every transaction can be run again.

**Recorded.** The number is the session; the transactions are called T1, T2 and so on. ``!`` marks
one that was aborted, ``?`` one whose end nobody knows. ``r(x=1)`` returned 1, ``r(x)`` the initial
value; ``a(x=1)`` appends to a list, ``r(x=[1,2])`` read one, ``r(x=[])`` an empty one. A history in
which nothing is appended and no list is read has registers. A key may be a number.

**As arrays.** The first number is the transaction, in the order of the log; the second, where
there is one, its snapshot. Keys are numbered in the order of their names. ``r(x=1)`` read what
transaction 1 wrote, ``r(x)`` the initial version; a write makes the version of its own transaction.

A schedule is ``scheduled("begin A, B, commit A")``, where a bare name begins and commits.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Iterator, Mapping

import numpy as np

from checker.recorded.arrays.history import LargeHistory
from checker.recorded.history import Operation, Recorded, RecordedHistory, Status
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
from model.preparation import steps
from model.scenario import Step

LINE = re.compile(r"(?P<name>\w+)@(?P<read>\d+)(?:>(?P<commit>\d+))?:(?P<operations>.*)")
RECORDED = re.compile(r"(?P<end>[!?]?)(?P<session>\d+):(?P<operations>.*)")
LARGE = re.compile(r"(?P<number>\d+)(?:@(?P<snapshot>\d+))?:(?P<operations>.*)")
OPERATION = re.compile(r"(?P<kind>[rpwda])\((?P<what>[^)]*)\)")
STATUS = {"": Status.COMMITTED, "!": Status.ABORTED, "?": Status.UNKNOWN}
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
    parsed = [_parsed(LINE, line) for line in lines]
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


def recorded(*lines: str) -> RecordedHistory:
    """The history of sessions that the lines describe; raises ``ValueError`` like ``history``."""
    parsed = [_parsed(RECORDED, line) for line in lines]
    lists = any(kind == "a" or "[" in what for line in parsed for kind, what in _operations(line))
    transactions = tuple(
        Recorded(
            f"T{number}",
            int(line["session"]),
            operations(line["operations"]),
            STATUS[line["end"]],
        )
        for number, line in enumerate(parsed, 1)
    )
    return RecordedHistory("list" if lists else "register", transactions)


def operations(text: str) -> tuple[Operation, ...]:
    """The operations of a recorded transaction, like ``w(x=1) r(y=[1,2])``."""
    return tuple(_recorded(*match.groups()) for match in OPERATION.finditer(text))


def large(*lines: str) -> LargeHistory:
    """The arrays that the lines describe; raises ``ValueError`` like ``history``."""
    parsed = [_parsed(LARGE, line) for line in lines]
    rows = [(int(line["number"]), *each) for line in parsed for each in _versions(line)]
    numbers, kinds, keys, versions = zip(*rows, strict=True)
    _, places = np.unique(keys, return_inverse=True)
    snapshots = [int(line["snapshot"]) for line in parsed if line["snapshot"]]
    return LargeHistory(
        np.array(numbers),
        np.array(kinds) == "w",
        places,
        np.array(versions),
        np.array(snapshots) if snapshots else None,
    )


def scheduled(text: str) -> tuple[Step, ...]:
    """The steps of a schedule like ``begin A, B, commit A``."""
    return tuple(step for part in text.split(", ") for step in steps(part))


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


def _parsed(form: re.Pattern[str], line: str) -> dict[str, str]:
    match = form.fullmatch(line)
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


def _recorded(kind: str, what: str) -> Operation:
    name, _, value = what.partition("=")
    key = int(name) if name.isdigit() else name
    if value.startswith("["):
        return Operation("r", key, tuple(map(int, filter(None, value[1:-1].split(",")))))
    return Operation(kind, key, int(value) if value else None)  # type: ignore[arg-type]


def _versions(line: dict[str, str]) -> Iterator[tuple[str, str, int]]:
    """Kind, key and version of each operation."""
    for kind, what in _operations(line):
        key, _, version = what.partition("=")
        yield kind, key, int(version or (line["number"] if kind == "w" else 0))


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
