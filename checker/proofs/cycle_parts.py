"""The two parts of every cycle, found in a history: what ``roles`` asks of jobs in advance.

So the theorem (``checker.proofs.theorems.every_transaction``) can be held against whatever a search
or an engine comes up with.
"""

from __future__ import annotations

from checker.judging.dependencies import BIT, dependencies
from checker.proofs.missed_append import path
from model.history import History, Transaction
from model.levels import CONFLICTS, EdgeKind

_RW = BIT[EdgeKind.RW_ITEM] | BIT[EdgeKind.RW_PREDICATE]
_BUILDS_ON = BIT[EdgeKind.WR_ITEM] | BIT[EdgeKind.WR_PREDICATE] | BIT[EdgeKind.WW]
_CONFLICT = sum(BIT[kind] for kind in CONFLICTS)


def missed_appends(history: History) -> tuple[tuple[str, str, str], ...]:
    """T, B and X on a cycle: T misses the blind append B, X depends on it and is over before T."""
    graph = dependencies(history)
    nodes = graph.nodes
    return tuple(
        (nodes[t].name, nodes[b].name, nodes[x].name)
        for t in range(graph.writers)
        for b in range(t)
        if graph.mask(t, b) & _RW and _blind(nodes[b], history.table)
        for x in range(len(nodes))
        if x not in (t, b)
        and graph.mask(b, x) & _BUILDS_ON
        and _over_before(nodes[x], nodes[t])
        and path(graph, len(graph.nodes), x, t)
    )


def ways_back(history: History) -> tuple[tuple[str, str], ...]:
    """W and Z on a cycle: Z, no blind append, changed what W read, and W ran while Z did."""
    graph = dependencies(history)
    nodes = graph.nodes
    return tuple(
        (nodes[w].name, nodes[z].name)
        for z in range(graph.writers)
        if not _blind(nodes[z], history.table)
        for w in range(len(nodes))
        if w != z
        and graph.mask(w, z) & _RW
        and nodes[z].read_version <= nodes[w].read_version
        and _over_before(nodes[w], nodes[z])
        and path(graph, len(graph.nodes), z, w)
    )


def _over_before(one: Transaction, other: Transaction) -> bool:
    """Whether one committed, or as a reader took its snapshot, before the other committed."""
    assert other.commit_version is not None
    end = one.read_version if one.commit_version is None else one.commit_version
    return end < other.commit_version


def _blind(transaction: Transaction, table: str) -> bool:
    """Whether it reads nothing of the table and only inserts."""
    return (
        all(read.table != table for read in transaction.predicate_reads)
        and all(read.table != table for read in transaction.item_reads)
        and all(change.before is None for change in transaction.changes)
    )
