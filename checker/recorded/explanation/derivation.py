"""The derivations of orders of versions that no read shows.

An inferred order follows from edges that were in the graph before it (``version_order.inference``
and ``weak_levels`` have the two rules). A derivation names those edges. Edges among them that were
inferred in their turn are derived first, so that each derivation rests on facts and on orders that
were derived before it.
"""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from checker.recorded.dependency import Dependency
from checker.recorded.explanation.facts import Choice
from checker.recorded.version_order.constraints import Constraints
from checker.recorded.version_order.time_limit import NO_LIMIT

MOST_SECONDS = 5.0
"""Seconds after which the orders that are left are not derived."""


@dataclass(frozen=True, slots=True)
class Derivation:
    """Why ``first`` wrote its version of a key before ``second`` did.

    ``path`` leads from ``first`` to ``reader``, which read the version of ``second``: so the
    version of ``first`` is not a later one. Or, if ``reader`` is None, it leads from ``first`` to
    ``second`` itself.
    """

    first: int
    second: int
    key: int
    path: tuple[Dependency, ...]
    reader: int | None = None

    @property
    def order(self) -> Choice:
        """The order that is derived."""
        return self.first, self.second, self.key


@dataclass(frozen=True, slots=True)
class Violation:
    """A forbidden cycle, and the derivations that it rests on, each after those that it needs."""

    cycle: tuple[Dependency, ...]
    derivations: tuple[Derivation, ...] = ()


def derive(graph: Constraints, cycle: Sequence[Dependency]) -> tuple[Derivation, ...]:
    """The derivations of the inferred edges on a cycle, each after those that it needs."""
    if not any(edge.inferred for edge in cycle):
        return ()
    return tuple(_Deriver(graph).derive(cycle))


def path_of_facts(graph: Constraints, first: int, second: int) -> tuple[Dependency, ...]:
    """A shortest path between two transactions, of edges that were there before inference.

    Raises ``AssertionError`` if there is none.
    """
    deriver = _Deriver(graph)
    deriver.until = NO_LIMIT
    allowed = deriver.is_fact(graph.stages[0])
    path = deriver.path(graph.commit(first), {graph.begin(second)}, allowed)
    assert path is not None, "no path between the two"
    return path[1]


class _Deriver:
    def __init__(self, graph: Constraints) -> None:
        self.graph = graph
        self.until = time.monotonic() + MOST_SECONDS
        self.place = {code: place for place, code in enumerate(graph.edges)}

    def derive(self, cycle: Sequence[Dependency]) -> Iterator[Derivation]:
        done: set[Choice] = set()
        stack: list[tuple[Choice, int, Derivation | None]] = [
            (order, bound, None) for order, bound in self._inferred(cycle)
        ]
        while stack:
            order, bound, derivation = stack.pop()
            if order in done:
                continue
            if derivation is not None:
                done.add(order)
                yield derivation
                continue
            if time.monotonic() > self.until:
                return
            derivation = self._derivation(order, bound)
            if derivation is None:
                return
            stack.append((order, bound, derivation))
            stack += [(needed, at, None) for needed, at in self._inferred(derivation.path)]

    def _inferred(self, edges: Iterable[Dependency]) -> Iterator[tuple[Choice, int]]:
        """The inferred orders behind edges, each with the number of edges that came before it."""
        stages = self.graph.stages
        for edge in edges:
            if not edge.inferred or edge.key is None:
                continue
            place = self.place.get(self._code(edge), -1)
            stage = bisect_right(stages, place) - 1
            if place < 0 or stage < 0:
                continue
            bound = stages[stage]
            if edge.kind == "ww":
                yield (edge.source, edge.target, edge.key), bound
            for key, writer in self.graph.seen.reads[edge.source]:
                if edge.kind == "rw" and key == edge.key:
                    yield (writer, edge.target, key), bound

    def _code(self, edge: Dependency) -> int:
        graph = self.graph
        start = (graph.begin if edge.kind == "rw" else graph.commit)(edge.source)
        ends = {"rw": graph.commit, "ww": graph.replacing}
        end = ends.get(edge.kind, graph.begin)(edge.target)
        return start * graph.size + end

    def _derivation(self, order: Choice, bound: int) -> Derivation | None:
        """The derivation from the first ``bound`` edges, without inferred ones if that can be."""
        graph = self.graph
        first, second, key = order
        readers = {graph.begin(r): r for r in graph.readers.get((key, second), ()) if r != first}
        for allowed in (self.is_fact(bound), self._is_before(bound)):
            path = self.path(graph.commit(first), set(readers), allowed)
            if path is not None:
                return Derivation(*order, path[1], readers[path[0]])
            if graph.wr_only:
                continue
            path = self.path(graph.writing(first), {graph.commit(second)}, allowed)
            if path is not None:
                return Derivation(*order, path[1])
        return None

    def _is_before(self, bound: int) -> Callable[[int], bool]:
        place = self.place
        return lambda code: place[code] < bound

    def is_fact(self, bound: int) -> Callable[[int], bool]:
        place, edges = self.place, self.graph.edges
        return lambda code: place[code] < bound and not edges[code].inferred

    def path(
        self, start: int, ends: set[int], allowed: Callable[[int], bool]
    ) -> tuple[int, tuple[Dependency, ...]] | None:
        """The end of a shortest path of allowed edges to one of the ends, and its edges.

        The search goes forward from the start and backward from the ends, by turns.
        """
        if not ends:
            return None
        graph = self.graph
        came: dict[int, int] = {start: start}
        goes: dict[int, int] = {end: end for end in ends}
        forward, backward = [start], list(ends)
        if start in goes:
            return start, ()
        while forward and backward:
            if time.monotonic() > self.until:
                return None
            ahead = len(forward) <= len(backward)
            nexts: list[int] = []
            for node in forward if ahead else backward:
                for other in graph.after[node] if ahead else graph.before[node]:
                    start_, end_ = (node, other) if ahead else (other, node)
                    if other in (came if ahead else goes) or not self._open(start_, end_, allowed):
                        continue
                    (came if ahead else goes)[other] = node
                    if other in (goes if ahead else came):
                        return self._joined(other, came, goes)
                    nexts.append(other)
            if ahead:
                forward = nexts
            else:
                backward = nexts
        return None

    def _open(self, start: int, end: int, allowed: Callable[[int], bool]) -> bool:
        code = start * self.graph.size + end
        # The arc from a begin to its own commit has no edge behind it.
        return code not in self.place or allowed(code)

    def _joined(
        self, middle: int, came: dict[int, int], goes: dict[int, int]
    ) -> tuple[int, tuple[Dependency, ...]]:
        nodes = [middle]
        while came[nodes[-1]] != nodes[-1]:
            nodes.append(came[nodes[-1]])
        nodes.reverse()
        while goes[nodes[-1]] != nodes[-1]:
            nodes.append(goes[nodes[-1]])
        edges = (edge for a, b in pairwise(nodes) if (edge := self.graph.edge(a, b)) is not None)
        return nodes[-1], tuple(edges)
