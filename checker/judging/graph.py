"""The default decider: it searches the serialization graph for cycles, with networkx.

A level is violated when the graph of the history has a cycle of a shape that the level forbids
(``model.levels``). The witness is a shortest such cycle. If a level that promises a serial order
holds, the witness is such an order.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from heapq import heappop, heappush
from itertools import pairwise
from typing import Any, Literal

from checker.judging.dependencies import BIT, KINDS, Dependencies, GraphEdge, dependencies
from checker.judging.witness import rotated
from model.history import History, Transaction
from model.levels import LEVELS, RW, EdgeKind, Level, Phenomenon, cycle_name

VerdictName = Literal["holds", "violated", "unknown"]

_REMEMBERED_SIZE = 6
"""Graphs of up to this many transactions are decided once for all histories that share them."""


@dataclass(frozen=True, slots=True)
class GraphVerdict:
    """The graph's verdict on one history at one level.

    ``why`` is set if and only if the verdict is unknown. The witnesses are computed on demand.
    """

    level: str
    verdict: VerdictName
    why: str | None
    graph: Dependencies
    decision: Decision

    @property
    def phenomenon(self) -> str | None:
        """The forbidden shape of the cycle, by its name in the level's table."""
        return self.decision.phenomenon

    @property
    def anomaly(self) -> str | None:
        """The name of the cycle (``model.levels.cycle_name``)."""
        kinds = [kind for _, _, kind in self.decision.cycle]
        return cycle_name(kinds) if kinds else None

    @property
    def cycle(self) -> tuple[GraphEdge, ...]:
        """A forbidden cycle with the fewest edges, each edge leading to the next one's source.

        It starts at an anti-dependency if it has one; of those, at the transaction declared first.
        Empty unless the verdict is ``violated``.
        """
        steps = self.decision.cycle
        if not steps:
            return ()
        edges = [self.graph.edge(*step) for step in steps]
        declared = {
            transaction.name: place
            for place, transaction in enumerate(self.graph.history.transactions)
        }
        return rotated(edges, lambda edge: (edge.kind not in RW, declared[edge.source.name]))

    @property
    def serial_order(self) -> tuple[str, ...] | None:
        """A serial order that agrees with every edge, by name.

        None unless the verdict is ``holds`` and the level promises one. If it has to be the log's
        order, readers stand at their snapshots.
        """
        if self.verdict != "holds":
            return None
        nodes = self.graph.nodes
        if LEVELS[self.level].serial_order == "log":
            return tuple(node.name for node in sorted(nodes, key=_place_in_log))
        if self.decision.order is None:
            return None
        return tuple(nodes[position].name for position in self.decision.order)


@dataclass(frozen=True, slots=True)
class Decision:
    """A decided graph, by positions of nodes: a shortest forbidden cycle, or none.

    ``order`` is a topological order if the level promises a serial order, whichever it may be.
    """

    phenomenon: str | None
    cycle: tuple[tuple[int, int, EdgeKind], ...]
    order: tuple[int, ...] | None


def judge(history: History, level: str) -> GraphVerdict:
    """Decides the conflict reading of one level; ``KeyError`` for an unknown level's name."""
    return decide(dependencies(history), level)


def decide(graph: Dependencies, level: str) -> GraphVerdict:
    """``judge`` for a graph that has been built already; several levels can share one graph."""
    allowed = _level_mask(level)
    size = len(graph.nodes)
    masks = tuple([mask & allowed for mask in graph.masks])
    remember = _decide_once if size <= _REMEMBERED_SIZE else _decide
    decision = remember(level, size, graph.writers, masks)
    if decision.cycle:
        return GraphVerdict(level, "violated", None, graph, decision)
    if graph.history.unknown:
        why = "not observed: " + "; ".join(graph.history.unknown)
        return GraphVerdict(level, "unknown", why, graph, decision)
    return GraphVerdict(level, "holds", None, graph, decision)


def _place_in_log(transaction: Transaction) -> tuple[int, bool]:
    if transaction.commit_version is None:
        return transaction.read_version, True
    return transaction.commit_version, False


@cache
def _level_mask(level: str) -> int:
    return sum(BIT[kind] for kind in LEVELS[level].edges)


def _decide(level: str, size: int, writers: int, masks: tuple[int, ...]) -> Decision:
    rules = LEVELS[level]
    if _order(size, size, masks) is None and (cycle := _forbidden(rules, size, writers, masks)):
        return cycle
    if rules.serial_order != "any":
        return Decision(None, (), None)
    return Decision(None, (), _order(size if rules.readers else writers, size, masks))


_decide_once = lru_cache(maxsize=1 << 16)(_decide)


