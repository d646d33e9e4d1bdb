"""The shapes that the theorems give every violation, found in histories.

``checker.proofs.theorems.unseen_append`` is about the writers alone under delta-spark-4.4 at
WriteSerializable, ``checker.proofs.theorems.every_transaction`` about all transactions, readers
included. With the shapes found in histories, the theorems can be held against whatever a search or
an engine comes up with.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from checker.judging.dependencies import BIT, Dependencies, dependencies
from model.history import History, Transaction
from model.levels import CONFLICTS, EdgeKind

_RW = BIT[EdgeKind.RW_ITEM] | BIT[EdgeKind.RW_PREDICATE]
_BUILDS_ON = BIT[EdgeKind.WR_ITEM] | BIT[EdgeKind.WR_PREDICATE] | BIT[EdgeKind.WW]
_CONFLICT = sum(BIT[kind] for kind in CONFLICTS)


@dataclass(frozen=True, slots=True)
class MissedAppend:
    """``missing`` has an rw edge to the blind append, which ``built_on`` has seen and depends on.

    ``built_on`` ended before ``missing`` committed. By name.
    """

    missing: str
    append: str
    built_on: str


@dataclass(frozen=True, slots=True)
class WayBack:
    """``changing``, not a blind append, changed what ``reading`` had read.

    ``reading`` ran from begin to end while ``changing`` ran. By name.
    """

    reading: str
    changing: str


def missed_appends(history: History, *, readers: bool = False) -> tuple[MissedAppend, ...]:
    """The missed appends of a history, whether or not they are part of a cycle.

    ``readers``: transactions that only read may be the one that depends on the append.
    """
    graph = dependencies(history)
    return tuple(_named(graph, *triple) for triple in _triples(graph, _nodes(graph, readers)))


def missed_appends_on_a_cycle(
    history: History, *, readers: bool = False
) -> tuple[MissedAppend, ...]:
    """The missed appends from whose last transaction a path of conflicts leads to the first."""
    graph = dependencies(history)
    nodes = _nodes(graph, readers)
    return tuple(
        _named(graph, t, b, x) for t, b, x in _triples(graph, nodes) if _path(graph, nodes, x, t)
    )


def ways_back(history: History) -> tuple[WayBack, ...]:
    """The ways back that are part of a cycle, readers included."""
    graph = dependencies(history)
    nodes = graph.nodes
    return tuple(
        WayBack(nodes[w].name, nodes[z].name)
        for z in range(graph.writers)
        if not _blind(nodes[z], history.table)
        for w in range(len(nodes))
        if w != z
        and graph.mask(w, z) & _RW
        and nodes[z].read_version <= nodes[w].read_version
        and _over_before(nodes[w], nodes[z])
        and _path(graph, len(nodes), z, w)
    )


def _nodes(graph: Dependencies, readers: bool) -> int:
    """The number of nodes that count: writers come first."""
    return len(graph.nodes) if readers else graph.writers


def _triples(graph: Dependencies, nodes: int) -> Iterator[tuple[int, int, int]]:
    for t in range(graph.writers):
        for b in range(t):
            if not graph.mask(t, b) & _RW or not _blind(graph.nodes[b], graph.history.table):
                continue
            for x in range(nodes):
                if (
                    x not in (t, b)
                    and graph.mask(b, x) & _BUILDS_ON
                    and _shows(graph.nodes[x], graph.nodes[b])
                    and _over_before(graph.nodes[x], graph.nodes[t])
                ):
                    yield t, b, x


def _named(graph: Dependencies, t: int, b: int, x: int) -> MissedAppend:
    return MissedAppend(*(graph.nodes[place].name for place in (t, b, x)))


def _blind(transaction: Transaction, table: str) -> bool:
    """True if it reads nothing of the table and only inserts."""
    return (
        all(read.table != table for read in transaction.predicate_reads)
        and all(read.table != table for read in transaction.item_reads)
        and all(change.before is None for change in transaction.changes)
    )


def _shows(transaction: Transaction, commit: Transaction) -> bool:
    return commit.commit_version is not None and transaction.read_version >= commit.commit_version


def _over_before(one: Transaction, other: Transaction) -> bool:
    """True if one committed, or as a reader took its snapshot, before the other committed."""
    assert other.commit_version is not None
    end = one.read_version if one.commit_version is None else one.commit_version
    return end < other.commit_version


def _path(graph: Dependencies, nodes: int, source: int, target: int) -> bool:
    """True if conflicts lead from one node to another through the first ``nodes`` of a graph."""
    seen, waiting = {source}, [source]
    while waiting:
        here = waiting.pop()
        if here == target:
            return True
        for there in range(nodes):
            if there not in seen and graph.mask(here, there) & _CONFLICT:
                seen.add(there)
                waiting.append(there)
    return False
