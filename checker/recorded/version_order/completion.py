"""The search for an order of the versions that was not inferred: guess, test, learn.

The guess gives every key a whole order of its writers. When the graph of that order has cycles,
each cycle says of some pairs of writers that they cannot all be ordered as guessed; z3 gets that
as a clause over those pairs alone and answers with other orders for them, or that there are none.
Pairs that no cycle ever touched are never handed to z3.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from checker.recorded.dependency import Dependency
from checker.recorded.version_order.constraints import Constraints
from checker.recorded.version_order.cycles import core, cycle_through, topological, topological_by

MOST_CYCLES = 40
"""Cycles learned from one guess."""


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether some order of the versions makes the graph acyclic.

    ``order`` is the topological order that shows it; ``cycle`` is a cycle that every order has,
    or (``choices`` True) that one order has where all have some. Then ``involved`` are the
    transactions on all of these cycles. ``why`` belongs to unknown.
    """

    verdict: Literal["holds", "violated", "unknown"]
    order: tuple[int, ...] = ()
    cycle: tuple[Dependency, ...] = ()
    choices: bool = False
    involved: tuple[int, ...] = ()
    why: str | None = None


Literals = frozenset[tuple[int, int, int]]


class Completion:
    """The search over one graph, which must be acyclic as it stands."""

    def __init__(self, graph: Constraints, guess: list[int]) -> None:
        self.graph = graph
        self.rank = self._rank(guess)
        self.variables: dict[tuple[int, int, int], Any] = {}
        self.decided: Literals = frozenset()
        self.clauses = 0
        self.solver: Any = None

    def _rank(self, guess: list[int]) -> list[int]:
        rank = [self.graph.size] * self.graph.size
        for place, node in enumerate(guess):
            rank[node] = place
        return rank

    def tested(self) -> Decision | None:
        """Whether the guess itself is an order that makes the graph acyclic."""
        graph = self.graph
        after = [list(others) for others in graph.after]
        for first, second, key in self._consecutive():
            after[graph.commit(first)].append(graph.replacing(second))
            end = graph.commit(second)
            for reader in graph.readers.get((key, first), ()):
                if reader != second:
                    after[graph.begin(reader)].append(end)
        order = topological(after)
        return Decision("holds", order=tuple(order)) if len(order) == graph.size else None

    def _consecutive(self) -> Iterator[tuple[int, int, int]]:
        """The writers of each key, in the order of the guess, that follow each other."""
        rank, commit = self.rank, self.graph.commit
        for key, writers in enumerate(self.graph.seen.writers):
            if len(writers) > 1:
                line = sorted(writers, key=lambda writer: rank[commit(writer)])
                for first, second in itertools.pairwise(line):
                    yield first, second, key

    def run(self, deadline: float) -> Decision:
        """Searches until an order is found, none is left, or the time is over."""
        rounds = 0
        cycle: list[Dependency] = []
        involved: set[int] = set()
        while True:
            rounds += 1
            after, choices = self._guessed()
            order = topological(after)
            if len(order) == self.graph.size:
                return Decision("holds", order=tuple(order))
            for nodes in self._cycles(after, order):
                steps = list(zip(nodes, (*nodes[1:], nodes[0]), strict=True))
                edges = [e for a, b in steps if (e := self._edge(a, b, choices)) is not None]
                literals = frozenset(choices[s][1] for s in steps if s in choices)
                if not cycle or len(edges) <= len(cycle):
                    cycle = edges
                if not literals:
                    return Decision("violated", cycle=tuple(edges))
                self._learn(literals)
                involved.update(map(self.graph.transaction, nodes))
            answer = self._solve(deadline)
            if answer == "unsat":
                return Decision(
                    "violated", cycle=tuple(cycle), choices=True, involved=tuple(involved)
                )
            if answer != "sat" or time.monotonic() > deadline:
                why = (
                    f"inference, a search of the pairs it left open, then {rounds} guesses with "
                    f"{self.clauses} clauses over {len(self.variables)} pairs of writers for z3: "
                    "the time was over before either answer"
                )
                return Decision("unknown", why=why)

    def _edge(
        self, start: int, end: int, choices: dict[tuple[int, int], tuple[Dependency, Any]]
    ) -> Dependency | None:
        chosen = choices.get((start, end))
        return self.graph.edge(start, end) if chosen is None else chosen[0]

    def _guessed(
        self,
    ) -> tuple[list[list[int]], dict[tuple[int, int], tuple[Dependency, tuple[int, int, int]]]]:
        """The graph with the guessed orders, and the arcs that are there by choice alone."""
        graph = self.graph
        after = [list(others) for others in graph.after]
        choices: dict[tuple[int, int], tuple[Dependency, tuple[int, int, int]]] = {}

        def add(pair: tuple[int, int, int]) -> None:
            if pair in graph.ordered:
                return
            for start, end, edge in graph.edges_of_order(*pair):
                if graph.edge(start, end) is None and (start, end) not in choices:
                    choices[start, end] = (edge, pair)
                    after[start].append(end)

        for pair in self.decided:
            add(pair)
        if self.decided:
            order = topological_by(after, self.rank)
            if len(order) < graph.size:
                return after, choices
            self.rank = self._rank(order)
        for pair in self._consecutive():
            add(pair)
        return after, choices

    def _cycles(self, after: list[list[int]], order: list[int]) -> list[list[int]]:
        """Short cycles that share no node."""
        left = core(after, order)
        cycles: list[list[int]] = []
        for start in list(left):
            if len(cycles) >= MOST_CYCLES:
                break
            if cycles and time.monotonic() > self.graph.deadline:
                break
            if start not in left:
                continue
            cycle = cycle_through(left, start, pairs=self.graph.split)
            if cycle:
                cycles.append(cycle)
                for node in cycle:
                    left.pop(node, None)
        return cycles

    def _learn(self, literals: Literals) -> None:
        import z3

        if self.solver is None:
            self.solver = z3.Solver()
        self.solver.add(z3.Or([z3.Not(self._literal(pair)) for pair in literals]))
        self.clauses += 1

    def _literal(self, pair: tuple[int, int, int]) -> Any:
        import z3

        first, second, key = pair
        forward = first < second
        name = (first, second, key) if forward else (second, first, key)
        if name not in self.variables:
            self.variables[name] = z3.Bool("{}<{} at {}".format(*name))
        variable = self.variables[name]
        return variable if forward else z3.Not(variable)

    def _solve(self, deadline: float) -> str:
        import z3

        left = deadline - time.monotonic()
        if left <= 0:
            return "unknown"
        self.solver.set("timeout", max(1, int(left * 1000)))
        answer = str(self.solver.check())
        if answer == "sat":
            model = self.solver.model()
            decided = set()
            for (low, high, key), variable in self.variables.items():
                value = model.eval(variable)
                if z3.is_true(value):
                    decided.add((low, high, key))
                elif z3.is_false(value):
                    decided.add((high, low, key))
            self.decided = frozenset(decided)
        return answer
