"""Serializable, WriteSerializable and SnapshotIsolation where the log gives the version order.

With the writers in one line, most of what a graph would have to find out is a comparison:

- *Serializable* (the serial order is the log's): a writer reads from earlier ones, and what it
  read is replaced by later ones; a reader fits between the last commit that it saw and the first
  one that replaced what it read.
- *SnapshotIsolation*: each transaction has a snapshot, a place in the log before its own. Whatever
  it read, and the versions that it replaced, are in the snapshot; what replaced its reads is not.
- *WriteSerializable* (any order of the writers): the only level that needs the graph, and of that
  only the parts that an edge against the order of the log spans.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from checker.recorded.arrays.history import Array, Dependencies, LargeHistory, check, dependencies

LOG = "log"
NONE = 1 << 62


@dataclass(frozen=True, slots=True)
class LargeEdge:
    """One edge of a witness: ``ww``, ``wr``, ``rw``, or the order of two commits (``log``)."""

    source: int
    target: int
    kind: str
    key: int | None = None


@dataclass(frozen=True, slots=True)
class LargeVerdict:
    """What became of one level.

    ``holds`` has a serial order where the level promises one: the transactions by number;
    a reader stands behind the last commit that it saw.
    """

    verdict: Literal["holds", "violated"]
    anomaly: str | None = None
    cycle: tuple[LargeEdge, ...] = ()
    because: str | None = None
    serial_order: Array | None = None


def judge(history: LargeHistory) -> dict[str, LargeVerdict]:
    """The verdict at each of the three levels; ``InvalidHistory`` for what is no history."""
    check(history)
    graph, bad = dependencies(history)
    names = ("Serializable", "WriteSerializable", "SnapshotIsolation")
    if bad is not None:
        why = (
            f"operation {bad.operation}: transaction {bad.transaction} read a version of key "
            f"{bad.key} by transaction {bad.writer}, which wrote none"
        )
        return {name: LargeVerdict("violated", bad.anomaly, because=why) for name in names}
    bounds = _Bounds(graph)
    among_writers = _write_serializable(graph)
    return {
        "Serializable": _serializable(graph, bounds, among_writers),
        "WriteSerializable": among_writers,
        "SnapshotIsolation": _snapshot(graph, bounds, history.snapshot),
    }


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


def _edge(edges: tuple[Array, Array, Array], kind: str, source: int, target: int) -> LargeEdge:
    at = int(np.flatnonzero((edges[0] == source) & (edges[1] == target))[0])
    return LargeEdge(source, target, kind, int(edges[2][at]))


def _serializable(
    graph: Dependencies, bounds: _Bounds, among_writers: LargeVerdict
) -> LargeVerdict:
    size = graph.transactions + 1
    numbers = np.arange(size)
    writes = graph.writes
    first, last = bounds.next, bounds.read_from
    wrong = np.where(writes, (last > numbers) | (first < numbers), last >= first)
    found = np.flatnonzero(wrong)
    if not len(found):
        # A writer at its own number, a reader right behind the last commit that it saw.
        place = np.where(writes, 2 * numbers, 2 * last + 1)
        return LargeVerdict("holds", serial_order=np.argsort(place[1:], kind="stable") + 1)
    if among_writers.verdict == "violated":
        return among_writers
    at = int(found[0])
    if writes[at] and last[at] > at:
        edges = [_edge(graph.wr, "wr", int(last[at]), at), LargeEdge(at, int(last[at]), LOG)]
    elif writes[at]:
        edges = [_edge(graph.rw, "rw", at, int(first[at])), LargeEdge(int(first[at]), at, LOG)]
    else:
        edges = _through_log(graph, at, int(first[at]), int(last[at]))
    return _violated(edges)


def _through_log(graph: Dependencies, at: int, first: int, last: int) -> list[LargeEdge]:
    """The transaction read something that ``first`` replaced, and saw the later ``last``."""
    edges = [_edge(graph.rw, "rw", at, first)]
    if first != last:
        edges.append(LargeEdge(first, last, LOG))
    return [*edges, _edge(graph.wr, "wr", last, at)]


def _snapshot(graph: Dependencies, bounds: _Bounds, snapshot: Array | None) -> LargeVerdict:
    numbers = np.arange(graph.transactions + 1)
    least = np.maximum(bounds.read_from, bounds.replaced)
    most = np.minimum(bounds.next, np.where(graph.writes, numbers, NONE))
    if snapshot is None:
        wrong = least >= most
    else:
        taken = np.concatenate(([0], snapshot))
        wrong = (least > taken) | (taken >= most)
    wrong[0] = False
    found = np.flatnonzero(wrong)
    if not len(found):
        return LargeVerdict("holds")
    at = int(found[0])
    read_from, replaced, first = (
        int(a[at]) for a in (bounds.read_from, bounds.replaced, bounds.next)
    )
    if snapshot is not None:
        taken_at = int(snapshot[at - 1])
        if read_from > taken_at:
            edge = _edge(graph.wr, "wr", read_from, at)
            return _unseen(edge, at, read_from, taken_at, "a version that its snapshot lacks")
        if replaced > taken_at:
            edge = _edge(graph.ww, "ww", replaced, at)
            return _unseen(edge, at, replaced, taken_at, "over a version that its snapshot lacks")
        edge = _edge(graph.rw, "rw", at, first)
        return _unseen(edge, at, first, taken_at, "a version that its snapshot had replaced")
    if graph.writes[at] and read_from > at:
        edges = [_edge(graph.wr, "wr", read_from, at), LargeEdge(at, read_from, LOG)]
    elif read_from >= first:
        edges = _through_log(graph, at, first, read_from)
    else:
        edges = [_edge(graph.rw, "rw", at, first)]
        if first != replaced:
            edges.append(LargeEdge(first, replaced, LOG))
        edges.append(_edge(graph.ww, "ww", replaced, at))
    return _violated(edges)


def _unseen(edge: LargeEdge, at: int, other: int, taken: int, what: str) -> LargeVerdict:
    verb = "wrote" if edge.kind == "ww" else "read"
    why = (
        f"transaction {at} {verb} {what}: its snapshot shows the log up to {taken}, "
        f"key {edge.key} is about transaction {other}"
    )
    names = {"wr": "G-SIa (interference)", "ww": "lost update", "rw": "G-SIb (missed effects)"}
    return LargeVerdict("violated", names[edge.kind], (edge,), why)


def _write_serializable(graph: Dependencies) -> LargeVerdict:
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
        return LargeVerdict("holds", serial_order=numbers[1:][writes[1:]])
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
    return _by_components(graph, source, target, numbers)


def _by_components(
    graph: Dependencies, source: Array, target: Array, numbers: Array
) -> LargeVerdict:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    size = graph.transactions + 1
    ones = np.ones(len(source), dtype=np.int8)
    matrix = coo_array((ones, (source, target)), shape=(size, size)).tocsr()
    count, label = connected_components(matrix, directed=True, connection="strong")
    if count == size:
        return LargeVerdict("holds", serial_order=_topological(graph, source, target))
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
    return _violated(edges)


def _any_edge(graph: Dependencies, source: int, target: int) -> LargeEdge:
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


def _violated(edges: list[LargeEdge]) -> LargeVerdict:
    start = next((i for i, edge in enumerate(edges) if edge.kind == "rw"), 0)
    cycle = (*edges[start:], *edges[:start])
    words = "; ".join(map(in_words, cycle))
    return LargeVerdict("violated", _anomaly(cycle), cycle, words)


def _anomaly(cycle: tuple[LargeEdge, ...]) -> str:
    kinds = [edge.kind for edge in cycle]
    keys = {edge.key for edge in cycle}
    if len(cycle) == 2 and LOG not in kinds and len(keys) == 1 and "rw" in kinds:
        return "lost update"
    if kinds == ["rw", "rw"]:
        return "write skew"
    anti = kinds.count("rw")
    name = "G1c" if "wr" in kinds else "G0"
    if anti:
        name = "G-single" if anti == 1 else "G2"
    return name + ("-log" if LOG in kinds else "")


def in_words(edge: LargeEdge) -> str:
    """One edge in words."""
    if edge.kind == LOG:
        return f"{edge.source} came before {edge.target} in the log"
    if edge.kind == "ww":
        return f"{edge.target} replaced the version of key {edge.key} that {edge.source} wrote"
    if edge.kind == "wr":
        return f"{edge.target} read the version of key {edge.key} that {edge.source} wrote"
    return f"{edge.source} read the version of key {edge.key} that {edge.target} replaced"
