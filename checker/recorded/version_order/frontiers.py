"""One round of inference for all keys at once, where sessions give chains of writers.

Of the writers of a key in one session each precedes the next. So all writers that precede a
version are known by the last one of each session, its *frontier*: one number for each version and
session, in place of one bit for each pair of writers. The rules are those of ``inference``.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from checker.recorded.dependency import Dependency
from checker.recorded.observations import INIT
from checker.recorded.version_order.constraints import Constraints
from checker.recorded.version_order.reachability import Array, Clocks
from checker.recorded.version_order.time_limit import in_time

NOBODY = -1
"""The frontier of a session that no preceding writer belongs to."""


class Frontiers:
    """The versions of all keys with several writers, sorted by key, session and program order.

    A version is a place in that order. ``of[v, s]`` is the last version of the same key in session
    ``s`` that precedes ``v``, or ``NOBODY``.
    """

    def __init__(self, graph: Constraints, clocks: Clocks) -> None:
        self.graph, self.clocks = graph, clocks
        writers = graph.seen.writers
        lengths = np.array([len(line) if len(line) > 1 else 0 for line in writers], dtype=np.int64)
        writer = np.fromiter(
            itertools.chain.from_iterable(line for line in writers if len(line) > 1),
            dtype=np.int64,
            count=int(lengths.sum()),
        )
        key = np.repeat(np.arange(len(writers)), lengths)
        self.places = int(clocks.place.max(initial=0)) + 2
        codes = self._codes(
            key, clocks.chain[self._commit(writer)], clocks.place[writer * self._per]
        )
        order = np.argsort(codes)
        self.begin_codes = codes[order]
        self.commit_codes = self.begin_codes + (self._per - 1)
        self.writer, self.key = writer[order], key[order]
        self.chain = clocks.chain[self._commit(self.writer)]
        self.size = len(self.writer)
        self.versions = np.arange(self.size)
        self.of = np.full((self.size, clocks.chains), NOBODY, dtype=np.int32)
        self.added = np.full_like(self.of, NOBODY)
        self._collect_reads(lengths > 0)

    @property
    def _per(self) -> int:
        return 2 if self.graph.split else 1

    def _commit(self, transactions: Array) -> Array:
        result: Array = transactions * self._per + (self._per - 1)
        return result

    def _codes(self, key: Array, chain: Array | int, place: Array | int) -> Array:
        result: Array = (key * self.clocks.chains + chain) * self.places + place
        return result

    def _collect_reads(self, several: Array) -> None:
        """The reads of these keys, sorted by the version read; those of initial ones first."""
        reads = self.graph.seen.reads
        lengths = np.fromiter(map(len, reads), dtype=np.int64, count=len(reads))
        flat = np.fromiter(
            (number for pairs in reads for pair in pairs for number in pair),
            dtype=np.int64,
            count=2 * int(lengths.sum()),
        ).reshape(-1, 2)
        reader = np.repeat(np.arange(len(reads)), lengths)
        kept = several[flat[:, 0]]
        reader, key, source = reader[kept], flat[kept, 0], flat[kept, 1]
        chain = self.clocks.chain[source * self._per]
        place = self.clocks.place[source * self._per]
        version = np.searchsorted(self.begin_codes, self._codes(key, chain, place))
        version[source == INIT] = NOBODY
        order = np.argsort(version, kind="stable")
        self.reader, self.read_key, self.read = reader[order], key[order], version[order]
        self.initial = int(np.searchsorted(self.read, 0))

    def _last(self, codes: Array, key: Array, chain: int, clock: Array) -> Array:
        """The last version of each key in a session that lies before a clock, or ``NOBODY``."""
        first = self._codes(key, chain, 0)
        last = np.searchsorted(codes, first + clock) - 1
        last[(last < 0) | (codes[last] < first)] = NOBODY
        return last

    def advance(self, order: list[int]) -> int:
        """Adds the orders that follow from reachability to the graph; returns how many are new."""
        if not self.size:
            return 0
        added = sum([self.graph.precede(edge) for edge in self._update()])
        rank = np.empty(self.graph.size, dtype=np.int32)
        rank[order] = np.arange(len(order), dtype=np.int32)
        version, chain = np.nonzero(self._needed(rank[self._commit(self.writer)]))
        frontier = self.of[version, chain]
        # The orders left out follow from those added, now and later.
        np.copyto(self.added, self.of)
        first, second = self.writer[frontier].tolist(), self.writer[version].tolist()
        order_of = self.graph.order
        for a, b, key in zip(first, second, self.key[version].tolist(), strict=True):
            added += order_of(a, b, key)
        return added

    def _update(self) -> Iterator[Dependency]:
        """Moves the frontiers forward; yields the edges of initial reads that came too late."""
        seen, place = self.clocks.seen, self.clocks.place
        commits, begins = self._commit(self.writer), self.reader * self._per
        codes = self.begin_codes if self.graph.conflicts else self.commit_codes
        home = self.clocks.chain[begins]
        starts = np.flatnonzero(np.diff(self.read[self.initial :], prepend=NOBODY))
        for chain in range(self.clocks.chains):
            in_time(self.graph.deadline)
            here = self.of[:, chain]
            if not self.graph.wr_only:
                clock = seen[commits, chain]
                # A version does not precede itself, nor do those behind it in its session.
                own = self.chain == chain
                clock[own] = place[self.writer[own] * self._per]
                np.maximum(here, self._last(codes, self.key, chain, clock), out=here)
            clock = seen[begins, chain]
            clock[home == chain] = place[begins[home == chain]]
            last = self._last(self.commit_codes, self.read_key, chain, clock)
            late = np.flatnonzero(last[: self.initial] != NOBODY)
            for reader, version in zip(self.reader[late], last[late], strict=True):
                writer = int(self.writer[version])
                yield Dependency(int(reader), writer, "rw", int(self.key[version]))
            if len(starts):
                last[last == self.read] = NOBODY
                latest = np.maximum.reduceat(last[self.initial :], starts)
                versions = self.read[self.initial :][starts]
                here[versions] = np.maximum(here[versions], latest)

    def _needed(self, rank: Array) -> Array:
        """Which frontiers are new and do not follow from others.

        One follows when another one lies between, in the order of versions and in the present
        order of commits as well: so none follows from itself in a circle.
        """
        of = self.of
        needed = of > self.added
        row, column = np.nonzero(needed)
        frontier = of[row, column]
        low, high = rank[frontier], rank[row]
        # Each precedes the other: both orders are kept, so that the witness is short.
        mutual = of[frontier, self.chain[row]] >= row
        follows = np.zeros(len(row), dtype=bool)
        for chain in range(self.clocks.chains):
            between = of[row, chain]
            inside = (rank[between] > low) & (rank[between] < high) & (between != NOBODY)
            follows |= inside & (of[between, column] >= frontier)
        needed[row, column] = mutual | ~follows
        return needed

    def incomplete(self) -> list[int]:
        """The keys of which some pair of writers is still open."""
        if not self.size:
            return []
        keys = int(self.key.max()) + 1
        writers = np.bincount(self.key, minlength=keys)
        before = np.zeros(keys, dtype=np.int64)
        for chain in range(self.clocks.chains):
            first = np.searchsorted(self.begin_codes, self._codes(self.key, chain, 0))
            here = self.of[:, chain]
            exists = here != NOBODY
            before += np.bincount(
                self.key[exists], weights=(here[exists] - first[exists] + 1), minlength=keys
            ).astype(np.int64)
        result: list[int] = np.flatnonzero(before < writers * (writers - 1) // 2).tolist()
        return result
