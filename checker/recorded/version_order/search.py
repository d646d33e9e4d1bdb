"""The search for the orders that inference leaves open: decide, test at once, learn, go back.

Each pair of writers of one key whose order is open is a choice. Choices are made one by one, and
the edges of each go into the graph at once, whose topological order is kept up (Pearce and Kelly,
"A dynamic topological sort algorithm for directed acyclic graphs", JEA 2006). An edge that would
close a cycle names the choices on that cycle: they forbid this one. Where both orders of a pair
are forbidden, the latest choice among the reasons is taken back alone and forbidden in its turn;
the others stay (Ginsberg, "Dynamic backtracking", JAIR 1993).
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterable

from checker.recorded.dependency import Dependency
from checker.recorded.version_order.completion import Decision
from checker.recorded.version_order.constraints import Constraints

Choice = tuple[int, int, int]
"""(first writer, second writer, key): the first one's version precedes the second one's."""

Reason = frozenset[Choice]
"""Choices that cannot all stand together with another one."""

MOST_CONFLICTS = 30_000
"""Choices taken back before the search is given up to z3."""


class OrderSearch:
    """The search over one graph, which must be acyclic as it stands."""

    def __init__(self, graph: Constraints, order: list[int], pairs: Iterable[Choice]) -> None:
        self.graph = graph
        self.place = [0] * graph.size
        for place, node in enumerate(order):
            self.place[node] = place
        self.after = [list(others) for others in graph.after]
        self.before = [list(others) for others in graph.before]
        self.chosen: dict[Choice, int] = {}
        self.support: dict[int, list[Choice]] = {}
        self.forbidden: dict[Choice, Reason] = {}
        self.cycle: tuple[Dependency, ...] = ()
        self.conflicts = 0
        self.involved: set[int] = set()
        """The transactions on the cycles met so far."""
        self.clock = 0
        # Taken from the end: first the versions with many readers, which decide most.
        self.open = sorted(pairs, key=self._weight)

    def run(self, deadline: float) -> Decision | None:
        """Decides every pair; None where the time or the patience was over."""
        while self.open:
            pair = self.open[-1]
            if time.monotonic() > deadline:
                return None
            self.clock += 1
            if self._decide(pair):
                self.open.pop()
                continue
            first, second = self._preferred(pair)
            reasons = self.forbidden[first] | self.forbidden[second]
            if not reasons:
                return Decision(
                    "violated", cycle=self.cycle, choices=True, involved=tuple(self.involved)
                )
            self.conflicts += 1
            if self.conflicts > MOST_CONFLICTS:
                return None
            culprit = max(reasons, key=self.chosen.__getitem__)
            self._take_back(culprit)
            self.forbidden[culprit] = reasons - {culprit}
            # The pair in whose way it stood comes first, then the culprit's other order.
            self.open.insert(len(self.open) - 1, culprit)
        return Decision("holds", order=tuple(self.order()))

    def order(self) -> list[int]:
        """The nodes in the topological order of the graph with the choices so far."""
        return sorted(range(self.graph.size), key=self.place.__getitem__)

    def _weight(self, pair: Choice) -> tuple[int, int, int]:
        first, second, key = pair
        readers, commit = self.graph.readers, self.graph.commit
        one, other = len(readers.get((key, first), ())), len(readers.get((key, second), ()))
        last = max(self.place[commit(first)], self.place[commit(second)])
        return one * other, one + other, -last

    def _preferred(self, pair: Choice) -> tuple[Choice, Choice]:
        """The two orders of a pair, first the one that less of the present order speaks against."""
        other = pair[1], pair[0], pair[2]
        return (pair, other) if self._against(pair) <= self._against(other) else (other, pair)

    def _against(self, choice: Choice) -> float:
        first, second, key = choice
        graph, place = self.graph, self.place
        begin, commit = graph.begin, graph.commit
        end = place[commit(second)]
        against = float(place[commit(first)] > place[begin(second)])
        readers = graph.readers.get((key, first), ())
        against += sum(place[begin(r)] > end for r in readers if r != second)
        return against / (1 + len(readers))

    def _decide(self, pair: Choice) -> bool:
        """Chooses one of the two orders; False where both are forbidden."""
        for choice in self._preferred(pair):
            reason = self.forbidden.get(choice)
            if reason is not None and all(other in self.chosen for other in reason):
                continue
            conflict = self._choose(choice)
            if conflict is None:
                return True
            self.forbidden[choice] = conflict
        return False

    def _choose(self, choice: Choice) -> Reason | None:
        """Adds the edges of a choice; the reason why that cannot be, where it cannot."""
        size = self.graph.size
        added: list[int] = []
        for start, end, edge in self.graph.edges_of_order(*choice):
            code = start * size + end
            if code in self.graph.edges:
                continue
            supporting = self.support.get(code)
            if supporting is not None:
                supporting.append(choice)
                added.append(code)
                continue
            if self.place[start] > self.place[end] or start == end:
                path = self._reorder(start, end)
                if path is not None:
                    self._drop(choice, added)
                    return self._reason(path, edge)
            self.support[code] = [choice]
            self.after[start].append(end)
            self.before[end].append(start)
            added.append(code)
        self.clock += 1
        self.chosen[choice] = self.clock
        return None

    def _reason(self, path: list[int], closing: Dependency) -> Reason:
        """The choices on a cycle: a path, and the edge that leads from its end to its start."""
        size = self.graph.size
        self.involved.update(map(self.graph.transaction, path))
        reasons = set()
        cycle = []
        for start, end in itertools.pairwise(path):
            code = start * size + end
            edge = self.graph.edges.get(code)
            if edge is None and code in self.support:
                choice = self.support[code][0]
                reasons.add(choice)
                edges = self.graph.edges_of_order(*choice)
                edge = next(e for s, t, e in edges if (s, t) == (start, end))
            if edge is not None:
                cycle.append(edge)
        cycle.append(closing)
        if not self.cycle or len(cycle) < len(self.cycle):
            self.cycle = tuple(cycle)
        return frozenset(reasons)

    def _take_back(self, choice: Choice) -> None:
        del self.chosen[choice]
        size = self.graph.size
        self._drop(
            choice,
            [
                start * size + end
                for start, end, _ in self.graph.edges_of_order(*choice)
                if start * size + end not in self.graph.edges
            ],
        )

    def _drop(self, choice: Choice, codes: Iterable[int]) -> None:
        size = self.graph.size
        for code in codes:
            supporting = self.support[code]
            supporting.remove(choice)
            if not supporting:
                del self.support[code]
                start, end = divmod(code, size)
                self.after[start].remove(end)
                self.before[end].remove(start)

    def _reorder(self, start: int, end: int) -> list[int] | None:
        """Makes room for an edge against the order; the path from its end to its start, if any."""
        place, after, before = self.place, self.after, self.before
        low, high = place[end], place[start]
        parent = {end: end}
        forward = [end]
        for node in forward:
            if node == start:
                break
            for other in after[node]:
                if place[other] <= high and other not in parent:
                    parent[other] = node
                    forward.append(other)
        if start in parent:
            path = [start]
            while path[-1] != end:
                path.append(parent[path[-1]])
            return path[::-1]
        seen = {start}
        backward = [start]
        for node in backward:
            for other in before[node]:
                if place[other] >= low and other not in seen:
                    seen.add(other)
                    backward.append(other)
        forward.sort(key=place.__getitem__)
        backward.sort(key=place.__getitem__)
        moved = backward + forward
        for free, node in zip(sorted(place[node] for node in moved), moved, strict=True):
            place[node] = free
        return None
