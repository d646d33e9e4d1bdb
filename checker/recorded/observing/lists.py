"""The observer of lists: a list shows the order of the appends before it."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable

from checker.recorded.history import Key, Operation, RecordedHistory, Status, Value
from checker.recorded.observations import INIT
from checker.recorded.observing.observer import Observer
from model.levels import READ_ATOMIC, READ_COMMITTED


class Lists(Observer):
    """The reading of a history of lists."""

    def __init__(self, history: RecordedHistory) -> None:
        super().__init__(history)
        self.earlier: dict[tuple[Key, Value], tuple[int, Value]] = {}
        """The transaction that appended an element, and its append to the key before that."""
        self.later: dict[tuple[Key, Value], tuple[int, Value]] = {}
        """The same, with its next append to the key."""
        self.longest: dict[Key, tuple[tuple[Value, ...], int]] = {}
        self.dirty: set[tuple[int, int]] = set()
        self.sound: dict[Key, tuple[Value, ...]] = {}
        """Of each key, elements at the begin of its lists that are known to be no anomaly."""

    def _collect_writes(self) -> None:
        super()._collect_writes()
        for place, transaction in enumerate(self.recorded):
            last: dict[Key, Value] = {}
            for kind, key, value in transaction.operations:
                if kind != "r":
                    if key in last:
                        self.earlier[key, value] = place, last[key]
                        self.later[key, last[key]] = place, value
                    last[key] = value

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
        self._is_whole(place, key, before, len(before) - 1)
        for index in range(start, len(before) - 1):
            element = before[index]
            all_sound &= self._is_whole(place, key, before, index)
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

    def _is_whole(self, place: int, key: Key, before: tuple[Value, ...], index: int) -> bool:
        """Whether the neighbours of an append in its own transaction are in the list as well.

        What a transaction appended before an element comes before it. What it appended after the
        element comes too, unless the list ends there: that is an intermediate read.
        """
        element = before[index]
        missing = []
        earlier = self.earlier.get((key, element))
        if earlier is not None and (not index or before[index - 1] != earlier[1]):
            missing += [earlier] if earlier[1] not in before[:index] else []
        later = self.later.get((key, element))
        if later is not None and index + 1 < len(before) and before[index + 1] != later[1]:
            missing += [later] if later[1] not in before[index:] else []
        for writer, other in missing:
            if writer != place and self.recorded[writer].status is not Status.ABORTED:
                name = self.recorded[writer].name
                self._find(
                    "missing element",
                    READ_COMMITTED,
                    f"{self.recorded[place].name} read a list of key {key!r} with {element!r} in "
                    f"it and without {other!r}, and {name} appended both",
                    key,
                    writer,
                    place,
                )
        return not missing

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
