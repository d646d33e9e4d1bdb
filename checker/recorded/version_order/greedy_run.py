"""Guesses at the order of commits: the order of the records, or run the transactions again.

Many files have their transactions in about the order in which they ran; where a file has its
sessions one after the other, each session is taken to have gone on evenly (``as_recorded``).

The other guess runs the transactions one by one, as a database would (``GreedyRun``).

A transaction may begin when everything that precedes it is done; it may commit when everybody
else who reads a version that it replaces has begun. Where no transaction can do both, one begins
and stays open (snapshot isolation only). The guess may stop short; it is never trusted, only
used to begin the search with.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator
from itertools import pairwise

from checker.recorded.observations import INIT, Observations
from checker.recorded.version_order.constraints import Constraints
from checker.recorded.version_order.time_limit import while_in_time


def as_recorded(seen: Observations) -> list[float]:
    """Of each transaction, a number that grows with the time at which it may have run."""
    lengths = Counter(seen.session)
    turns = sum(a != b for a, b in pairwise(seen.session)) + 1
    if turns > len(lengths) or len(lengths) == len(seen.session):
        return [float(number) for number in range(len(seen.session))]
    passed: Counter[int] = Counter()
    result = []
    for session in seen.session:
        result.append(passed[session] / lengths[session])
        passed[session] += 1
    return result


class GreedyRun:
    """One greedy run over a graph of constraints."""

    def __init__(self, graph: Constraints) -> None:
        self.graph = graph
        self.reads = graph.seen.reads
        self.writes = graph.seen.writes
        self.waits = [len(others) for others in graph.before]
        self.unread = {version: len(readers) for version, readers in graph.readers.items()}
        self.current: dict[int, int] = {}
        self.locked: dict[int, int] = {}
        self.parked: dict[int, list[int]] = {}
        self.open: deque[int] = deque()
        self.begun = [False] * graph.transactions
        self.done = [False] * graph.transactions
        self.order: list[int] = []
        self.ready: deque[int] = deque(
            t for t in range(graph.transactions) if not self.waits[graph.begin(t)]
        )
        self.stalled: deque[int] = deque()

    def run(self) -> list[int]:
        """Nodes in the order in which they were executed."""
        while True:
            for transaction in while_in_time(self._next(), self.graph.deadline):
                self._try(transaction)
            if not self.graph.split or not self._open_one():
                return self.order

    def _next(self) -> Iterator[int]:
        while self.ready:
            yield self.ready.popleft()

    def _try(self, transaction: int) -> None:
        if self.done[transaction]:
            return
        blocker = self._blocked_on(transaction)
        if blocker is None:
            if not self.begun[transaction]:
                self._begin(transaction)
            self._commit(transaction)
        elif blocker >= 0:
            self.parked.setdefault(blocker, []).append(transaction)
            if not self.begun[transaction]:
                self.stalled.append(transaction)
        elif not self.begun[transaction]:
            self.stalled.append(transaction)

    def _blocked_on(self, transaction: int) -> int | None:
        """The key that keeps a transaction from running to its end now; -1 for other reasons."""
        graph = self.graph
        begun = self.begun[transaction]
        if graph.split:
            rest = self.waits[graph.commit(transaction)] - (not begun)
            if rest:
                return -1
        own = () if begun else self.reads[transaction]
        for key in self.writes[transaction]:
            if self.locked.get(key, transaction) != transaction:
                return key
            version = key, self.current.get(key, INIT)
            if self.unread.get(version, 0) - (version in own):
                return key
        return None

    def _open_one(self) -> bool:
        """Begins one transaction that cannot commit yet."""
        for _ in range(len(self.stalled)):
            transaction = self.stalled.popleft()
            if self.begun[transaction] or self.done[transaction]:
                continue
            if any(key in self.locked for key in self.writes[transaction]):
                self.stalled.append(transaction)
                continue
            self._begin(transaction)
            for key in self.writes[transaction]:
                self.locked[key] = transaction
            self.ready.append(transaction)
            return True
        return False

    def _begin(self, transaction: int) -> None:
        self.begun[transaction] = True
        node = self.graph.begin(transaction)
        for version in self.reads[transaction]:
            left = self.unread[version] = self.unread[version] - 1
            if left <= 1:
                self._wake(version[0])
        if self.graph.split:
            self.order.append(node)
            self._release(node)

    def _commit(self, transaction: int) -> None:
        self.done[transaction] = True
        node = self.graph.commit(transaction)
        self.order.append(node)
        for key in self.writes[transaction]:
            self.current[key] = transaction
            self.locked.pop(key, None)
            self._wake(key)
        self._release(node)

    def _wake(self, key: int) -> None:
        self.ready.extend(self.parked.pop(key, ()))

    def _release(self, node: int) -> None:
        graph = self.graph
        for other in graph.after[node]:
            self.waits[other] -= 1
            transaction = graph.transaction(other)
            begin = graph.begin(transaction)
            if self.waits[begin] or self.done[transaction]:
                continue
            # A commit may still wait for its own begin.
            if other == begin or self.waits[other] <= 1:
                self.ready.append(transaction)
