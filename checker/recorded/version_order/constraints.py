"""The graph that decides a level, while the order of the versions is still being found out.

For Serializable a transaction is one node. For SnapshotIsolation it is two, its begin and its
commit: a dependency (so, wr, ww) leads from a commit to a begin, an anti-dependency (rw) from a
begin to a commit. A cycle of that graph is a cycle of transactions in which no two rw edges
follow each other, which is what snapshot isolation forbids (Cerone and Gotsman 2018; Fekete et
al. 2005 for the two points in time). Prefix consistency has the same two nodes, but lets writers
of one key overlap: there a ww edge leads from a commit to a commit.
"""

from __future__ import annotations

import itertools
from collections import defaultdict

from checker.recorded.dependency import Dependency
from checker.recorded.observations import INIT, Observations
from checker.recorded.real_time import real_time_order
from checker.recorded.version_order.time_limit import NO_LIMIT, in_time


class Constraints:
    """Nodes, edges and readers of one history at one level.

    ``split``: a transaction has two nodes. ``conflicts``: two writers of one key do not overlap.
    ``real_time``: a transaction precedes those that began after it ended. ``wr_only``: a level
    without anti-dependencies.
    Everything that works on the graph raises ``OutOfTime`` after its ``deadline``.
    """

    def __init__(
        self,
        seen: Observations,
        *,
        split: bool,
        sessions: bool,
        conflicts: bool = True,
        real_time: bool = False,
        wr_only: bool = False,
        deadline: float = NO_LIMIT,
    ):
        self.deadline = deadline
        self.seen, self.split, self.sessions, self.wr_only = seen, split, sessions, wr_only
        self.conflicts, self.real_time = conflicts, real_time
        self.transactions = len(seen.transactions)
        self.size = self.transactions * (2 if split else 1)
        self.after: list[list[int]] = [[] for _ in range(self.size)]
        self.before: list[list[int]] = [[] for _ in range(self.size)]
        self.edges: dict[int, Dependency] = {}
        self.ordered: set[tuple[int, int, int]] = set()
        self.stages: list[int] = []
        """How many edges there were when each round of inference began."""
        self.readers: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
        self.chains: dict[int, list[int]] = defaultdict(list)
        for number, session in enumerate(seen.session):
            self.chains[session].append(number)
        for reader, reads in enumerate(seen.reads):
            for key, writer in reads:
                self.readers[key, writer].append(reader)
        self._add_shown()

    def begin(self, transaction: int) -> int:
        return 2 * transaction if self.split else transaction

    def commit(self, transaction: int) -> int:
        return 2 * transaction + 1 if self.split else transaction

    def replacing(self, writer: int) -> int:
        """The node before which earlier writers of the same key have committed."""
        return self.begin(writer) if self.conflicts else self.commit(writer)

    def writing(self, writer: int) -> int:
        """The node that precedes the commits of all later writers of the same key.

        It precedes the commit of an earlier writer only if the two exclude each other.
        """
        return self.begin(writer) if self.conflicts else self.commit(writer)

    def transaction(self, node: int) -> int:
        return node // 2 if self.split else node

    def _add_shown(self) -> None:
        if self.split:
            for number in range(self.transactions):
                self._add_nodes(2 * number, 2 * number + 1)
        if self.sessions:
            for chain in self.chains.values():
                for first, second in itertools.pairwise(chain):
                    self.depend(Dependency(first, second, "so", None))
        if self.real_time:
            for first, second in real_time_order(self.seen.transactions):
                self.depend(Dependency(first, second, "rt", None))
        for reader, pairs in enumerate(self.seen.every_read):
            for key, writer in pairs:
                if writer != INIT:
                    self.depend(Dependency(writer, reader, "wr", key))
        for first, second, key in self.seen.shown_order:
            self.order(first, second, key, inferred=False)
        if not self.wr_only:
            self._replaced()
            for key, writers in enumerate(self.seen.writers):
                self._start(key, writers)

    def _replaced(self) -> None:
        """A transaction that writes a key after reading it replaces the version that it read."""
        for number, reads in enumerate(self.seen.reads):
            written = set(self.seen.writes[number])
            for key, writer in reads:
                if writer != INIT and key in written:
                    self.order(writer, number, key, inferred=False)

    def _start(self, key: int, writers: list[int]) -> None:
        """Initial versions come first: their readers precede the first writer everywhere."""
        readers = self.readers.get((key, INIT))
        if not readers:
            return
        if self.sessions:
            first: dict[int, int] = {}
            for writer in writers:
                first.setdefault(self.seen.session[writer], writer)
            writers = list(first.values())
            # An earlier reader of a session precedes a later one, which stands for both; except
            # where one of them is a writer, which has no edge to itself.
            readers = self._last_readers(readers, writers)
        for reader in readers:
            in_time(self.deadline)
            for writer in writers:
                if reader != writer:
                    self.precede(Dependency(reader, writer, "rw", key))

    def _last_readers(self, readers: list[int], writers: list[int]) -> list[int]:
        wrote = set(writers)
        kept: dict[int, list[int]] = defaultdict(list)
        for reader in readers:
            chain = kept[self.seen.session[reader]]
            if chain and chain[-1] not in wrote and reader not in wrote:
                chain.pop()
            chain.append(reader)
        return [reader for chain in kept.values() for reader in chain]

    def depend(self, edge: Dependency) -> bool:
        """Adds so, wr or ww; whether it is new."""
        return self._add(self.commit(edge.source), self.begin(edge.target), edge)

    def precede(self, edge: Dependency) -> bool:
        """Adds rw; whether it is new."""
        return self._add(self.begin(edge.source), self.commit(edge.target), edge)

    def order(self, first: int, second: int, key: int, *, inferred: bool = True) -> bool:
        """Lets one writer's version of a key precede another's; whether that is new."""
        if (first, second, key) in self.ordered:
            return False
        self.ordered.add((first, second, key))
        for start, end, edge in self.edges_of_order(first, second, key, inferred=inferred):
            self._add(start, end, edge)
        return True

    def edges_of_order(
        self, first: int, second: int, key: int, *, inferred: bool = True
    ) -> list[tuple[int, int, Dependency]]:
        """The edges of an order of two versions: ww, and rw from the readers of the first."""
        ww = Dependency(first, second, "ww", key, inferred)
        result = [(self.commit(first), self.replacing(second), ww)]
        if not self.wr_only:
            end = self.commit(second)
            result += [
                (self.begin(reader), end, Dependency(reader, second, "rw", key, inferred))
                for reader in self.readers.get((key, first), ())
                if reader != second
            ]
        return result

    def _add(self, start: int, end: int, edge: Dependency) -> bool:
        code = start * self.size + end
        if code in self.edges:
            return False
        self.edges[code] = edge
        self._add_nodes(start, end)
        return True

    def _add_nodes(self, start: int, end: int) -> None:
        self.after[start].append(end)
        self.before[end].append(start)

    def edge(self, start: int, end: int) -> Dependency | None:
        """The dependency behind an arc; None for the arc from a begin to its commit."""
        return self.edges.get(start * self.size + end)
