"""Orders and cycles of a graph that is given as lists of each node's successors."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable, Sequence
from heapq import heapify, heappop, heappush

import numpy as np

from checker.recorded.version_order.reachability import Array
from checker.recorded.version_order.time_limit import NO_LIMIT

Graph = dict[int, list[int]]
"""The successors of each node, which are nodes of the graph as well."""

BLOCK = 8_000_000
"""Words of bits that a step of the search for a shortest cycle handles at once: 64 MB."""
MOST_WORK = 2_000_000_000
"""Words of bits after which that search is content with the shortest cycle found so far."""


def topological(
    after: Sequence[Sequence[int]], before: Sequence[Sequence[int]] | None = None
) -> list[int]:
    """Nodes in topological order; those on cycles, and their descendants, are left out.

    ``before`` is the same graph the other way round, if it is at hand.
    """
    waits = _waits(after) if before is None else list(map(len, before))
    order = [node for node, count in enumerate(waits) if not count]
    for node in order:
        for other in after[node]:
            waits[other] -= 1
            if not waits[other]:
                order.append(other)
    return order


def topological_by(after: Sequence[Sequence[int]], rank: Sequence[float]) -> list[int]:
    """The same, taking the node with the lowest rank wherever there is a choice."""
    waits = _waits(after)
    ready = [(rank[node], node) for node, count in enumerate(waits) if not count]
    heapify(ready)
    order = []
    while ready:
        _, node = heappop(ready)
        order.append(node)
        for other in after[node]:
            waits[other] -= 1
            if not waits[other]:
                heappush(ready, (rank[other], other))
    return order


def _waits(after: Sequence[Sequence[int]]) -> list[int]:
    waits = [0] * len(after)
    for others in after:
        for other in others:
            waits[other] += 1
    return waits


def core(after: Sequence[Sequence[int]], order: Iterable[int]) -> Graph:
    """The part of a graph that can lie on cycles: without nodes that precede or follow them all.

    ``order`` is the result of ``topological``.
    """
    done = set(order)
    left = {node for node in range(len(after)) if node not in done}
    before: dict[int, list[int]] = {node: [] for node in left}
    count: dict[int, int] = {}
    for node in left:
        inside = [other for other in after[node] if other in left]
        count[node] = len(inside)
        for other in inside:
            before[other].append(node)
    ends = [node for node in left if not count[node]]
    for node in ends:
        left.discard(node)
        for other in before[node]:
            count[other] -= 1
            if not count[other]:
                ends.append(other)
    return {node: [other for other in after[node] if other in left] for node in left}


def cycle_through(graph: Graph, start: int, *, pairs: bool) -> list[int]:
    """A shortest cycle through a node, as nodes from there; [] where there is none.

    With ``pairs`` the arc from ``2t`` to ``2t + 1``, a begin and its commit, counts for nothing.
    """
    distance = {start: 0}
    parent: dict[int, int] = {}
    limit = 1 << 30
    best: list[int] = []
    queue = deque([start])
    while queue:
        node = queue.popleft()
        here = distance[node]
        if here + 1 > limit:
            break
        for other in graph.get(node, ()):
            free = pairs and other == node + 1 and not node & 1
            length = here if free else here + 1
            if other == start:
                if length < limit:
                    limit = length
                    best = [node]
                    while best[-1] != start:
                        best.append(parent[best[-1]])
                    best.reverse()
                continue
            if length < distance.get(other, limit):
                distance[other] = length
                parent[other] = node
                if free:
                    queue.appendleft(other)
                else:
                    queue.append(other)
    return best


def shortest_cycle(graph: Graph, *, pairs: bool, deadline: float = NO_LIMIT) -> list[int]:
    """A shortest cycle, as nodes; [] where there is none. ``pairs`` as in ``cycle_through``.

    After ``MOST_WORK``, or after the deadline, it is the shortest found so far, so that a large
    graph does not take hours.
    """
    start = _Walks(graph, pairs, deadline).start()
    return [] if start is None else cycle_through(graph, start, pairs=pairs)


class _Walks:
    """Breadth-first search from many starts at once: one bit for each start and node."""

    def __init__(self, graph: Graph, pairs: bool, deadline: float) -> None:
        self.deadline = deadline
        nodes = list(graph)
        place = {node: at for at, node in enumerate(nodes)}
        self.size = len(nodes)
        self.starts = [place[node] for node in _closing(graph)]
        arcs = [(place[a], place[b]) for a in nodes for b in graph[a]]
        source, target = np.array(arcs, dtype=np.int64).reshape(-1, 2).T
        number = np.array(nodes, dtype=np.int64)
        free = pairs & (number[target] == number[source] + 1) & (number[source] % 2 == 0)
        self.free = source[free], target[free]
        order = np.argsort(target[~free], kind="stable")
        self.source, target = source[~free][order], target[~free][order]
        self.target, self.first = np.unique(target, return_index=True)
        self.nodes = nodes

    def start(self) -> int | None:
        """A node on a shortest cycle."""
        words = max(1, BLOCK // max(1, len(self.source)))
        best, limit, work = None, self.size + 1, 0
        for begin in range(0, len(self.starts), 64 * words):
            if best is not None and work > MOST_WORK:
                break
            if time.monotonic() > self.deadline:
                # A cycle is a cycle, even if it is not a shortest one.
                return self.nodes[self.starts[begin]] if best is None else best
            node, length, steps = self._search(self.starts[begin : begin + 64 * words], limit)
            work += steps * words * len(self.source)
            if node is not None:
                best, limit = self.nodes[node], length
        # None was found in time: every start lies on a cycle.
        return self.nodes[self.starts[0]] if best is None and self.starts else best

    def _search(self, starts: list[int], limit: int) -> tuple[int | None, int, int]:
        """The first start that is reached again in under ``limit`` arcs, how many, and the work."""
        own = np.array(starts)
        at = np.arange(len(starts))
        word, bit = at >> 6, np.uint64(1) << (at & 63).astype(np.uint64)
        here = np.zeros((self.size, int(word[-1]) + 1), dtype=np.uint64)
        here[own, word] = bit
        self._pass_free(here)
        seen = np.zeros_like(here)
        for length in range(1, limit):
            step = np.zeros_like(here)
            step[self.target] = np.bitwise_or.reduceat(here[self.source], self.first, axis=0)
            self._pass_free(step)
            again = np.flatnonzero(step[own, word] & bit)
            if len(again):
                return starts[again[0]], length, length
            here = step & ~seen
            seen |= step
            if not here.any() or time.monotonic() > self.deadline:
                return None, limit, length
        return None, limit, limit

    def _pass_free(self, here: Array) -> None:
        begins, commits = self.free
        here[commits] |= here[begins]


def _closing(graph: Graph) -> list[int]:
    """Nodes of which every cycle has one: where a depth-first search comes back to its path."""
    entered: set[int] = set()
    left: set[int] = set()
    closing: dict[int, None] = {}
    for root in graph:
        if root in entered:
            continue
        entered.add(root)
        path = [(root, iter(graph[root]))]
        while path:
            node, others = path[-1]
            for other in others:
                if other not in entered:
                    entered.add(other)
                    path.append((other, iter(graph[other])))
                    break
                if other not in left:
                    closing[other] = None
            else:
                left.add(node)
                path.pop()
    return list(closing)
