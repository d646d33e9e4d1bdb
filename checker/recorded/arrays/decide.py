"""Serializable, WriteSerializable and SnapshotIsolation where the log gives the version order.

With the writers in one line, most questions need no graph but a comparison:

- *Serializable* (the serial order is the log's): a writer reads from earlier ones, and what it
  read is replaced by later ones; a reader fits between the last commit that it saw and the first
  one that replaced what it read.
- *SnapshotIsolation*: each transaction has a snapshot, a place in the log before its own. Whatever
  it read, and the versions that it replaced, are in the snapshot; what replaced its reads is not.
- *WriteSerializable* (any order of the writers): the only level that needs the graph, and of that
  only the parts that an edge against the order of the log spans.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np

from checker.judging.verdict import Verdict
from checker.judging.witness import Reason, SerialOrder, rotated
from checker.recorded.arrays.explanation import Snapshots, anomaly, explained
from checker.recorded.arrays.history import (
    Array,
    BadRead,
    Dependencies,
    LargeHistory,
    check,
    dependencies,
)
from checker.recorded.dependency import Dependency
from model.levels import SERIALIZABLE, SNAPSHOT_ISOLATION, WRITE_SERIALIZABLE

NONE = 1 << 62


@dataclass(frozen=True, slots=True)
class Decision:
    """One level, decided: the edges of a forbidden cycle, or an order of the transactions.

    ``cycle`` is empty where the level holds. ``order`` has the numbers of the transactions, None
    where the level promises no order. Of several parts of a history that violate a level, the one
    with the smallest ``rank`` has the cycle that stands for all: the size of the component in
    which the cycle lies, or the first transaction that violates the level.
    """

    cycle: tuple[Dependency, ...] = ()
    order: Array | None = None
    rank: int = 0


def judge(history: LargeHistory) -> dict[str, Verdict]:
    """The verdict at each of the three levels; raises ``InvalidHistory``.

    Transactions are called by their numbers. A serial order has a reader right behind the last
    commit that it saw.
    """
    check(history)
    graph, bad = dependencies(history)
    if bad is not None:
        return unwritten(bad, f"operation {bad.operation}: ")
    return {
        level: verdict(level, decision, history, history.snapshot_of)
        for level, decision in decide(graph, history.snapshot).items()
    }


def unwritten(bad: BadRead, place: str = "") -> dict[str, Verdict]:
    """The verdicts on a history with a read of a version that nobody wrote, at ``place``."""
    why = (
        f"{place}transaction {bad.transaction} read a version of key {bad.key} by transaction "
        f"{bad.writer}, which wrote none"
        if bad.writer != bad.transaction
        else f"{place}transaction {bad.transaction} read a version of key {bad.key} of its own, "
        "and wrote none"
    )
    return {
        level: Verdict(level, "violated", Reason(why, (str(bad.transaction),)), bad.anomaly)
        for level in (SERIALIZABLE, WRITE_SERIALIZABLE, SNAPSHOT_ISOLATION)
    }


def decide(graph: Dependencies, snapshot: Array | None) -> dict[str, Decision]:
    """The decision at each of the three levels, without words."""
    bounds = _Bounds(graph)
    among_writers = _write_serializable(graph)
    return {
        SERIALIZABLE: _serializable(graph, bounds, among_writers),
        WRITE_SERIALIZABLE: among_writers,
        SNAPSHOT_ISOLATION: _snapshot(graph, bounds, snapshot),
    }


def verdict(level: str, decision: Decision, history: LargeHistory, snapshot: Snapshots) -> Verdict:
    """A decision in words. ``history`` has the operations of the cycle's transactions, or more."""
    if decision.cycle:
        words = explained(decision.cycle, history, snapshot)
        return Verdict(level, "violated", words, anomaly(decision.cycle))
    if decision.order is None:
        return Verdict(level, "holds")
    return Verdict(level, "holds", SerialOrder(_Numbered(decision.order)))


class _Numbered(Sequence[str]):
    """Transactions by name, for an array of their numbers."""

    def __init__(self, numbers: Array) -> None:
        self._numbers = numbers

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[str]: ...
    def __getitem__(self, place: int | slice) -> str | Sequence[str]:
        if isinstance(place, slice):
            return _Numbered(self._numbers[place])
        return str(int(self._numbers[place]))


