"""The definition of a level, executed: run the statements one after the other and compare.

It decides two readings that are weaker than the graph's. The *view* reading asks for a serial
order in which every transaction reads the same rows as in the history and which ends with the
same rows in the table; the *final-state* reading asks only for the same rows at the end. Where
the level demands it (Serializable), the order is the log's, with readers at their snapshots;
otherwise any order of the level's transactions will do.

This module decides from the history alone. It shares no code with the other deciders.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import isnan
from typing import Literal

from model.errors import NotPredicted, StatementFailure
from model.history import History, Row, Transaction
from model.levels import LEVELS
from model.values.unknown import any_unknown

MOST_PERMUTED = 8
"""More transactions than this are not permuted: the answer is ``unknown`` and says so."""

Tables = Mapping[str, tuple[Row, ...]]
Multiset = frozenset[tuple[Row, int]]


@dataclass(frozen=True, slots=True)
class Reading:
    """The answer of one reading for a history.

    ``serial_order`` is the witness of ``holds``; ``why`` gives the reason for the other two.
    """

    verdict: Literal["holds", "violated", "unknown"]
    why: str | None = None
    serial_order: tuple[str, ...] | None = None


def multiset(rows: Iterable[Row]) -> Multiset:
    """Distinct rows with their counts; NaN counts as equal to itself, as in a SQL sort."""
    return frozenset(Counter(tuple(map(_comparable, row)) for row in rows).items())


def judge_view(history: History, level: str) -> Reading:
    """The view reading; ``ValueError`` for a level that promises no serial order."""
    return _judge(history, level, reads_count=True)


def judge_final_state(history: History, level: str) -> Reading:
    """The final-state reading; ``ValueError`` for a level that promises no serial order.

    Readers leave no rows behind, so only the order of the writers matters.
    """
    return _judge(history, level, reads_count=False)


def _judge(history: History, level: str, *, reads_count: bool) -> Reading:
    order = LEVELS[level].serial_order
    if order is None:
        raise ValueError(f"{level} promises no serial order, so it has no such reading")
    if history.unknown:
        return Reading("unknown", "not observed: " + "; ".join(history.unknown))
    placed = list(history.committed)
    if not (LEVELS[level].readers and reads_count):
        placed = [transaction for transaction in placed if transaction.writes]
    unknown = [transaction.name for transaction in placed if transaction.rerun is None]
    if unknown:
        return Reading("unknown", f"the statement of {', '.join(unknown)} cannot be run again")
    try:
        execution = _Execution(history, placed, reads_count)
    except StatementFailure as failure:
        return Reading("unknown", f"a condition fails on a row of the snapshot: {failure}")
    except NotPredicted as error:
        return Reading("unknown", str(error))
    if order == "log":
        placed.sort(key=_place_in_log)
        try:
            return execution.follow(placed)
        except NotPredicted as error:
            return Reading("unknown", str(error))
    if len(placed) > MOST_PERMUTED:
        return Reading(
            "unknown", f"{len(placed)} transactions have too many orders to run them all"
        )
    return execution.search(placed)


def _place_in_log(transaction: Transaction) -> tuple[int, bool]:
    if transaction.commit_version is not None:
        return transaction.commit_version, False
    return transaction.read_version, True


def _same(one: Multiset, other: Multiset) -> bool:
    """Whether two multisets are equal.

    Raises NotPredicted if that depends on an unknown value.
    """
    if one == other:
        return True
    for row, _ in (*one, *other):
        if (value := any_unknown(row)) is not None:
            value.needed()
    return False


def _comparable(value: object) -> object:
    return "NaN" if isinstance(value, float) and isnan(value) else value


class _Execution:
    """Serial executions of one history from its initial rows."""

    def __init__(self, history: History, placed: list[Transaction], reads_count: bool) -> None:
        self.target = history.table
        self.initial = {table: tuple(rows.values()) for table, rows in history.initial.items()}
        self.final = multiset(history.final)
        self.reads: dict[str, list[Multiset]] | None = None
        if reads_count:
            self.reads = {transaction.name: _read(history, transaction) for transaction in placed}
        self.dead_ends: set[tuple[frozenset[str], Multiset]] = set()
        self.open: NotPredicted | None = None

    def follow(self, order: list[Transaction]) -> Reading:
        """Runs the only order that is allowed."""
        tables: Tables = self.initial
        for transaction in order:
            after, objection = self._step(transaction, tables)
            if after is None:
                return Reading("violated", f"in the order of the log, {objection}")
            tables = after
        if not _same(multiset(tables[self.target]), self.final):
            return Reading("violated", "run in the order of the log, they leave other rows")
        return Reading("holds", serial_order=tuple(transaction.name for transaction in order))

    def search(self, placed: list[Transaction]) -> Reading:
        """Searches for an order depth first, starting with the log's."""
        order = self._extend(placed, self.initial)
        if order is not None:
            return Reading("holds", serial_order=order)
        if self.open is not None:
            return Reading("unknown", str(self.open))
        what = "leaves these rows" if self.reads is None else "gives these reads and rows"
        names = ", ".join(transaction.name for transaction in placed)
        return Reading("violated", f"no serial order of {names} {what}")

    def _extend(self, left: list[Transaction], tables: Tables) -> tuple[str, ...] | None:
        rows = multiset(tables[self.target])
        if not left:
            return () if self._decided(rows) else None
        state = frozenset(transaction.name for transaction in left), rows
        if state in self.dead_ends:
            return None
        for position, transaction in enumerate(left):
            try:
                after, _ = self._step(transaction, tables)
            except NotPredicted as error:
                self.open = error
                continue
            if after is not None:
                rest = self._extend(left[:position] + left[position + 1 :], after)
                if rest is not None:
                    return (transaction.name, *rest)
        self.dead_ends.add(state)
        return None

    def _decided(self, rows: Multiset) -> bool:
        """Whether these are the final rows; False, and noted, if that depends on unknown values."""
        try:
            return _same(rows, self.final)
        except NotPredicted as error:
            self.open = error
            return False

    def _step(self, transaction: Transaction, tables: Tables) -> tuple[Tables | None, str]:
        """The tables after one statement, or None and the reason why it cannot come next."""
        if transaction.rerun is None:
            raise AssertionError("statements that cannot be run again were sorted out before")
        name = transaction.name
        try:
            result = transaction.rerun(tables)
        except StatementFailure as failure:
            return None, f"{name} fails: {failure.error_class}"
        if result.failed is not None:
            return None, f"{name} fails: {result.failed}"
        after = {**tables, **result.tables}
        if self.reads is not None:
            pairs = zip(transaction.predicate_reads, self.reads[name], result.reads, strict=True)
            for predicate, expected, rows in pairs:
                if not _same(multiset(rows), expected):
                    return None, f"{name} reads other rows for {predicate.text}"
            before = multiset(tables[self.target])
            written = not _same(multiset(after[self.target]), before)
            if written and not transaction.writes:
                return None, f"{name} writes, where it wrote no version"
        return after, ""


def _read(history: History, transaction: Transaction) -> list[Multiset]:
    """The rows that each predicate of a transaction matched in its snapshot."""
    snapshot = {table: dict(rows) for table, rows in history.initial.items()}
    for other in history.committed:
        if other.commit_version is not None and other.commit_version <= transaction.read_version:
            for change in other.changes:
                rows = snapshot[change.table]
                if change.after is not None:
                    rows[change.row] = change.after
                else:
                    rows.pop(change.row, None)
    return [
        multiset(row for row in snapshot[read.table].values() if read.matches(row))
        for read in transaction.predicate_reads
    ]
