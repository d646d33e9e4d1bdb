"""Case distinctions: the proof that every order of the versions closes a cycle.

Some violations do not follow from any single order. Then some pair of writers of one key is
ordered one way and the other way in turn, and each way leads to a cycle, or to another pair.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from checker.recorded.dependency import Dependency
from checker.recorded.explanation.facts import Choice
from checker.recorded.version_order.constraints import Constraints

MOST_CASES = 60
"""Cases up to which a proof is kept; a longer one helps nobody."""
MOST_TRIES = 20_000
"""Choices tried before the search for a short proof is given up."""


@dataclass(frozen=True, slots=True)
class Split:
    """A pair of writers: the proof for one order of their versions, and for the other order.

    A proof is a cycle, or another split.
    """

    choice: Choice
    one: Proof
    other: Proof


Proof = tuple[Dependency, ...] | Split


def opposite(choice: Choice) -> Choice:
    """The other order of the same two versions."""
    return choice[1], choice[0], choice[2]


def cycles_of(proof: Proof) -> Iterable[tuple[Dependency, ...]]:
    """The cycles at the leaves of a proof."""
    if isinstance(proof, Split):
        yield from cycles_of(proof.one)
        yield from cycles_of(proof.other)
    else:
        yield proof


def choices_of(proof: Proof) -> Iterable[Choice]:
    """Every order that is assumed somewhere in a proof."""
    if isinstance(proof, Split):
        yield proof.choice
        yield opposite(proof.choice)
        yield from choices_of(proof.one)
        yield from choices_of(proof.other)


def split(graph: Constraints, involved: Collection[int]) -> Split | None:
    """A proof over the transactions named; None if it would be too long."""
    try:
        proof = _Splitter(graph, involved).prove({}, _pairs(graph, set(involved)))[0]
    except _TooLong:
        return None
    return proof if isinstance(proof, Split) else None


def _pairs(graph: Constraints, involved: set[int]) -> list[Choice]:
    return [
        (first, second, key)
        for key, writers in enumerate(graph.seen.writers)
        for first, second in itertools.combinations(involved.intersection(writers), 2)
        if (first, second, key) not in graph.ordered and (second, first, key) not in graph.ordered
    ]


class _TooLong(Exception):
    """The proof has too many cases, or the search for it took too long."""


Arcs = Mapping[int, Mapping[int, tuple[Dependency, Choice]]]
"""The arcs that are there by choice: start, end, the dependency and the choice behind it."""


class _Splitter:
    def __init__(self, graph: Constraints, involved: Collection[int]) -> None:
        self.graph = graph
        self.nodes = {node for t in involved for node in (graph.begin(t), graph.commit(t))}
        self.after = {
            node: [other for other in graph.after[node] if other in self.nodes]
            for node in self.nodes
        }
        self.cases = 0
        self.tries = 0

    def prove(self, arcs: Arcs, pairs: list[Choice]) -> tuple[Proof, set[Choice]]:
        """A proof under the choices made so far, and those of them that it uses."""
        best: tuple[Choice, tuple[Proof, set[Choice]]] | None = None
        for pair in pairs:
            for choice in (pair, opposite(pair)):
                closed = self._cycle(arcs, choice)
                if closed is None:
                    continue
                if choice not in closed[1]:
                    return closed
                back = self._cycle(arcs, opposite(choice))
                if back is not None:
                    return self._joined(choice, closed, back)
                best = best or (choice, closed)
        if best is not None:
            choice, closed = best
        else:
            if not pairs:
                raise _TooLong
            choice = pairs[0]
            closed = self.prove(self._with(arcs, choice), _without(pairs, choice))
        if choice not in closed[1]:
            return closed
        back = self.prove(self._with(arcs, opposite(choice)), _without(pairs, choice))
        return self._joined(choice, closed, back)

    def _joined(
        self,
        choice: Choice,
        one: tuple[Proof, set[Choice]],
        other: tuple[Proof, set[Choice]],
    ) -> tuple[Proof, set[Choice]]:
        if opposite(choice) not in other[1]:
            return other
        self.cases += 1
        if self.cases > MOST_CASES:
            raise _TooLong
        used = one[1] | other[1] - {opposite(choice)}
        return Split(choice, one[0], other[0]), used - {choice}

    def _with(self, arcs: Arcs, choice: Choice) -> Arcs:
        result = {start: dict(ends) for start, ends in arcs.items()}
        for start, end, edge in self.graph.edges_of_order(*choice):
            if start in self.nodes and end in self.nodes:
                result.setdefault(start, {}).setdefault(end, (edge, choice))
        return result

    def _cycle(self, arcs: Arcs, choice: Choice) -> tuple[Proof, set[Choice]] | None:
        """A shortest cycle that a choice closes, with the choices on it."""
        self.tries += 1
        if self.tries > MOST_TRIES:
            raise _TooLong
        best: tuple[Proof, set[Choice]] | None = None
        for start, end, edge in self.graph.edges_of_order(*choice):
            if start not in self.nodes or end not in self.nodes:
                continue
            path = self._path(arcs, end, start)
            if path is not None and (best is None or len(path[0]) + 1 < len(best[0])):  # type: ignore[arg-type]
                best = (edge, *path[0]), path[1] | {choice}
        return best

    def _path(
        self, arcs: Arcs, start: int, end: int
    ) -> tuple[tuple[Dependency, ...], set[Choice]] | None:
        came = {start: start}
        queue = deque([start])
        while queue and end not in came:
            node = queue.popleft()
            for other in (*self.after[node], *arcs.get(node, ())):
                if other not in came:
                    came[other] = node
                    queue.append(other)
        if end not in came:
            return None
        edges: list[Dependency] = []
        used: set[Choice] = set()
        node = end
        while node != start:
            before = came[node]
            edge = self.graph.edge(before, node)
            if edge is None and node in arcs.get(before, {}) and node not in self.after[before]:
                edge, choice = arcs[before][node]
                used.add(choice)
            if edge is not None:
                edges.append(edge)
            node = before
        return tuple(reversed(edges)), used


def _without(pairs: list[Choice], choice: Choice) -> list[Choice]:
    return [pair for pair in pairs if pair not in (choice, opposite(choice))]
