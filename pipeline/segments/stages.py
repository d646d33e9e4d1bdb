"""The protocol of the stages through which a large history is judged, wherever they run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from checker.recorded.arrays.history import Array
from pipeline.segments.chunks import Chunk, ChunkDecisions
from pipeline.segments.intervals import Intervals
from pipeline.segments.log_order import Log
from pipeline.segments.versions import Edges


@dataclass(frozen=True, slots=True)
class Misreadings:
    """The findings of the pass over keys.

    ``unwritten`` are the reads, by the first transaction that has some, of versions that nobody
    wrote: their transactions, writers and keys. ``late`` is the first transaction whose recorded
    snapshot does not fit, if any. ``backward`` covers the intervals of the edges that lead back.
    """

    unwritten: tuple[Array, Array, Array]
    late: int | None
    backward: Intervals


@dataclass(frozen=True, slots=True)
class Operations:
    """Operations by columns, in the order of the log; ``place`` is the place of each in it.

    ``snapshot`` is None where snapshots were not recorded.
    """

    place: Array
    transaction: Array
    write: Array
    key: Array
    writer: Array
    snapshot: Array | None


class Stages(Protocol):
    """The stages over one history. ``placed``: operations have places that can be named."""

    placed: bool
    recorded_snapshots: bool

    def log(self) -> Log:
        """The pass in the order of the log."""
        ...

    def first_beyond(self, number: int) -> tuple[int, int]:
        """The place and the transaction of the first operation of a transaction above a number."""
        ...

    def misreadings(self, log: Log) -> Misreadings:
        """The pass over the versions of each key."""
        ...

    def edges_of(self, transaction: int) -> Edges:
        """The edges from and to one transaction, and maybe others."""
        ...

    def sizes(self, segments: Intervals) -> Array:
        """The number of operations in each segment."""
        ...

    def judged(self, chunks: Sequence[Chunk], wanted: Sequence[int]) -> list[ChunkDecisions]:
        """The decisions of chunks; each is held by one task."""
        ...

    def within(self, first: int, last: int) -> Operations:
        """All operations of the transactions from one to another."""
        ...

    def operations_of(self, transactions: Sequence[int]) -> Operations:
        """All operations of a few transactions."""
        ...
