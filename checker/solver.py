"""The second decider: the constraints of a level on an order of the transactions, for z3.

It decides what ``checker.graph`` decides and shares nothing with it below the history type. The
constraints are derived from the *timeline* of each row, the list of its versions from the first
to the last, and not from pairs of transactions. A level that promises a serial order asks for
one place for each transaction; of any other level each forbidden shape says that no path leads
back from the end of a counted step to its start, which is a set of transactions closed under
steps that holds the end and not the start.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

from model.errors import StatementFailure
from model.history import History, PredicateRead, Row, RowId, Transaction
from model.levels import CONFLICTS, LEVELS, EdgeKind, Phenomenon


@dataclass(frozen=True, slots=True)
class SolverVerdict:
    """What the solver says of one history at one level.

    ``core`` names constraints that contradict each other (not always the fewest) where the
    level is violated, ``order`` the order found where the level promises one and holds;
    ``why`` gives the reason of ``unknown``.
    """

    verdict: Literal["holds", "violated", "unknown"]
    why: str | None = None
    core: tuple[str, ...] = ()
    order: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """``before`` and ``after``, names of transactions, and why they stand in this order."""

    before: str
    after: str
    kind: EdgeKind

    def __str__(self) -> str:
        return f"{self.before} before {self.after} ({self.kind})"


def judge(history: History, level: str, timeout_ms: int = 10_000) -> SolverVerdict:
    """Decides the conflict reading of one level.

    A time-out is ``unknown``. Raises ``KeyError`` for an unknown level's name.
    """
    return decide(steps(history), history, level, timeout_ms)


def decide(
    found: frozenset[Step], history: History, level: str, timeout_ms: int = 10_000
) -> SolverVerdict:
    """``judge`` for steps that are there already; several levels share them."""
    import z3  # loaded only when it is asked for: the front door does without it

    transactions = [transaction for transaction in history.transactions if transaction.committed]
    writers = [transaction.name for transaction in transactions if transaction.writes]
    everyone = [transaction.name for transaction in transactions]
    solver = z3.SolverFor("QF_IDL") if LEVELS[level].serial_order else z3.Solver()
    solver.set("timeout", timeout_ms)
    names: dict[str, str] = {}
    places: dict[str, Any] = {}
    ordered = sorted(found, key=str)
    if LEVELS[level].serial_order:
        nodes = everyone if LEVELS[level].readers else writers
        places = {name: z3.Int(name) for name in nodes}
        kinds = set(CONFLICTS)
        if LEVELS[level].serial_order == "log":
            kinds.add(EdgeKind.LOG)
        if EdgeKind.START in LEVELS[level].edges:
            kinds.add(EdgeKind.START)
        for step in ordered:
            if step.kind in kinds and step.before in places and step.after in places:
                label = f"c{len(names)}"
                names[label] = str(step)
                solver.assert_and_track(places[step.before] < places[step.after], label)
    else:
        for phenomenon in LEVELS[level].forbids:
            nodes = everyone if phenomenon.readers else writers
            _forbid(z3, solver, phenomenon, set(nodes), ordered, names)
    answer = solver.check()
    if answer == z3.unsat:
        core = sorted({names[str(label)] for label in solver.unsat_core()})
        return SolverVerdict("violated", core=tuple(core))
    if answer != z3.sat:
        return SolverVerdict("unknown", f"the solver gave up: {solver.reason_unknown()}")
    if history.unknown:
        return SolverVerdict("unknown", "not observed: " + "; ".join(history.unknown))
    if LEVELS[level].serial_order is None:
        return SolverVerdict("holds")
    model = solver.model()
    position = {
        name: model.eval(place, model_completion=True).as_long() for name, place in places.items()
    }
    return SolverVerdict("holds", order=tuple(sorted(places, key=position.__getitem__)))


def _forbid(
    z3: Any,
    solver: Any,
    phenomenon: Phenomenon,
    nodes: set[str],
    found: list[Step],
    names: dict[str, str],
) -> None:
    """One closed set of transactions for each counted step of one forbidden shape."""
    allowed = [
        step
        for step in found
        if step.kind in phenomenon.edges and step.before in nodes and step.after in nodes
    ]
    counted = [
        step for step in allowed if not phenomenon.counted or step.kind in phenomenon.counted
    ]
    if phenomenon.count == "one":
        allowed = [step for step in allowed if step.kind not in phenomenon.counted]
    for number, pivot in enumerate(counted):
        inside = {name: z3.Bool(f"{phenomenon.name} {number} {name}") for name in sorted(nodes)}
        statements = [
            (pivot, z3.And(inside[pivot.after], z3.Not(inside[pivot.before]))),
            *((step, z3.Implies(inside[step.before], inside[step.after])) for step in allowed),
        ]
        for step, statement in statements:
            label = f"c{len(names)}"
            names[label] = str(step)
            solver.assert_and_track(statement, label)


def steps(history: History) -> frozenset[Step]:
    """Every step that the history demands of an order, from the timelines of its rows."""
    transactions = [transaction for transaction in history.transactions if transaction.committed]
    return frozenset(
        step
        for step in (*_of_versions(transactions), *_of_rows(history, transactions))
        if step.before != step.after
    )


def _of_versions(transactions: list[Transaction]) -> Iterator[Step]:
    """The order of commits and snapshots."""
    for writer in transactions:
        if writer.commit_version is None:
            continue
        for other in transactions:
            if other.commit_version is not None and writer.commit_version < other.commit_version:
                yield Step(writer.name, other.name, EdgeKind.LOG)
            if writer.commit_version <= other.read_version:
                yield Step(writer.name, other.name, EdgeKind.START)
            else:
                yield Step(other.name, writer.name, EdgeKind.UNSEEN)


@dataclass(frozen=True, slots=True)
class _Version:
    """One version of a row: who installed it (None: it was there), when, and its values."""

    writer: str | None
    commit: int
    values: Row | None


def _timelines(history: History) -> dict[tuple[str, RowId], list[_Version]]:
    lines: dict[tuple[str, RowId], list[_Version]] = {}
    for table, rows in history.initial.items():
        for row, values in rows.items():
            lines[table, row] = [_Version(None, history.base_version, values)]
    for transaction in history.transactions:
        if transaction.committed and transaction.commit_version is not None:
            for change in transaction.changes:
                unborn = [_Version(None, history.base_version, None)]
                line = lines.setdefault((change.table, change.row), unborn)
                line.append(_Version(transaction.name, transaction.commit_version, change.after))
    for line in lines.values():
        line.sort(key=lambda version: version.commit)
    return lines


def _of_rows(history: History, transactions: list[Transaction]) -> Iterator[Step]:
    """The order that versions of rows, and reads of them, demand."""
    lines = _timelines(history)
    for (table, row), line in lines.items():
        for older, newer in pairwise(line):
            if older.writer is not None and newer.writer is not None:
                yield Step(older.writer, newer.writer, EdgeKind.WW)
        for reader in transactions:
            # The versions that the snapshot shows are the first ones of the timeline.
            shown = sum(version.commit <= reader.read_version for version in line)
            if any(read.table == table and read.row == row for read in reader.item_reads):
                yield from _of_item(reader.name, line, shown)
            for predicate in reader.predicate_reads:
                if predicate.table == table:
                    answers = [_answer(predicate, version) for version in line]
                    yield from _of_predicate(reader.name, line, shown, answers)


def _answer(predicate: PredicateRead, version: _Version) -> str:
    """What a read of the condition gets from one version; a failure is an answer of its own."""
    try:
        found = version.values is not None and predicate.matches(version.values)
    except StatementFailure as failure:
        return failure.error_class
    return "match" if found else "no match"


def _of_item(reader: str, line: list[_Version], shown: int) -> Iterator[Step]:
    installer = line[shown - 1].writer
    if installer is not None:
        yield Step(installer, reader, EdgeKind.WR_ITEM)
    if shown < len(line):
        follower = line[shown].writer
        if follower is not None:
            yield Step(reader, follower, EdgeKind.RW_ITEM)


def _of_predicate(
    reader: str, line: list[_Version], shown: int, answers: list[str]
) -> Iterator[Step]:
    for place in range(1, len(line)):
        writer = line[place].writer
        if writer is not None and answers[place] != answers[place - 1]:
            if place < shown:
                yield Step(writer, reader, EdgeKind.WR_PREDICATE)
            else:
                yield Step(reader, writer, EdgeKind.RW_PREDICATE)
