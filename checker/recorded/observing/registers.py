"""The observer of registers: a value names the write that made it."""

from __future__ import annotations

from collections.abc import Iterable

from checker.recorded.history import INITIAL, Key, Operation, Value
from checker.recorded.observations import INIT
from checker.recorded.observing.observer import Observer


class Registers(Observer):
    """The reading of a history of registers."""

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
