"""The pass over operations in the order of the log: is it a history, and what are its transactions.

A task sees runs of operations that follow each other; transactions at the ends of a run may go on
in another one. ``joined`` puts the runs together. What is kept does not grow with the history.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from checker.recorded.arrays.history import Array

ENDS = 10
"""Transactions at each end of an order that are kept."""


@dataclass(slots=True)
class Ends:
    """The first and the last few numbers by their places in an order, and how many there are."""

    count: int = 0
    first: Array = field(default_factory=lambda: np.zeros((0, 2), dtype=np.int64))
    last: Array = field(default_factory=lambda: np.zeros((0, 2), dtype=np.int64))

    def add(self, place: Array, number: Array) -> None:
        """Adds numbers, each at a place; among equal places the smaller number comes first."""
        self.count += len(number)
        pairs = np.column_stack([place, number])
        low = pairs if len(self.first) < ENDS else pairs[place <= self.first[-1, 0]]
        high = pairs if len(self.last) < ENDS else pairs[place >= self.last[0, 0]]
        self.first = np.unique(np.concatenate([self.first, low]), axis=0)[:ENDS]
        self.last = np.unique(np.concatenate([self.last, high]), axis=0)[-ENDS:]

    def join(self, other: Ends) -> None:
        """Adds all that another one has."""
        count = self.count + other.count
        self.add(*other.first.T)
        self.add(*other.last.T)
        self.count = count


@dataclass(slots=True)
class Partial:
    """The part of a transaction that was seen: the last version that it read, its snapshots."""

    number: int
    writes: bool
    last: int
    low_snapshot: int
    high_snapshot: int

    def join(self, other: Partial) -> Partial:
        """Both parts of the same transaction together."""
        return Partial(
            self.number,
            self.writes or other.writes,
            max(self.last, other.last),
            min(self.low_snapshot, other.low_snapshot),
            max(self.high_snapshot, other.high_snapshot),
        )


@dataclass(slots=True)
class Totals:
    """Facts about whole transactions.

    ``serial`` has the places of ``checker.recorded.arrays.decide``: a writer at its own number, a
    reader right behind the last commit that it saw. ``missing`` has numbers that are left out
    (its ``count`` says nothing). ``two_snapshots`` and ``late_snapshot`` are the first
    transaction of each kind (with its snapshot), if any.
    """

    named: int = 0
    writers: Ends = field(default_factory=Ends)
    serial: Ends = field(default_factory=Ends)
    missing: Ends = field(default_factory=Ends)
    two_snapshots: int | None = None
    late_snapshot: tuple[int, int] | None = None

    def add(self, number: Array, writes: Array, last: Array, low: Array, high: Array) -> None:
        """Adds transactions in ascending order."""
        self.named += len(number)
        self.writers.add(number[writes], number[writes])
        self.serial.add(np.where(writes, 2 * number, 2 * last + 1), number)
        two = np.flatnonzero(low != high)
        if len(two):
            self.two_snapshots = _least(self.two_snapshots, int(number[two[0]]))
        late = np.flatnonzero((low >= number) | (low < 0))
        if len(late):
            at = int(late[0])
            self.late_snapshot = _least(self.late_snapshot, (int(number[at]), int(low[at])))

    def add_partial(self, whole: Partial) -> None:
        """Adds a transaction that is complete now."""
        columns = (whole.number, whole.writes, whole.last, whole.low_snapshot, whole.high_snapshot)
        self.add(*(np.array([value]) for value in columns))

    def leave_out(self, before: Array, after: Array) -> None:
        """Notes the numbers between neighbours, of which the latter may follow the former."""
        gaps = np.flatnonzero(after > before + 1)
        for at in gaps[:ENDS].tolist():
            numbers = np.arange(before[at] + 1, min(before[at] + 1 + ENDS, after[at]))
            self.missing.add(numbers, numbers)
        for at in gaps[-ENDS:].tolist():
            numbers = np.arange(max(before[at] + 1, after[at] - ENDS), after[at])
            self.missing.add(numbers, numbers)

    def join(self, other: Totals) -> None:
        """Adds all that another one has."""
        self.named += other.named
        self.writers.join(other.writers)
        self.serial.join(other.serial)
        self.missing.join(other.missing)
        if other.two_snapshots is not None:
            self.two_snapshots = _least(self.two_snapshots, other.two_snapshots)
        if other.late_snapshot is not None:
            self.late_snapshot = _least(self.late_snapshot, other.late_snapshot)


def _least(one: Any, other: Any) -> Any:
    return other if one is None else min(one, other)


@dataclass(slots=True)
class Run:
    """Operations that follow each other, in the order of the log.

    ``first`` is the place of the first operation and ``end`` that after the last one. ``head``
    and ``tail`` are its first and its last transaction, which may go on elsewhere; ``tail`` is
    None where all is one transaction. ``totals`` has those in between. ``wrong`` has the first
    operation of each kind of mistake: its place, and what the sentence about it needs.
    """

    first: int
    end: int
    head: Partial
    tail: Partial | None = None
    totals: Totals = field(default_factory=Totals)
    wrong: dict[str, tuple[int, ...]] = field(default_factory=dict)

    @property
    def ending(self) -> Partial:
        """The last transaction."""
        return self.tail or self.head

    def note(self, mistake: str, place: int, *facts: Any) -> None:
        """Notes a mistake at an operation, if it is the first of its kind."""
        entry = (place, *(int(fact) for fact in facts))
        self.wrong[mistake] = min(entry, self.wrong.get(mistake, entry))


class LogPass:
    """The runs of the operations that one task sees."""

    def __init__(self) -> None:
        self.runs: list[Run] = []

    def add(
        self,
        operation: Array,
        transaction: Array,
        write: Array,
        key: Array,
        writer: Array,
        snapshot: Array | None,
    ) -> None:
        """Adds operations. A place (``operation``) that does not follow the last begins a run."""
        if not len(operation):
            return
        cuts = np.flatnonzero(operation[1:] != operation[:-1] + 1) + 1
        for first, end in zip([0, *cuts], [*cuts, len(operation)], strict=True):
            part = slice(int(first), int(end))
            taken = np.zeros(end - first, dtype=np.int64) if snapshot is None else snapshot[part]
            self._add_run(
                operation[part], transaction[part], write[part], key[part], writer[part], taken
            )

    def _add_run(
        self,
        operation: Array,
        transaction: Array,
        write: Array,
        key: Array,
        writer: Array,
        snapshot: Array,
    ) -> None:
        starts = np.flatnonzero(np.diff(transaction, prepend=transaction[0] - 1))
        number = transaction[starts]
        read_from = np.where(write | (writer == transaction), 0, writer)
        columns = (
            number,
            np.logical_or.reduceat(write, starts),
            np.maximum.reduceat(read_from, starts),
            np.minimum.reduceat(snapshot, starts),
            np.maximum.reduceat(snapshot, starts),
        )
        head = Partial(*(column[0].item() for column in columns))
        first, end = int(operation[0]), int(operation[-1]) + 1
        run = self.runs[-1] if self.runs and self.runs[-1].end == first else None
        if run is None:
            run = Run(first, end, head)
            self.runs.append(run)
        else:
            before, run.end = run.ending, end
            if head.number < before.number:
                run.note("backwards", first, head.number, before.number)
            elif head.number == before.number:
                head = before.join(head)
            else:
                run.totals.leave_out(np.array([before.number]), number[:1])
                if run.tail is not None:
                    run.totals.add_partial(run.tail)
            if head.number != before.number or run.tail is not None:
                run.tail = head
            else:
                run.head = head
        backwards = np.flatnonzero(transaction[1:] < transaction[:-1]) + 1
        if len(backwards):
            at = int(backwards[0])
            run.note("backwards", first + at, transaction[at], transaction[at - 1])
        if "backwards" not in run.wrong and len(number) > 1:
            run.totals.leave_out(number[:-1], number[1:])
            if run.tail is not None:
                run.totals.add_partial(run.tail)
            run.totals.add(*(column[1:-1] for column in columns))
            run.tail = Partial(*(column[-1].item() for column in columns))
        for mistake, wrong in (
            ("negative", writer < 0),
            ("foreign", write & (writer != transaction)),
        ):
            if wrong.any():
                at = int(np.argmax(wrong))
                run.note(mistake, first + at, transaction[at], write[at], key[at], writer[at])


@dataclass(frozen=True, slots=True)
class Log:
    """The whole log: how many operations, the last transaction, and what the runs have."""

    operations: int
    largest: int
    smallest: int
    totals: Totals
    wrong: dict[str, tuple[int, ...]]


def joined(runs: Iterable[Run]) -> Log:
    """All runs of a log together; they are in the order of their places."""
    ordered = sorted(runs, key=lambda run: run.first)
    totals = Totals()
    whole = Run(0, 0, Partial(0, False, 0, 0, 0))
    current: Partial | None = None
    for run in ordered:
        for mistake, entry in run.wrong.items():
            whole.note(mistake, *entry)
        if current is not None and run.head.number < current.number:
            whole.note("backwards", run.first, run.head.number, current.number)
        current = _followed(totals, current, run.head)
        totals.join(run.totals)
        if run.tail is not None:
            totals.add_partial(current)
            current = run.tail
    if current is None:
        return Log(0, 0, 0, totals, {})
    totals.add_partial(current)
    operations = sum(run.end - run.first for run in ordered)
    return Log(operations, current.number, ordered[0].head.number, totals, whole.wrong)


def _followed(totals: Totals, current: Partial | None, head: Partial) -> Partial:
    """The transaction that a run begins with, after the one that is open so far."""
    if current is not None and current.number == head.number:
        return current.join(head)
    before = 0
    if current is not None:
        totals.add_partial(current)
        before = current.number
    totals.leave_out(np.array([before]), np.array([head.number]))
    return head
