"""Shortest cycles against networkx, and the order of a graph."""

from __future__ import annotations

from random import Random

import networkx as nx
import pytest

from checker.recorded.version_order import cycles
from checker.recorded.version_order.cycles import (
    Graph,
    core,
    cycle_through,
    shortest_cycle,
    topological,
)


def graph(seed: int, *, pairs: bool) -> list[list[int]]:
    """A random graph; with pairs an even node begins what the next odd one commits."""
    random = Random(seed)
    size = 2 * random.randint(1, 40)
    after: list[list[int]] = [[] for _ in range(size)]
    if pairs:
        for begin in range(0, size, 2):
            after[begin].append(begin + 1)
    for _ in range(random.randint(0, 3 * size // 2)):
        start, end = random.randrange(size), random.randrange(size)
        # Between transactions: a dependency commit to begin, an anti-dependency begin to commit.
        if start != end and not (pairs and (start % 2 == end % 2 or start // 2 == end // 2)):
            after[start].append(end)
    return after


def lengths(after: list[list[int]], *, pairs: bool) -> int | None:
    """The length of a shortest cycle, from the lengths of all simple cycles of a digraph."""
    arcs = nx.DiGraph()
    for start, others in enumerate(after):
        for end in others:
            free = pairs and end == start + 1 and not start % 2
            arcs.add_edge(start, end, length=0 if free else 1)
    best: int | None = None
    for start, end, data in arcs.edges(data=True):
        try:
            back = nx.shortest_path_length(arcs, end, start, weight="length")
        except nx.NetworkXNoPath:
            continue
        best = min(best or 1 << 30, back + data["length"])
    return best


def length(nodes: list[int], *, pairs: bool) -> int:
    steps = zip(nodes, (*nodes[1:], nodes[0]), strict=True)
    return sum(not (pairs and end == start + 1 and not start % 2) for start, end in steps)


def cyclic(after: list[list[int]]) -> Graph:
    return core(after, topological(after))


@pytest.mark.parametrize("pairs", [False, True])
@pytest.mark.slow
def test_the_cycle_is_as_short_as_networkx_finds_any(pairs: bool) -> None:
    met = set()
    for seed in range(400):
        after = graph(seed, pairs=pairs)
        found = shortest_cycle(cyclic(after), pairs=pairs)
        expected = lengths(after, pairs=pairs)
        met.add(expected)
        assert (length(found, pairs=pairs) if found else None) == expected, seed
        for start, end in zip(found, (*found[1:], *found[:1]), strict=True):
            assert end in after[start], seed
    assert {None, 2, 3, 4} <= met


def test_blocks_of_starts_give_the_same_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    size = 300
    ring = {node: [(node + 1) % size] for node in range(size)}
    ring[250].append(247)
    ring[3].append(0)
    whole = shortest_cycle(ring, pairs=False)
    monkeypatch.setattr(cycles, "BLOCK", 1)
    assert len(whole) == len(shortest_cycle(ring, pairs=False)) == 4


def test_a_cycle_through_a_node_that_is_on_none() -> None:
    assert cycle_through({0: [1], 1: [2], 2: [1]}, 0, pairs=False) == []
    assert cycle_through({0: [1], 1: [2], 2: [1]}, 1, pairs=False) == [1, 2]


def test_the_order_stops_before_a_cycle() -> None:
    after = [[1], [2, 3], [1], [], [0]]
    before = [[4], [0, 2], [1], [1], []]
    assert topological(after) == topological(after, before) == [4, 0]
