"""Reads from a live transaction what it has recorded as read."""

from __future__ import annotations

from typing import Any

from conformance.engine import Footprint, ReadPredicate


def footprint_of(transaction: Any) -> Footprint:
    """The read footprint of a Delta ``OptimisticTransaction`` held before its commit."""
    predicates = tuple(
        ReadPredicate(
            partition=_sql(predicate.partitionPredicates()),
            data=_sql(predicate.dataPredicates()),
            rewritten=predicate.shouldRewriteFilter(),
        )
        for predicate in transaction.readPredicates().toArray()
    )
    files = frozenset(file.path() for file in transaction.readFiles().toArray())
    return Footprint(predicates, files, transaction.readTheWholeTable())


def _sql(expressions: Any) -> tuple[str, ...]:
    return tuple(expressions.apply(n).sql() for n in range(expressions.size()))
