"""The order of the versions, as far as it follows from the reads (saturation).

Two writers of a key whose order is open stay open only while both orders are possible:

- when the first one's begin precedes the second one's commit, the second cannot come first
  (where writers may overlap: when its commit does);
- when a writer precedes a reader that read another writer's version, it wrote before that one.

Each order that follows brings edges of its own, so this is repeated until nothing follows. It is
the rule of Biswas and Enea ("On the Complexity of Checking Transactional Consistency", OOPSLA
2019) and of Cobra (OSDI 2020), with reachability from ``reachability``. A cycle afterwards is a
proof of a violation; the absence of one does not prove the contrary.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import combinations

import numpy as np

from checker.recorded.dependency import Dependency
from checker.recorded.observations import INIT
from checker.recorded.version_order.constraints import Constraints
from checker.recorded.version_order.cycles import topological
from checker.recorded.version_order.frontiers import Frontiers
from checker.recorded.version_order.reachability import Array, Bits, Clocks
from checker.recorded.version_order.time_limit import in_time

WINDOW = 100
"""Writers of one key that are reduced at once."""
CHUNK = 20_000_000
"""Questions asked of the reachability at once."""


class Inference:
    """Adds to a graph of constraints every order that follows from it."""

    def __init__(self, graph: Constraints) -> None:
        self.graph = graph
        self.reach: Clocks | Bits | None = self._reachability()
        self.rounds = 0
        seen = graph.seen
        self.open = [key for key, writers in enumerate(seen.writers) if len(writers) > 1]
        self.writers = {key: np.array(seen.writers[key]) for key in self.open}
        self.frontiers: Frontiers | None = None
        self.reads: dict[int, tuple[Array, Array]] = {}
        if isinstance(self.reach, Clocks):
            self.frontiers = Frontiers(graph, self.reach)
        else:
            self.reads = {key: self._reads_of(key) for key in self.open}

    def _reachability(self) -> Clocks | Bits | None:
        graph = self.graph
        if graph.sessions and Clocks.pays(graph.size, len(graph.chains)):
            chain = np.zeros(graph.size, dtype=np.int64)
            place = np.zeros(graph.size, dtype=np.int32)
            for number, members in enumerate(graph.chains.values()):
                nodes = [
                    n for t in members for n in dict.fromkeys((graph.begin(t), graph.commit(t)))
                ]
                chain[nodes] = number
                place[nodes] = np.arange(len(nodes))
            return Clocks(chain, place)
        return Bits() if Bits.fits(graph.size) else None

    def _reads_of(self, key: int) -> tuple[Array, Array]:
        """The readers of a key, and the place of each one's writer among the key's writers."""
        place = {writer: i for i, writer in enumerate(self.writers[key].tolist())}
        place[INIT] = -1
        pairs = [
            (reader, at)
            for writer, at in place.items()
            for reader in self.graph.readers.get((key, writer), ())
        ]
        columns = np.array(pairs, dtype=np.int64).reshape(-1, 2)
        return columns[:, 0], columns[:, 1]

    def run(self, deadline: float) -> list[int]:
        """Adds the orders that follow until none does; returns the last topological order.

        The order is shorter than the graph where the graph has become cyclic.
        """
        graph = self.graph
        order = topological(graph.after, graph.before)
        while len(order) == graph.size and self.reach is not None and time.monotonic() < deadline:
            self.rounds += 1
            if not self.advance(order):
                break
            order = topological(graph.after, graph.before)
        if self.frontiers is not None and self.rounds:
            self.open = self.frontiers.incomplete()
        return order

    def advance(self, order: list[int]) -> int:
        """One round, along a topological order: how many orders are new."""
        if self.reach is None:
            raise AssertionError("without reachability nothing is inferred")
        self.graph.stages.append(len(self.graph.edges))
        self.reach.update(order, self.graph.before, self.graph.deadline)
        if self.frontiers is not None:
            return self.frontiers.advance(order)
        still_open, news = [], 0
        for key in self.open:
            in_time(self.graph.deadline)
            added, complete = self._key(key)
            news += added
            if not complete:
                still_open.append(key)
        self.open = still_open
        return news

    def _key(self, key: int) -> tuple[int, bool]:
        """The orders that follow for one key: how many are new, and whether none is missing."""
        graph, reach = self.graph, self.reach
        if reach is None:
            raise AssertionError("without reachability nothing is inferred")
        writers = self.writers[key]
        starts, commits = self._starts(writers), self._nodes(writers)[1]
        size = len(writers)
        if graph.wr_only:
            before = np.zeros((size, size), dtype=bool)
        else:
            before = reach.reaches(starts[:, None], commits[None, :])
            np.fill_diagonal(before, False)
        added = self._from_reads(key, before)
        both = before & before.T
        if both.any():
            first, second = np.nonzero(np.triu(both))
            for a, b in zip(writers[first].tolist(), writers[second].tolist(), strict=True):
                added += graph.order(a, b, key) + graph.order(b, a, key)
            return added, False
        complete = int(before.sum()) == size * (size - 1) // 2
        first, second = np.nonzero(self._reduced(before))
        for a, b in zip(writers[first].tolist(), writers[second].tolist(), strict=True):
            added += graph.order(a, b, key)
        return added, complete and not graph.wr_only

    def open_pairs(self) -> Iterator[tuple[int, int, int]]:
        """The pairs of writers, with their key, whose order did not follow from anything."""
        reach = self.reach if self.rounds else None
        for key in self.open:
            in_time(self.graph.deadline)
            writers = self.writers[key]
            if reach is None:
                yield from ((a, b, key) for a, b in combinations(writers.tolist(), 2))
                continue
            starts, commits = self._starts(writers), self._nodes(writers)[1]
            before = reach.reaches(starts[:, None], commits[None, :])
            first, second = np.nonzero(np.triu(~(before | before.T), 1))
            for a, b in zip(writers[first].tolist(), writers[second].tolist(), strict=True):
                yield a, b, key

    def is_open(self, first: Array, second: Array) -> Array:
        """Whether neither order of two writers of one key follows, for each pair."""
        if self.reach is None:
            raise AssertionError("without reachability nothing is inferred")
        one, other = self._starts(first), self._starts(second)
        before = self.reach.reaches(one, self._nodes(second)[1])
        before |= self.reach.reaches(other, self._nodes(first)[1])
        return ~before

    def _nodes(self, transactions: Array) -> tuple[Array, Array]:
        if self.graph.split:
            return 2 * transactions, 2 * transactions + 1
        return transactions, transactions

    def _starts(self, writers: Array) -> Array:
        """The nodes that precede the commits of later writers of the same key."""
        return self._nodes(writers)[0 if self.graph.conflicts else 1]

    def _from_reads(self, key: int, before: Array) -> int:
        """Writers that precede a reader wrote before the version that it read."""
        graph, reach = self.graph, self.reach
        if reach is None:
            raise AssertionError("without reachability nothing is inferred")
        writers = self.writers[key]
        readers, sources = self.reads[key]
        commits = self._nodes(writers)[1]
        added = 0
        step = max(1, CHUNK // len(writers))
        for start in range(0, len(readers), step):
            in_time(graph.deadline)
            some, their = readers[start : start + step], sources[start : start + step]
            begins = self._nodes(some)[0]
            seen = reach.reaches(commits[None, :], begins[:, None])
            seen &= writers[None, :] != some[:, None]
            written = their >= 0
            seen[np.nonzero(written)[0], their[written]] = False
            row, column = np.nonzero(seen)
            source = their[row]
            before[column[source >= 0], source[source >= 0]] = True
            for reader, writer in zip(some[row[source < 0]], column[source < 0], strict=True):
                added += graph.precede(Dependency(int(reader), int(writers[writer]), "rw", key))
        return added

    def _reduced(self, before: Array) -> Array:
        """The order without pairs that follow from others of it, as far as it pays."""
        size = len(before)
        if size < 3:
            return before
        # Along the order, whatever lies between two writers lies close to the first one.
        line = np.argsort(before.sum(axis=0), kind="stable")
        sorted_ = before[np.ix_(line, line)]
        numbers = sorted_.astype(np.float32)
        for start in range(0, size, WINDOW):
            rows, window = slice(start, start + WINDOW), slice(start, start + 3 * WINDOW)
            sorted_[rows] &= ~((numbers[rows, window] @ numbers[window]) > 0)
        reduced = np.zeros_like(before)
        reduced[np.ix_(line, line)] = sorted_
        return reduced
