"""Schedules of begins and commits, and which of them are the same history.

Two neighbouring steps are *independent* when swapping them always gives the same history:

- two begins: both take the same snapshot;
- a reader's commit and anything but its own begin: it returns rows of its snapshot;
- a reader's begin and any step that is not a writer's commit.

What is left of a schedule is its *class*: the order in which the writers commit, and for every
transaction the number of those commits that its snapshot shows. One schedule of each class is
enough (partial-order reduction; Mazurkiewicz traces, Godefroid 1996). A transaction counts as a
reader here when its statement can never write; one that turns out to write nothing is
scheduled as a writer.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import permutations, product
from math import factorial

from model.scenario import Step

Schedule = tuple[Step, ...]


def interleavings(names: Sequence[str]) -> Iterator[Schedule]:
    """Every order of the begins and commits of these transactions, each begin before its commit."""
    begins = {name: Step("begin", name) for name in names}
    commits = {name: Step("commit", name) for name in names}

    def extend(
        done: Schedule, waiting: tuple[str, ...], running: frozenset[str]
    ) -> Iterator[Schedule]:
        if not waiting and not running:
            yield done
        for name in names:
            if name in waiting:
                left = tuple(other for other in waiting if other != name)
                yield from extend((*done, begins[name]), left, running | {name})
            elif name in running:
                yield from extend((*done, commits[name]), waiting, running - {name})

    return extend((), tuple(names), frozenset())


def count_interleavings(transactions: int) -> int:
    """How many ``interleavings`` there are: (2n)! / 2^n."""
    return int(factorial(2 * transactions) // 2**transactions)


@dataclass(frozen=True, slots=True)
class ScheduleClass:
    """All schedules that give one history.

    ``writers`` stand in the order of their commits. ``begins`` and ``reader_begins`` tell for
    each transaction how many writers have committed when it begins.
    """

    writers: tuple[str, ...]
    begins: tuple[int, ...]
    readers: tuple[str, ...] = ()
    reader_begins: tuple[int, ...] = ()

    @property
    def size(self) -> int:
        """The number of schedules in the class."""
        return _size(self.begins, tuple(sorted(self.reader_begins)))

    @property
    def representative(self) -> Schedule:
        """The schedule of the class that reads best: everything begins as late as it can.

        Readers run through at once; a writer that is the next to commit begins last.
        """
        steps: list[Step] = []
        for slot in range(len(self.writers) + 1):
            for name, begin in zip(self.readers, self.reader_begins, strict=True):
                if begin == slot:
                    steps += [Step("begin", name), Step("commit", name)]
            here = [
                name for name, begin in zip(self.writers, self.begins, strict=True) if begin == slot
            ]
            steps += [Step("begin", name) for name in reversed(here)]
            if slot < len(self.writers):
                steps.append(Step("commit", self.writers[slot]))
        return tuple(steps)


def classes(writers: Sequence[str], readers: Sequence[str] = ()) -> Iterator[ScheduleClass]:
    """Every class of schedules of these transactions, each once."""
    for order in permutations(writers):
        for begins in begin_slots(len(order)):
            for reader_begins in product(range(len(order) + 1), repeat=len(readers)):
                yield ScheduleClass(order, begins, tuple(readers), reader_begins)


def begin_slots(writers: int) -> Iterator[tuple[int, ...]]:
    """For writers in the order of their commits: every choice of commits before each begin."""
    return product(*(range(position + 1) for position in range(writers)))


def class_of(schedule: Sequence[Step], readers: Collection[str] = ()) -> ScheduleClass:
    """The class of a schedule in which every transaction begins and then commits."""
    committed: list[str] = []
    begun: dict[str, int] = {}
    for step in schedule:
        if step.action == "begin":
            begun[step.transaction] = len(committed)
        elif step.transaction not in readers:
            committed.append(step.transaction)
    reading = tuple(sorted(name for name in begun if name in readers))
    return ScheduleClass(
        tuple(committed),
        tuple(begun[name] for name in committed),
        reading,
        tuple(begun[name] for name in reading),
    )


@cache
def _size(begins: tuple[int, ...], reader_begins: tuple[int, ...]) -> int:
    """The number of linear extensions of the order that a class leaves.

    The commits of the writers form a chain; the begins of a slot lie between two of them; the
    commit of a reader comes any time after its begin.
    """
    writers = len(begins)
    slots = (*begins, *reader_begins)
    # Steps by number: the writers' commits, then all begins, then the readers' commits.
    before: list[int] = [1 << (i - 1) if i else 0 for i in range(writers)]
    for transaction, slot in enumerate(slots):
        begin = 1 << len(before)
        before.append(1 << (slot - 1) if slot else 0)
        if slot < writers:
            before[slot] |= begin
        if transaction < writers:
            before[transaction] |= begin
    for reader in range(len(reader_begins)):
        before.append(1 << (writers + writers + reader))
    everything = (1 << len(before)) - 1

    @cache
    def extensions(done: int) -> int:
        if done == everything:
            return 1
        return sum(
            extensions(done | 1 << step)
            for step, needed in enumerate(before)
            if not done >> step & 1 and needed & ~done == 0
        )

    return extensions(0)
