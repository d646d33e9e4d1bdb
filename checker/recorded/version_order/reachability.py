"""Reachability in an acyclic graph, for whole arrays of pairs at once.

With sessions, a node keeps for each session how far along it everything lies that reaches the
node (a vector clock). Without, it keeps one bit for every node, which serves up to
``MOST_BITS`` nodes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from checker.recorded.version_order.time_limit import NO_LIMIT, while_in_time

MOST_BITS = 130_000
"""Nodes up to which the whole relation is kept as bits: 2 GB."""
MOST_CLOCK_CELLS = 150_000_000
"""Cells of a table of vector clocks: 600 MB."""

FEW_CHAINS = 64
"""Sessions up to which clocks are taken in any case: their inference is faster."""

Array = np.ndarray[Any, Any]


class Clocks:
    """The relation as vector clocks over chains of nodes that are ordered in the graph."""

    def __init__(self, chain: Array, place: Array) -> None:
        self.chain, self.place = chain, place
        self.chains = int(chain.max()) + 1 if len(chain) else 0
        self.seen = np.zeros((0, 0), dtype=np.int32)
        self.counted: list[int] = []

    @staticmethod
    def pays(nodes: int, chains: int) -> bool:
        """Whether the clocks fit into memory, and are smaller than the bits would be."""
        if nodes * chains > MOST_CLOCK_CELLS:
            return False
        return chains <= FEW_CHAINS or chains * 32 <= nodes or not Bits.fits(nodes)

    def update(self, order: list[int], before: list[list[int]], deadline: float = NO_LIMIT) -> None:
        """Brings the relation up to date, along a topological order.

        Edges are only ever added, so a row changes only by new ones and by rows that changed.
        """
        if len(self.seen) != len(order):
            self.seen = np.zeros((len(order), self.chains), dtype=np.int32)
            self.seen[np.arange(len(order)), self.chain] = self.place + 1
            self.counted = [0] * len(order)
        seen, counted = self.seen, self.counted
        changed = bytearray(len(order))
        maximum = np.maximum
        for node in while_in_time(order, deadline):
            others = before[node]
            old = counted[node]
            news = [other for other in others[:old] if changed[other]]
            if old < len(others):
                news += others[old:]
                counted[node] = len(others)
            if news:
                row = seen[node]
                was = row.tobytes()
                for other in news:
                    maximum(row, seen[other], out=row)
                changed[node] = row.tobytes() != was

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

    def update(self, order: list[int], before: list[list[int]], deadline: float = NO_LIMIT) -> None:
        """Works the relation out anew, along a topological order.

        Edges are only ever added, so a node that reached another before still does.
        """
        size = len(order)
        if len(self.seen) != size:
            self.seen = np.zeros((size, (size + 63) // 64), dtype=np.uint64)
        seen, union = self.seen, np.bitwise_or
        bits = [1 << k for k in range(64)]
        place = [0] * size
        for at, node in enumerate(order):
            place[node] = at
        for node in while_in_time(order, deadline):
            row = seen[node]
            others = before[node]
            if len(others) > 1:
                # The last one often has the others before it, which need no look then.
                others = sorted(others, key=place.__getitem__, reverse=True)
            for other in others:
                if not row.item(other >> 6) & bits[other & 63]:
                    union(row, seen[other], out=row)
            row[node >> 6] |= np.uint64(bits[node & 63])

    def reaches(self, sources: Array, targets: Array) -> Array:
        """Whether each source reaches its target (a node reaches itself); arrays broadcast."""
        words = self.seen[targets, sources >> 6]
        result: Array = (words >> (sources & 63).astype(np.uint64)) & np.uint64(1) != 0
        return result