class _Bounds:
    """For each transaction the last one that it depends on, and the first that it precedes."""

    def __init__(self, graph: Dependencies) -> None:
        size = graph.transactions + 1
        self.read_from = np.zeros(size, dtype=np.int64)
        source, target, _ = graph.wr
        np.maximum.at(self.read_from, target, source)
        self.replaced = np.zeros(size, dtype=np.int64)
        source, target, _ = graph.ww
        np.maximum.at(self.replaced, target, source)
        self.next = np.full(size, NONE, dtype=np.int64)
        source, target, _ = graph.rw
        np.minimum.at(self.next, source, target)


def _edge(edges: tuple[Array, Array, Array], kind: str, source: int, target: int) -> Dependency:
    at = int(np.flatnonzero((edges[0] == source) & (edges[1] == target))[0])
    return Dependency(source, target, kind, int(edges[2][at]))


def _serializable(graph: Dependencies, bounds: _Bounds, among_writers: Decision) -> Decision:
    size = graph.transactions + 1
    numbers = np.arange(size)
    writes = graph.writes
    first, last = bounds.next, bounds.read_from
    wrong = np.where(writes, (last > numbers) | (first < numbers), last >= first)
    violations = np.flatnonzero(wrong)
    if not len(violations):
        # A writer at its own number, a reader right behind the last commit that it saw.
        place = np.where(writes, 2 * numbers, 2 * last + 1)
        return Decision(order=np.argsort(place[1:], kind="stable") + 1)
    if among_writers.cycle:
        return among_writers
    at = int(violations[0])
    if writes[at] and last[at] > at:
        edges = [_edge(graph.wr, "wr", int(last[at]), at), Dependency(at, int(last[at]), "log")]
    elif writes[at]:
        edges = [_edge(graph.rw, "rw", at, int(first[at])), Dependency(int(first[at]), at, "log")]
    else:
        edges = _through_log(graph, at, int(first[at]), int(last[at]))
    return _violated(edges, at)


def _through_log(graph: Dependencies, at: int, first: int, last: int) -> list[Dependency]:
    """The transaction read something that ``first`` replaced, and saw the later ``last``."""
    edges = [_edge(graph.rw, "rw", at, first)]
    if first != last:
        edges.append(Dependency(first, last, "log"))
    return [*edges, _edge(graph.wr, "wr", last, at)]


def _snapshot(graph: Dependencies, bounds: _Bounds, snapshot: Array | None) -> Decision:
    numbers = np.arange(graph.transactions + 1)
    least = np.maximum(bounds.read_from, bounds.replaced)
    most = np.minimum(bounds.next, np.where(graph.writes, numbers, NONE))
    if snapshot is None:
        wrong = least >= most
    else:
        taken = np.concatenate(([0], snapshot))
        wrong = (least > taken) | (taken >= most)
    wrong[0] = False
    violations = np.flatnonzero(wrong)
    if not len(violations):
        return Decision()
    at = int(violations[0])
    read_from, replaced, first = (
        int(a[at]) for a in (bounds.read_from, bounds.replaced, bounds.next)
    )
    if snapshot is not None:
        return against_snapshot(graph, at, int(snapshot[at - 1]), read_from, replaced, first)
    if graph.writes[at] and read_from > at:
        edges = [_edge(graph.wr, "wr", read_from, at), Dependency(at, read_from, "log")]
    elif read_from >= first:
        edges = _through_log(graph, at, first, read_from)
    else:
        edges = [_edge(graph.rw, "rw", at, first)]
        if first != replaced:
            edges.append(Dependency(first, replaced, "log"))
        edges.append(_edge(graph.ww, "ww", replaced, at))
    return _violated(edges, at)


def against_snapshot(
    graph: Dependencies, at: int, taken: int, read_from: int, replaced: int, first: int
) -> Decision:
    """The cycle of a transaction whose recorded snapshot, ``taken``, does not fit its operations.

    The last version that it read is by ``read_from``, the last one that it replaced by
    ``replaced``, and the first one that replaced what it read by ``first``. Of the graph, the
    edges of the transaction are enough.
    """
    if read_from > taken:
        edges = [_edge(graph.wr, "wr", read_from, at), Dependency(at, read_from, "unseen")]
    elif replaced > taken:
        edges = [_edge(graph.ww, "ww", replaced, at), Dependency(at, replaced, "unseen")]
    else:
        edges = [_edge(graph.rw, "rw", at, first), Dependency(first, at, "start")]
    return _violated(edges, at)


