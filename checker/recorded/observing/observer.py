"""The observer of a history: what registers and lists have in common."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from checker.recorded.history import Key, Operation, RecordedHistory, Status, Value
from checker.recorded.observations import AmbiguousHistory, AnomalousRead, Observations
from model.levels import READ_ATOMIC, READ_COMMITTED


@dataclass(frozen=True, slots=True)
class Write:
    """One write: the place of its transaction in the file, and whether it is its last one."""

    transaction: int
    last: bool


class Observer:
    """The reading of one history; subclasses know what its reads return."""

    def __init__(self, history: RecordedHistory) -> None:
        self.history = history
        self.recorded = history.transactions
        self.result = Observations(history.kind == "list")
        self.wrote: dict[tuple[Key, Value], Write] = {}
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
                self.wrote[written] = Write(place, last[operation.key] == index)

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
