"""The reads that a live transaction has recorded."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from conformance.engine import Engine, Footprint, ReadPredicate
from model.scenario import Scenario, Step

_QUALIFIER = re.compile(r"\bspark_catalog\.replay_\d+\.")
"""Catalog and database, which differ from replay to replay; the table's name stays."""


def footprint_of(transaction: Any) -> Footprint | None:
    """The read footprint of a Delta ``OptimisticTransaction`` held before its commit.

    None for a release that keeps it elsewhere: these fields are the engine's own.
    """
    from py4j.protocol import Py4JError, Py4JJavaError

    try:
        return _footprint_of(transaction)
    except Py4JJavaError:
        raise
    except Py4JError:
        return None


def _footprint_of(transaction: Any) -> Footprint:
    predicates = tuple(
        ReadPredicate(
            partition=_sql(predicate.partitionPredicates()),
            data=_sql(predicate.dataPredicates()),
            rewritten=predicate.shouldRewriteFilter(),
        )
        for predicate in _each(transaction.readPredicates())
    )
    files = frozenset(file.path() for file in _each(transaction.readFiles()))
    return Footprint(predicates, files, transaction.readTheWholeTable())


def _each(collection: Any) -> Iterator[Any]:
    """The elements of a collection of Java's or Scala's: which one it is depends on the release."""
    iterator = collection.iterator()
    while iterator.hasNext():
        yield iterator.next()


def observe_footprint(
    engine: Engine, scenario: Scenario, name: str, level: str | None = None
) -> Footprint | None:
    """The read footprint of a transaction of a scenario, at its place in the schedule.

    None if it ends before it reaches a commit, and for a query. Raises EngineError.
    """
    replay = engine.open(scenario, level)
    try:
        for step in scenario.schedule:
            if step == Step("begin", name):
                break
            (replay.begin if step.action == "begin" else replay.commit)(step.transaction)
        return replay.begin(name).footprint
    finally:
        replay.close()


def _sql(expressions: Any) -> tuple[str, ...]:
    texts = [expressions.apply(n).sql() for n in range(expressions.size())]
    return tuple(_QUALIFIER.sub("", text) for text in texts)
