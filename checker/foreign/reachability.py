"""Which node of an acyclic graph reaches which, for whole arrays of questions at once.

With sessions, a node keeps for each session how far along it everything lies that reaches the
node (a vector clock). Without, it keeps one bit for every node, which serves up to
``MOST_BITS`` nodes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

MOST_BITS = 40_000
"""Nodes up to which the whole relation is kept as bits: 200 MB."""
MOST_CLOCK_CELLS = 150_000_000
"""Cells of a table of vector clocks: 600 MB."""

Array = np.ndarray[Any, Any]


class Clocks:
    """The relation as vector clocks over chains of nodes that are ordered in the graph."""

    def __init__(self, chain: Array, place: Array) -> None:
        self.chain, self.place = chain, place
        self.chains = int(chain.max()) + 1 if len(chain) else 0
        self.seen = np.zeros((0, 0), dtype=np.int32)

    @staticmethod
    def fits(nodes: int, chains: int) -> bool:
        return nodes * chains <= MOST_CLOCK_CELLS

    def update(self, order: list[int], before: list[list[int]]) -> None:
        """Works the relation out anew, along a topological order."""
        seen = np.zeros((len(order), self.chains), dtype=np.int32)
        chain, place = self.chain.tolist(), self.place.tolist()
        maximum = np.maximum
        for node in order:
            row = seen[node]
            for other in before[node]:
                maximum(row, seen[other], out=row)
            row[chain[node]] = place[node] + 1
        self.seen = seen

    def reaches(self, sources: Array, targets: Array) -> Array:
        """Whether each source reaches its target (a node reaches itself); arrays broadcast."""
        result: Array = self.seen[targets, self.chain[sources]] > self.place[sources]
        return result


class Bits:
    """The relation as one bit for each pair of nodes."""

    def __init__(self) -> None:
        self.seen = np.zeros((0, 0), dtype=np.uint64)

    @staticmethod
    def fits(nodes: int) -> bool:
        return nodes <= MOST_BITS

    def update(self, order: list[int], before: list[list[int]]) -> None:
        """Works the relation out anew, along a topological order."""
        size = len(order)
        seen = np.zeros((size, (size + 63) // 64), dtype=np.uint64)
        bit = np.left_shift(np.uint64(1), np.arange(64, dtype=np.uint64))
        union = np.bitwise_or
        for node in order:
            row = seen[node]
            for other in before[node]:
                union(row, seen[other], out=row)
            row[node >> 6] |= bit[node & 63]
        self.seen = seen

    def reaches(self, sources: Array, targets: Array) -> Array:
        """Whether each source reaches its target (a node reaches itself); arrays broadcast."""
        words = self.seen[targets, sources >> 6]
        result: Array = (words >> (sources & 63).astype(np.uint64)) & np.uint64(1) != 0
        return result