def _write_serializable(graph: Dependencies) -> Decision:
    writes = graph.writes
    parts = [
        (source, target)
        for source, target, _ in (graph.wr, graph.rw)
        for keep in [writes[source] & writes[target]]
        for source, target in [(source[keep], target[keep])]
    ]
    parts.append((graph.ww[0], graph.ww[1]))
    against = [(s[s > t], t[s > t]) for s, t in parts]
    high = np.concatenate([s for s, _ in against])
    low = np.concatenate([t for _, t in against])
    numbers = np.arange(graph.transactions + 1)
    if not len(high):
        return Decision(order=numbers[1:][writes[1:]])
    # A cycle goes down as far as it goes up, so edges against the log span all of it.
    spans = np.zeros(graph.transactions + 2, dtype=np.int64)
    np.add.at(spans, low, 1)
    np.add.at(spans, high, -1)
    spanned = np.cumsum(spans)[:-1] > 0
    starts = spanned & ~np.concatenate(([False], spanned[:-1]))
    stretch = np.cumsum(starts)
    member = spanned | np.concatenate(([False], spanned[:-1]))
    stretch[~member] = 0
    inside = []
    for source, target in parts:
        keep = (stretch[source] == stretch[target]) & (stretch[source] > 0)
        inside.append((source[keep], target[keep]))
    source = np.concatenate([s for s, _ in inside])
    target = np.concatenate([t for _, t in inside])
    return _by_components(graph, source, target)


def _by_components(graph: Dependencies, source: Array, target: Array) -> Decision:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    size = graph.transactions + 1
    ones = np.ones(len(source), dtype=np.int8)
    matrix = coo_array((ones, (source, target)), shape=(size, size)).tocsr()
    count, label = connected_components(matrix, directed=True, connection="strong")
    if count == size:
        return Decision(order=_topological(graph, source, target))
    sizes = np.bincount(label, minlength=count)
    cyclic = np.flatnonzero(sizes > 1)
    smallest = cyclic[np.argmin(sizes[cyclic])]
    keep = (label[source] == smallest) & (label[target] == smallest)
    after: dict[int, list[int]] = {}
    for a, b in zip(source[keep].tolist(), target[keep].tolist(), strict=True):
        after.setdefault(a, []).append(b)
    from checker.recorded.version_order.cycles import shortest_cycle

    nodes = shortest_cycle(after, pairs=False)
    edges = [_any_edge(graph, a, b) for a, b in zip(nodes, [*nodes[1:], nodes[0]], strict=True)]
    return _violated(edges, int(sizes[smallest]))


def _any_edge(graph: Dependencies, source: int, target: int) -> Dependency:
    for edges, kind in ((graph.ww, "ww"), (graph.wr, "wr"), (graph.rw, "rw")):
        if ((edges[0] == source) & (edges[1] == target)).any():
            return _edge(edges, kind, source, target)
    raise AssertionError(f"no edge from {source} to {target}")


def _topological(graph: Dependencies, source: Array, target: Array) -> Array:
    """The writers in an order that respects every edge.

    Only transactions on the given edges can leave their place in the log, and each stretch of
    those stays where it is, so sorting them anew among themselves is enough.
    """
    from checker.recorded.version_order.cycles import topological_by

    members = np.unique(np.concatenate([source, target]))
    place = np.full(graph.transactions + 1, -1, dtype=np.int64)
    place[members] = np.arange(len(members))
    after: list[list[int]] = [[] for _ in range(len(members))]
    for a, b in zip(place[source].tolist(), place[target].tolist(), strict=True):
        after[a].append(b)
    order = np.array(topological_by(after, range(len(members))), dtype=np.int64)
    result = np.arange(graph.transactions + 1)
    result[members] = members[order]
    result = result[1:]
    writers: Array = result[graph.writes[result]]
    return writers


def _violated(edges: list[Dependency], rank: int) -> Decision:
    return Decision(rotated(edges, lambda edge: edge.kind != "rw"), rank=rank)