def _order(nodes: int, size: int, masks: tuple[int, ...]) -> tuple[int, ...] | None:
    """The first ``nodes`` nodes in topological order, lowest position first; None for a cycle."""
    waits_for = [sum(map(bool, masks[node : nodes * size : size])) for node in range(nodes)]
    ready = [node for node, others in enumerate(waits_for) if not others]
    order: list[int] = []
    while ready:
        source = heappop(ready)
        order.append(source)
        for target in range(nodes):
            if masks[source * size + target]:
                waits_for[target] -= 1
                if not waits_for[target]:
                    heappush(ready, target)
    return tuple(order) if len(order) == nodes else None


def _forbidden(level: Level, size: int, writers: int, masks: tuple[int, ...]) -> Decision | None:
    """The shortest cycle that a level forbids; ties go to the first shape in its table."""
    import networkx  # loaded only when a new graph has cycles: a cold start pays 0.2 s for it

    best: tuple[int, str, tuple[tuple[int, int, EdgeKind], ...]] | None = None
    for phenomenon in level.forbids:
        nodes = size if phenomenon.readers else writers
        cycle = _shortest(networkx, phenomenon, nodes, size, masks)
        if cycle is not None and (best is None or cycle[0] < best[0]):
            best = (cycle[0], phenomenon.name, cycle[1])
    return None if best is None else Decision(best[1], best[2], None)


# Of two cycles of the same length, one made of dependencies says more than one that needs the
# log, and the one with fewer anti-dependencies is the more serious anomaly.
_PENALTY = {
    EdgeKind.WW: 0,
    EdgeKind.WR_ITEM: 1,
    EdgeKind.WR_PREDICATE: 2,
    EdgeKind.RW_ITEM: 8,
    EdgeKind.RW_PREDICATE: 9,
    EdgeKind.START: 64,
    EdgeKind.UNSEEN: 64,
    EdgeKind.LOG: 64,
}


def _graph(nx: Any, nodes: int, size: int, masks: tuple[int, ...]) -> Any:
    """The first ``nodes`` nodes as a graph; an edge has its best kind and a weight.

    The weight is a constant per edge, plus a penalty that decides between equally long cycles.
    """
    graph = nx.DiGraph()
    graph.add_nodes_from(range(nodes))
    step = 128 * (nodes + 1)
    for source in range(nodes):
        for target in range(nodes):
            mask = masks[source * size + target]
            if mask:
                kind = _best_kind(mask)
                graph.add_edge(source, target, kind=kind, weight=step + _PENALTY[kind])
    return graph


def _reversed(masks: tuple[int, ...], size: int) -> tuple[int, ...]:
    return tuple(masks[b * size + a] for a in range(size) for b in range(size))


@cache
def _best_kind(mask: int) -> EdgeKind:
    return min((kind for kind in KINDS if mask & BIT[kind]), key=_PENALTY.__getitem__)


def _shortest(
    nx: Any, phenomenon: Phenomenon, nodes: int, size: int, masks: tuple[int, ...]
) -> tuple[int, tuple[tuple[int, int, EdgeKind], ...]] | None:
    """A shortest cycle of one shape with its weight, or None.

    Every such cycle is a counted edge and a path back from its end: through all edges of the
    shape, or, where exactly one counted edge is asked for, through the others.
    """
    shape = sum(BIT[kind] for kind in phenomenon.edges)
    counted = sum(BIT[kind] for kind in phenomenon.counted) or shape
    rest = shape & ~counted if phenomenon.count == "one" else shape
    whole = _graph(nx, nodes, size, tuple(mask & shape for mask in masks))
    # Searched from the sources of counted edges, against the direction of the edges: one search
    # finds the paths back to a node from all targets of its counted edges.
    back = _graph(nx, nodes, size, _reversed(tuple(mask & rest for mask in masks), size))
    best: tuple[int, tuple[tuple[int, int, EdgeKind], ...]] | None = None
    step = 128 * (nodes + 1)
    for part in nx.strongly_connected_components(whole):
        if len(part) < 2:
            continue
        for source in sorted(part):
            targets = [t for t in sorted(part) if masks[source * size + t] & counted]
            if not targets:
                continue
            lengths, paths = nx.single_source_dijkstra(back, source)
            for target in targets:
                if target not in lengths:
                    continue
                kind = _best_kind(masks[source * size + target] & counted)
                weight = step + _PENALTY[kind] + lengths[target]
                if best is None or weight < best[0]:
                    route = paths[target][::-1]
                    steps = tuple((a, b, back.edges[b, a]["kind"]) for a, b in pairwise(route))
                    best = (weight, ((source, target, kind), *steps))
    return best
