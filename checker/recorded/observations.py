"""Facts that a recorded history shows before any order is chosen: reads, writes, contradictions.

The reads of a history name the writes that they saw. Anomalies that need no cycle (aborted,
intermediate and unwritten reads, reads that contradict their own transaction, lists that
contradict each other) are found here; everything else is left to the order of the versions.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from checker.recorded.history import (
    INITIAL,
    Key,
    Operation,
    Recorded,
    RecordedHistory,
    Status,
    Value,
)
from model.levels import READ_ATOMIC, READ_COMMITTED

INIT = -1
"""The writer of every initial version."""


class AmbiguousHistory(Exception):
    """A value was written twice and read: the history does not say who read from whom."""


@dataclass(frozen=True, slots=True)
class AnomalousRead:
    """An anomaly that is not a cycle: its name, the weakest level that forbids it, and words.

    ``recorded`` are the transactions concerned, and ``key`` is the key concerned.
    """

    anomaly: str
    forbidden_from: str
    because: str
    key: Key
    recorded: tuple[Recorded, ...]

    @property
    def transactions(self) -> tuple[str, ...]:
        """The names of the transactions concerned."""
        return tuple(transaction.name for transaction in self.recorded)


@dataclass(slots=True)
class Observations:
    """Committed transactions by number, their keys by number, and what the reads show.

    ``reads`` has (key, writer) once for each key read from outside, ``every_read`` one pair for
    each such read, in program order. ``shown_order`` has (writer, writer, key) where
    reads of lists show that the second version follows the first at once, or (for appends that no
    read shows) later.
    ``longest`` has the longest list read of a key, ``shown_by`` its reader. ``taken_for_initial``
    has the values that nobody wrote and that were read as the initial ones of their keys.
    """

    transactions: list[Recorded] = field(default_factory=list)
    keys: list[Key] = field(default_factory=list)
    session: list[int] = field(default_factory=list)
    reads: list[list[tuple[int, int]]] = field(default_factory=list)
    every_read: list[list[tuple[int, int]]] = field(default_factory=list)
    writes: list[list[int]] = field(default_factory=list)
    writers: list[list[int]] = field(default_factory=list)
    shown_order: list[tuple[int, int, int]] = field(default_factory=list)
    longest: dict[int, tuple[Value, ...]] = field(default_factory=dict)
    shown_by: dict[int, int] = field(default_factory=dict)
    anomalous_reads: list[AnomalousRead] = field(default_factory=list)
    taken_for_initial: dict[Key, Value] = field(default_factory=dict)

    def name(self, transaction: int) -> str:
        return "the initial state" if transaction == INIT else self.transactions[transaction].name


@dataclass(frozen=True, slots=True)
class _Write:
    """One write: the place of its transaction in the file, and whether it is its last one."""

    transaction: int
    last: bool


def observe(history: RecordedHistory) -> Observations:
    """Reads a history; ``AmbiguousHistory`` where its reads do not name their writers."""
    return (_Lists(history) if history.kind == "list" else _Registers(history)).observe()


class _Observer:
    def __init__(self, history: RecordedHistory) -> None:
        self.history = history
        self.recorded = history.transactions
        self.result = Observations()
        self.wrote: dict[tuple[Key, Value], _Write] = {}
        self.twice: dict[tuple[Key, Value], tuple[int, int]] = {}
        self.number_of: dict[int, int] = {}
        self.key_number: dict[Key, int] = {}
        self.first_read: dict[int, int] = {}
        """Of the transaction that is being looked at: by key, the writer of its first read."""

    def observe(self) -> Observations:
        self._collect_writes()
        self._number_transactions()
        for place, number in self.number_of.items():
            self.first_read = {}
            self._read_transaction(place, number)
        self._finish()
        return self.result

    def _finish(self) -> None:
        """Called after every transaction was looked at."""

    def _read_transaction(self, place: int, number: int) -> None:
        raise NotImplementedError

    def _collect_writes(self) -> None:
        for place, transaction in enumerate(self.recorded):
            last: dict[Key, int] = {}
            for index, operation in enumerate(transaction.operations):
                if operation.kind != "r":
                    last[operation.key] = index
            for index, operation in enumerate(transaction.operations):
                if operation.kind == "r":
                    continue
                written = (operation.key, operation.value)
                earlier = self.wrote.get(written)
                if earlier is not None and earlier.transaction != place:
                    self.twice[written] = (earlier.transaction, place)
                self.wrote[written] = _Write(place, last[operation.key] == index)

    def _number_transactions(self) -> None:
        """Numbers the transactions that count: committed ones, and unknown ones that they saw."""
        counted = {p for p, t in enumerate(self.recorded) if t.status is Status.COMMITTED}
        unseen: dict[Key, dict[Value, int]] = {}
        for place, transaction in enumerate(self.recorded):
            if transaction.status is Status.UNKNOWN:
                for operation in transaction.operations:
                    if operation.kind != "r":
                        unseen.setdefault(operation.key, {})[operation.value] = place
        left = list(counted) if unseen else []
        while left:
            for operation in self.recorded[left.pop()].operations:
                if operation.kind == "r" and operation.key in unseen:
                    writes = unseen[operation.key]
                    for value in writes.keys() & self._values(operation):
                        writer = writes.pop(value)
                        if writer not in counted:
                            counted.add(writer)
                            left.append(writer)
        for place in sorted(counted):
            transaction = self.recorded[place]
            number = self.number_of[place] = len(self.result.transactions)
            self.result.transactions.append(transaction)
            self.result.session.append(transaction.session)
            keys = dict.fromkeys(o.key for o in transaction.operations if o.kind != "r")
            numbers = [self._key(key) for key in keys]
            self.result.writes.append(numbers)
            self.result.reads.append([])
            self.result.every_read.append([])
            for key in numbers:
                self.result.writers[key].append(number)

    def _values(self, read: Operation) -> Iterable[Value]:
        """The values that a read shows to have been written."""
        raise NotImplementedError

    def _key(self, key: Key) -> int:
        number = self.key_number.get(key)
        if number is None:
            number = self.key_number[key] = len(self.key_number)
            self.result.keys.append(key)
            self.result.writers.append([])
        return number

    def _find(self, anomaly: str, level: str, because: str, key: Key, *places: int) -> None:
        recorded = tuple(self.recorded[place] for place in places)
        self.result.anomalous_reads.append(AnomalousRead(anomaly, level, because, key, recorded))

    def _writer(self, place: int, key: Key, value: Value) -> int | None:
        """The number of the transaction whose write was read; None where it is an anomaly."""
        reader = self.recorded[place].name
        if (key, value) in self.twice:
            first, second = (self.recorded[p].name for p in self.twice[key, value])
            raise AmbiguousHistory(
                f"{reader} read {value!r} of key {key!r}, which both {first} and {second} wrote: "
                "the history does not say which of the two it read"
            )
        write = self.wrote.get((key, value))
        if write is None:
            self._find(
                "unwritten read",
                READ_COMMITTED,
                f"{reader} read {value!r} of key {key!r}, which nobody wrote",
                key,
                place,
            )
            return None
        writer = self.recorded[write.transaction]
        if write.transaction == place:
            self._find(
                "future read",
                READ_COMMITTED,
                f"{reader} read {value!r} of key {key!r} before it wrote that value itself",
                key,
                place,
            )
            return None
        if writer.status is Status.ABORTED:
            self._find(
                "G1a (aborted read)",
                READ_COMMITTED,
                f"{reader} read {value!r} of key {key!r}, written by {writer.name}, which aborted",
                key,
                write.transaction,
                place,
            )
            return None
        if not write.last:
            self._find(
                "G1b (intermediate read)",
                READ_COMMITTED,
                f"{reader} read {value!r} of key {key!r}, which {writer.name} replaced itself "
                "before it ended",
                key,
                write.transaction,
                place,
            )
        return self.number_of[write.transaction]

    def _external(self, place: int, number: int, key: Key, writer: int) -> None:
        """Notes one read from outside, and whether it agrees with the one before it."""
        index = self._key(key)
        self.result.every_read[number].append((index, writer))
        first = self.first_read.get(index)
        if first is None:
            self.first_read[index] = writer
            self.result.reads[number].append((index, writer))
        elif first != writer:
            self._find(
                "non-repeatable read",
                READ_ATOMIC,
                f"{self.recorded[place].name} read key {key!r} twice, first from "
                f"{self.result.name(first)}, then from {self.result.name(writer)}",
                key,
                place,
            )

    def _internal(self, place: int, key: Key, value: Value, expected: Value) -> None:
        self._find(
            "internal inconsistency",
            self.history.internal_from,
            f"{self.recorded[place].name} read {value!r} of key {key!r} where its own earlier "
            f"operations make it {expected!r}",
            key,
            place,
        )


class _Registers(_Observer):
    def _values(self, read: Operation) -> Iterable[Value]:
        return (read.value,)

    def _read_transaction(self, place: int, number: int) -> None:
        own: dict[Key, Value] = {}
        for kind, key, value in self.recorded[place].operations:
            if kind != "r":
                own[key] = value
            elif key in own:
                if own[key] != value:
                    self._internal(place, key, value, own[key])
                    write = self.wrote.get((key, value))
                    if write is not None and write.transaction != place:
                        self._writer(place, key, value)
            elif self._is_initial(key, value):
                self._external(place, number, key, INIT)
            else:
                writer = self._writer(place, key, value)
                if writer is not None:
                    self._external(place, number, key, writer)

    def _is_initial(self, key: Key, value: Value) -> bool:
        if (key, value) in self.wrote:
            return False
        if value is INITIAL and not self.history.lone_unwritten:
            return True
        taken = self.result.taken_for_initial
        return self.history.lone_unwritten and taken.setdefault(key, value) == value


class _Lists(_Observer):
    def __init__(self, history: RecordedHistory) -> None:
        super().__init__(history)
        self.longest: dict[Key, tuple[tuple[Value, ...], int]] = {}
        self.dirty: set[tuple[int, int]] = set()
        self.sound: dict[Key, tuple[Value, ...]] = {}
        """Of each key, elements at the begin of its lists that are known to be no anomaly."""

    @staticmethod
    def _list(value: Value) -> tuple[Value, ...]:
        return value if isinstance(value, tuple) else ()

    def _values(self, read: Operation) -> Iterable[Value]:
        return self._list(read.value)

    def _read_transaction(self, place: int, number: int) -> None:
        name = self.recorded[place].name
        own: dict[Key, list[Value]] = {}
        seen: dict[Key, tuple[Value, ...]] = {}
        for kind, key, raw in self.recorded[place].operations:
            if kind != "r":
                own.setdefault(key, []).append(raw)
                continue
            value, mine = self._list(raw), tuple(own.get(key, ()))
            if key in seen and mine:
                expected: tuple[Value, ...] = seen[key] + mine
                sound = value == expected
            else:
                expected = ("...", *mine)
                sound = not mine or value[len(value) - len(mine) :] == mine
            if not sound:
                self._internal(place, key, value, expected)
            if len(set(value)) < len(value):
                repeated = next(element for element, times in Counter(value).items() if times > 1)
                self._find(
                    "duplicate element",
                    READ_COMMITTED,
                    f"{name} read a list of key {key!r} that has {repeated!r} twice",
                    key,
                    place,
                )
                self._compare(place, key, _before_a_repetition(value))
                continue
            self._compare(place, key, value)
            if not sound:
                self._contradictory(place, number, key, value)
                continue
            before = value[: len(value) - len(mine)]
            earlier = seen.setdefault(key, before)
            self._source(place, number, key, before, earlier)

    def _compare(self, place: int, key: Key, value: tuple[Value, ...]) -> None:
        """Keeps the longest list of each key; a list that is not a prefix of it is an anomaly."""
        longest, reader = self.longest.get(key, ((), place))
        short, long = sorted((longest, value), key=len)
        if long[: len(short)] != short:
            self._find(
                "incompatible order",
                READ_COMMITTED,
                f"{self.recorded[place].name} and {self.recorded[reader].name} read lists of key "
                f"{key!r} of which neither begins with the other",
                key,
                reader,
                place,
            )
        elif len(value) > len(longest) or key not in self.longest:
            self.longest[key] = (value, place)

    def _contradictory(self, place: int, number: int, key: Key, value: tuple[Value, ...]) -> None:
        """Notes whose elements a read saw, although it contradicts its own transaction."""
        elements = list(value)
        while elements and self._own(place, key, elements[-1]):
            elements.pop()
        writer = self._elements(place, key, tuple(elements))
        if writer is not None:
            self.result.every_read[number].append((self._key(key), writer))

    def _own(self, place: int, key: Key, element: Value) -> bool:
        write = self.wrote.get((key, element))
        return write is not None and write.transaction == place

    def _source(
        self,
        place: int,
        number: int,
        key: Key,
        before: tuple[Value, ...],
        earlier: tuple[Value, ...],
    ) -> None:
        writer = self._elements(place, key, before) if before else INIT
        if writer is None:
            return
        again = self.first_read.get(self._key(key)) == writer
        self._external(place, number, key, writer)
        if again and earlier != before:
            self._find(
                "non-repeatable read",
                READ_ATOMIC,
                f"{self.recorded[place].name} read key {key!r} twice, first with "
                f"{len(earlier)} and then with {len(before)} elements",
                key,
                place,
            )

    def _elements(self, place: int, key: Key, before: tuple[Value, ...]) -> int | None:
        """The writer of the last element of a list; the other elements are checked on the way."""
        if not before:
            return None
        sound = self.sound.get(key, ())
        shared = min(len(sound), len(before) - 1)
        start = shared if before[:shared] == sound[:shared] else 0
        all_sound = True
        for index in range(start, len(before) - 1):
            element = before[index]
            write = self.wrote.get((key, element))
            status = None if write is None else self.recorded[write.transaction].status
            if status is None or status is Status.ABORTED or (key, element) in self.twice:
                all_sound = False
                self._writer(place, key, element)
            if write is not None and status is Status.ABORTED:
                self._dirty_update(write.transaction, key, before[index + 1])
        if all_sound and len(before) > len(sound) and start == len(sound):
            self.sound[key] = before[:-1]
        return self._writer(place, key, before[-1])

    def _dirty_update(self, aborted: int, key: Key, element: Value) -> None:
        """A version that was built on one of an aborted transaction."""
        write = self.wrote.get((key, element))
        if write is None or self.recorded[write.transaction].status is Status.ABORTED:
            return
        place = write.transaction
        if (aborted, place) not in self.dirty:
            self.dirty.add((aborted, place))
            self._find(
                "dirty update",
                READ_COMMITTED,
                f"{self.recorded[place].name} appended {element!r} to key {key!r} after the "
                f"append of {self.recorded[aborted].name}, which aborted",
                key,
                aborted,
                place,
            )

    def _finish(self) -> None:
        for key, (elements, reader) in self.longest.items():
            if key not in self.key_number:
                continue
            index = self.key_number[key]
            self.result.longest[index] = elements
            self.result.shown_by[index] = self.number_of[reader]
            order: list[int] = []
            for element in elements:
                write = self.wrote.get((key, element))
                number = None if write is None else self.number_of.get(write.transaction)
                if number is not None and (not order or order[-1] != number):
                    order.append(number)
            self.result.shown_order += [(a, b, index) for a, b in itertools.pairwise(order)]
            shown = set(order)
            if order:
                later = (w for w in self.result.writers[index] if w not in shown)
                self.result.shown_order += [(order[-1], writer, index) for writer in later]
        for index, writers in enumerate(self.result.writers):
            self.result.writers[index] = sorted(set(writers))


def _before_a_repetition(value: tuple[Value, ...]) -> tuple[Value, ...]:
    """The part of a list that still shows an order: up to the first element that came before."""
    new = dict.fromkeys(value)
    if len(new) == len(value):
        return value
    return tuple(itertools.takewhile(lambda element: new.pop(element, 0) is None, value))
