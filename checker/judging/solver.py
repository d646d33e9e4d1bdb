"""The second decider: a level's constraints on an order of the transactions, solved by z3.

It decides the same question as ``checker.judging.graph`` and shares nothing with it beyond the
history type. The constraints are derived from the *timeline* of each row, the list of its versions
from first to last, and not from pairs of transactions. A level that promises a serial order asks
for one place for each transaction. At any other level, a forbidden shape is absent if no path leads
back from the end of a counted precedence to its start: then some set of transactions is closed
under precedences and contains the end but not the start.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from time import monotonic
from typing import Any, Literal

from model.errors import StatementFailure
from model.history import History, PredicateRead, Row, RowId, Transaction
from model.levels import CONFLICTS, LEVELS, EdgeKind, Level


@dataclass(frozen=True, slots=True)
class SolverVerdict:
    """The solver's verdict on one history at one level.

    ``core`` names constraints that contradict each other (not necessarily the fewest) if the level
    is violated; ``order`` is a serial order if the level promises one and holds; ``why`` gives the
    reason for ``unknown``.
    """

    verdict: Literal["holds", "violated", "unknown"]
    why: str | None = None
    core: tuple[str, ...] = ()
    order: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Precedence:
    """Two transactions, by name, that have to stand in this order, and the kind of conflict."""

    before: str
    after: str
    kind: EdgeKind

    def __str__(self) -> str:
        return f"{self.before} before {self.after} ({self.kind})"


def judge(history: History, level: str, timeout_ms: int = 10_000) -> SolverVerdict:
    """Decides the conflict reading of one level.

    A time-out is ``unknown``. Raises ``KeyError`` for an unknown level's name.
    """
    return decide(precedences(history), history, level, timeout_ms)


def decide(
    demanded: frozenset[Precedence], history: History, level: str, timeout_ms: int = 10_000
) -> SolverVerdict:
    """``judge`` for precedences that have been derived already; several levels can share them."""
    transactions = [transaction for transaction in history.transactions if transaction.committed]
    ordered = sorted(demanded, key=str)
    deadline = monotonic() + timeout_ms / 1000
    if LEVELS[level].serial_order is not None:
        verdict = _place(transactions, ordered, LEVELS[level], deadline)
    else:
        verdict = _forbid(transactions, ordered, LEVELS[level], deadline)
    if verdict.verdict == "holds" and history.unknown:
        return SolverVerdict("unknown", "not observed: " + "; ".join(history.unknown))
    return verdict


def _place(
    transactions: list[Transaction], demanded: list[Precedence], level: Level, deadline: float
) -> SolverVerdict:
    """One place in a serial order for each transaction of the level."""
    import z3  # loaded only when it is needed: most commands do without it

    places = {
        transaction.name: z3.Int(transaction.name)
        for transaction in transactions
        if level.readers or transaction.writes
    }
    kinds = set(CONFLICTS)
    if level.serial_order == "log":
        kinds.add(EdgeKind.LOG)
    if EdgeKind.START in level.edges:
        kinds.add(EdgeKind.START)
    question = _Question(z3, z3.SolverFor("QF_IDL"), deadline)
    for precedence in demanded:
        if precedence.kind in kinds and precedence.before in places and precedence.after in places:
            question.demand(places[precedence.before] < places[precedence.after], precedence)
    objection = question.ask()
    if objection is not None:
        return objection
    model = question.solver.model()
    position = {
        name: model.eval(place, model_completion=True).as_long() for name, place in places.items()
    }
    return SolverVerdict("holds", order=tuple(sorted(places, key=position.__getitem__)))


def _forbid(
    transactions: list[Transaction], demanded: list[Precedence], level: Level, deadline: float
) -> SolverVerdict:
    """Closed sets of transactions for the counted precedences of each forbidden shape."""
    import z3

    for phenomenon in level.forbids:
        inside = {
            transaction.name: z3.Bool(transaction.name)
            for transaction in transactions
            if phenomenon.readers or transaction.writes
        }
        question = _Question(z3, z3.Solver(), deadline)
        counted: dict[str, list[Precedence]] = {}
        for precedence in demanded:
            if precedence.kind not in phenomenon.edges or not {
                precedence.before,
                precedence.after,
            } <= set(inside):
                continue
            counts = not phenomenon.counted or precedence.kind in phenomenon.counted
            if counts:
                counted.setdefault(precedence.after, []).append(precedence)
            if not counts or phenomenon.count != "one":
                question.demand(
                    z3.Implies(inside[precedence.before], inside[precedence.after]), precedence
                )
        # Those with the same end share a set: the smallest one that contains it serves them all.
        for end, pivots in counted.items():
            question.solver.push()
            question.solver.add(inside[end])
            for pivot in pivots:
                question.demand(z3.Not(inside[pivot.before]), pivot)
            objection = question.ask()
            if objection is not None:
                return objection
            question.solver.pop()
    return SolverVerdict("holds")


class _Question:
    """A z3 solver with a time limit, whose constraints are labelled with precedences."""

    def __init__(self, z3: Any, solver: Any, deadline: float) -> None:
        self.z3, self.solver, self.deadline = z3, solver, deadline
        self.named: dict[str, Precedence] = {}

    def demand(self, statement: Any, precedence: Precedence) -> None:
        label = f"because {len(self.named)}"
        self.named[label] = precedence
        self.solver.assert_and_track(statement, label)

    def ask(self) -> SolverVerdict | None:
        """None if the constraints are satisfiable, otherwise the verdict."""
        left = int((self.deadline - monotonic()) * 1000)
        if left <= 0:
            return SolverVerdict("unknown", "the solver ran out of time")
        self.solver.set("timeout", left)
        answer = self.solver.check()
        if answer == self.z3.sat:
            return None
        if answer == self.z3.unsat:
            core = {str(self.named[str(label)]) for label in self.solver.unsat_core()}
            return SolverVerdict("violated", core=tuple(sorted(core)))
        return SolverVerdict("unknown", f"the solver gave up: {self.solver.reason_unknown()}")


def precedences(history: History) -> frozenset[Precedence]:
    """All precedences that an order has to respect, from the timelines of the history's rows."""
    transactions = [transaction for transaction in history.transactions if transaction.committed]
    return frozenset(
        precedence
        for precedence in (*_of_versions(transactions), *_of_rows(history, transactions))
        if precedence.before != precedence.after
    )


