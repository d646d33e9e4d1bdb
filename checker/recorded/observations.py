"""Facts that a recorded history shows before any order is chosen: the types.

``checker.recorded.observing`` makes them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from checker.recorded.history import Key, Recorded, Value

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
    """Committed transactions by number, their keys by number, and the facts that the reads show.

    ``lists``: the history has appends and reads of lists.
    ``reads`` has (key, writer) once for each key read from outside, ``every_read`` one pair for
    each such read, in program order. ``shown_order`` has (writer, writer, key) where
    reads of lists show that the second version follows the first at once, or (for appends that no
    read shows) later.
    ``longest`` has the longest list read of a key, ``shown_by`` its reader. ``taken_for_initial``
    has the values that nobody wrote and that were read as the initial ones of their keys.
    """

    lists: bool = False
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
