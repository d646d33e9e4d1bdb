"""Chunks: segments of a log that one task judges together, with the ordinary checker.

No edge that leads back crosses the ends of a segment. So its reads from before it all see the last
version from there, which stands for the initial one, and none reads from behind it. Keys of
different segments are told apart, since versions in between are not there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from checker.recorded.arrays.decide import Decision, decide
from checker.recorded.arrays.history import Array, LargeHistory, dependencies
from checker.recorded.dependency import Dependency
from model.levels import WRITE_SERIALIZABLE
from pipeline.segments.intervals import Intervals


@dataclass(frozen=True, slots=True)
class Chunk:
    """Segments of a log, ascending, with the number of their operations."""

    segments: Intervals
    operations: int

    @property
    def first(self) -> int:
        """The first transaction."""
        return int(self.segments[0][0])

    @property
    def last(self) -> int:
        """The last transaction."""
        return int(self.segments[1][-1])


@dataclass(frozen=True, slots=True)
class ChunkDecisions:
    """The decisions of a chunk at each level.

    ``first`` is the first transaction of the chunk. ``moved`` says of writers that were asked
    about which writer has their place in the serial order of the writers; it is empty where
    WriteSerializable is violated.
    """

    first: int
    decisions: dict[str, Decision]
    moved: dict[int, int]


def packed(segments: Intervals, operations: Array, most: int) -> Iterator[Chunk]:
    """Neighbouring segments together, as long as they have at most so many operations.

    A segment with more than that is a chunk of its own.
    """
    low, high = segments
    begin, total = 0, 0
    for at, count in enumerate(operations.tolist()):
        if at > begin and total + count > most:
            yield Chunk((low[begin:at], high[begin:at]), total)
            begin, total = at, 0
        total += count
    if begin < len(low):
        yield Chunk((low[begin:], high[begin:]), total)


def judged(
    segments: Intervals,
    transaction: Array,
    write: Array,
    key: Array,
    writer: Array,
    wanted: Sequence[int],
) -> ChunkDecisions:
    """Judges the operations of segments, in any order, by the ordinary checker.

    ``wanted`` are the writers whose places in the serial order of the writers are asked for.
    """
    starts, _ = segments
    order = np.argsort(transaction, kind="stable")
    transaction, write, key, writer = (a[order] for a in (transaction, write, key, writer))
    numbers, place = np.unique(transaction, return_inverse=True)
    keys, key_number = np.unique(key, return_inverse=True)
    segment = np.searchsorted(starts, transaction, side="right") - 1
    inside = writer >= starts[segment]
    named = np.where(inside, np.searchsorted(numbers, writer) + 1, 0)
    history = LargeHistory(place + 1, write, segment * len(keys) + key_number, named)
    graph, unwritten = dependencies(history)
    assert unwritten is None, "reads of versions that nobody wrote are looked for before"

    def named_as_before(edge: Dependency) -> Dependency:
        source, target = int(numbers[edge.source - 1]), int(numbers[edge.target - 1])
        on = None if edge.key is None else int(keys[int(edge.key) % len(keys)])
        return Dependency(source, target, edge.kind, on)

    decisions = decide(graph, None)
    among_writers = decisions[WRITE_SERIALIZABLE]
    return ChunkDecisions(
        int(starts[0]),
        {
            level: Decision(
                tuple(named_as_before(edge) for edge in decision.cycle),
                rank=int(numbers[decision.rank - 1])
                if decision.cycle and decision is not among_writers
                else decision.rank,
            )
            for level, decision in decisions.items()
        },
        {} if among_writers.order is None else _moved(numbers[among_writers.order - 1], wanted),
    )


def _moved(order: Array, wanted: Sequence[int]) -> dict[int, int]:
    """The writers in the places of those that are wanted, given the order of all writers."""
    places = np.sort(order)
    here = np.intersect1d(np.array(wanted, dtype=np.int64), places)
    there = order[np.searchsorted(places, here)]
    return dict(zip(here.tolist(), there.tolist(), strict=True))
