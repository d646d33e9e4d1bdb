"""The shape that every violation of WriteSerializable has under delta-spark-4.4.

``checker.proofs.theorems.unseen_append`` proves that there is no other; this module finds it in a
history, so that the theorem can be held against whatever a search or an engine comes up with.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from checker.judging.dependencies import BIT, Dependencies, dependencies
from model.history import History, Transaction
from model.levels import CONFLICTS, EdgeKind

_RW_PREDICATE = BIT[EdgeKind.RW_PREDICATE]
_BUILDS_ON = BIT[EdgeKind.WR_ITEM] | BIT[EdgeKind.WR_PREDICATE] | BIT[EdgeKind.WW]
_CONFLICT = sum(BIT[kind] for kind in CONFLICTS)


@dataclass(frozen=True, slots=True)
class MissedAppend:
    """``missing`` has an rw edge to the blind append, on which ``built_on`` depends.

    ``built_on`` ran from begin to end while ``missing`` ran. By name.
    """

    missing: str
    append: str
    built_on: str


def missed_appends(history: History) -> tuple[MissedAppend, ...]:
    """The triples of a history, whether or not they are part of a cycle."""
    graph = dependencies(history)
    return tuple(triple for triple, *_ in _triples(graph))


def on_a_cycle(history: History) -> tuple[MissedAppend, ...]:
    """The triples from whose last transaction a path of dependencies leads to the first."""
    graph = dependencies(history)
    return tuple(triple for triple, t, x in _triples(graph) if path(graph, graph.writers, x, t))


def _triples(graph: Dependencies) -> Iterator[tuple[MissedAppend, int, int]]:
    writers = range(graph.writers)
    table = graph.history.table
    for t in writers:
        for b in range(t):
            if not graph.mask(t, b) & _RW_PREDICATE or not _blind(graph.nodes[b], table):
                continue
            for x in range(b + 1, t):
                if graph.mask(b, x) & _BUILDS_ON and _shows(graph.nodes[x], graph.nodes[b]):
                    names = (graph.nodes[place].name for place in (t, b, x))
                    yield MissedAppend(*names), t, x


def _blind(transaction: Transaction, table: str) -> bool:
    """Whether it reads nothing of the table and only inserts."""
    return (
        all(read.table != table for read in transaction.predicate_reads)
        and all(read.table != table for read in transaction.item_reads)
        and all(change.before is None for change in transaction.changes)
    )


def _shows(transaction: Transaction, commit: Transaction) -> bool:
    return commit.commit_version is not None and transaction.read_version >= commit.commit_version


def path(graph: Dependencies, nodes: int, source: int, target: int) -> bool:
    """Whether conflicts lead from one node to another through the first ``nodes`` of a graph."""
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