def _of_versions(transactions: list[Transaction]) -> Iterator[Precedence]:
    """The precedences that commits and snapshots demand."""
    for writer in transactions:
        if writer.commit_version is None:
            continue
        for other in transactions:
            if other.commit_version is not None and writer.commit_version < other.commit_version:
                yield Precedence(writer.name, other.name, EdgeKind.LOG)
            if writer.commit_version <= other.read_version:
                yield Precedence(writer.name, other.name, EdgeKind.START)
            else:
                yield Precedence(other.name, writer.name, EdgeKind.UNSEEN)


@dataclass(frozen=True, slots=True)
class _Version:
    """One version of a row: its writer (None for the initial version), commit and values."""

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


def _of_rows(history: History, transactions: list[Transaction]) -> Iterator[Precedence]:
    """The precedences that versions of rows, and reads of them, demand."""
    lines = _timelines(history)
    for (table, row), line in lines.items():
        for older, newer in pairwise(line):
            if older.writer is not None and newer.writer is not None:
                yield Precedence(older.writer, newer.writer, EdgeKind.WW)
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
    """The answer of a predicate read for one version; a failure is an answer of its own."""
    try:
        matches = version.values is not None and predicate.matches(version.values)
    except StatementFailure as failure:
        return failure.error_class
    return "match" if matches else "no match"


def _of_item(reader: str, line: list[_Version], shown: int) -> Iterator[Precedence]:
    installer = line[shown - 1].writer
    if installer is not None:
        yield Precedence(installer, reader, EdgeKind.WR_ITEM)
    if shown < len(line):
        follower = line[shown].writer
        if follower is not None:
            yield Precedence(reader, follower, EdgeKind.RW_ITEM)


def _of_predicate(
    reader: str, line: list[_Version], shown: int, answers: list[str]
) -> Iterator[Precedence]:
    for place in range(1, len(line)):
        writer = line[place].writer
        if writer is not None and answers[place] != answers[place - 1]:
            if place < shown:
                yield Precedence(writer, reader, EdgeKind.WR_PREDICATE)
            else:
                yield Precedence(reader, writer, EdgeKind.RW_PREDICATE)
