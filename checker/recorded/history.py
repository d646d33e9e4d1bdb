"""The history type of other tools: sessions of transactions that read and write keys.

A *register* history has reads and writes of single values, where a value names the write that
made it. A *list* history has appends, and reads of whole lists; a list shows the order of the
appends before it. ``docs/histories.md`` has the definitions.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, NamedTuple

from model.levels import READ_COMMITTED

Key = Hashable
Value = Hashable

INITIAL = None
"""The value of a register before the first write to it; a list is ``()`` then."""


Time = int | tuple[int, int]
"""A time on some clock: a number, or the physical and the logical part of a hybrid clock."""


class Status(StrEnum):
    """How a transaction ended, as far as its client knows."""

    COMMITTED = "committed"
    ABORTED = "aborted"
    UNKNOWN = "unknown"


class Operation(NamedTuple):
    """One operation: ``r`` read, ``w`` write, ``a`` append. A list is read as a tuple."""

    kind: Literal["r", "w", "a"]
    key: Key
    value: Value


@dataclass(frozen=True, slots=True)
class Recorded:
    """One transaction as its client saw it. ``session`` is the client's number.

    ``outside`` is True for a transaction that no client saw (``checker.recorded.outside``).
    ``begin`` and ``end`` are times on the history's own clock; None if they are not known.
    """

    name: str
    session: int
    operations: tuple[Operation, ...]
    status: Status = Status.COMMITTED
    outside: bool = False
    begin: Time | None = None
    end: Time | None = None


@dataclass(frozen=True, slots=True)
class RecordedHistory:
    """Transactions in the order of their sessions; those of one session are in program order.

    ``lone_unwritten`` is True where a value that nobody wrote is taken for the initial one, at most
    one such value for each key. ``internal_from`` is the weakest level that
    forbids reads that contradict the transaction itself, which the formats' tools see differently.
    """

    kind: Literal["register", "list"]
    transactions: tuple[Recorded, ...]
    lone_unwritten: bool = False
    internal_from: str = READ_COMMITTED

    @property
    def timed(self) -> bool:
        """Whether the history knows when some transaction began, and when some other one ended."""
        transactions = self.transactions
        return any(t.begin is not None for t in transactions) and any(
            t.end is not None for t in transactions
        )
