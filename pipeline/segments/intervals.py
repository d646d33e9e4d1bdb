"""Intervals of the log: their unions, and few that cover many."""

from __future__ import annotations

import numpy as np

from checker.recorded.arrays.history import Array

Intervals = tuple[Array, Array]
"""The first and the last transaction of each."""


def united(low: Array, high: Array) -> Intervals:
    """The connected unions of intervals, in ascending order; those that share an end are one."""
    order = np.argsort(low, kind="stable")
    low, high = low[order], np.maximum.accumulate(high[order])
    starts = np.ones(len(low), dtype=bool)
    starts[1:] = low[1:] > high[:-1]
    ends = np.ones(len(low), dtype=bool)
    ends[:-1] = starts[1:]
    return low[starts], high[ends]


def covered(low: Array, high: Array, most: int) -> Intervals:
    """At most ``most`` intervals that cover the given ones, which are ascending and apart.

    The largest gaps stay. An interval that covers two of them is judged as well as each is, as no
    edge that leads back crosses its ends.
    """
    if len(low) <= most:
        return low, high
    gaps = low[1:] - high[:-1]
    kept = np.sort(np.argpartition(-gaps, most - 1)[: most - 1])
    return low[np.concatenate([[0], kept + 1])], high[np.concatenate([kept, [len(high) - 1]])]


class Union:
    """The union, in bounded memory, of intervals that come sorted by where they begin."""

    def __init__(self, most: int) -> None:
        self._most = most
        self.low = self.high = np.zeros(0, dtype=np.int64)

    def add(self, low: Array, high: Array) -> None:
        """Adds intervals."""
        self.low, self.high = united(
            np.concatenate([self.low, low]), np.concatenate([self.high, high])
        )
        if len(self.low) > 2 * self._most:
            self.low, self.high = covered(self.low, self.high, self._most)

    def result(self) -> Intervals:
        """At most so many intervals as were asked for."""
        return covered(self.low, self.high, self._most)
