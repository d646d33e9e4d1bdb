"""The cost of a remedy: the conflicts that it adds."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import replace

from checker.robustness import search
from checker.robustness.histories import Stage
from checker.robustness.jobs.domain import instances
from checker.robustness.jobs.workload import Jobs, jobs
from checker.robustness.other_rows import with_other_rows
from checker.robustness.remedies import Remedy
from checker.robustness.search import Abort
from model.errors import InvalidScenario

MOST_PRICED = 4
"""The most remedies whose cost is computed."""


def priced(given: Jobs, cures: Iterable[Remedy], aborts: Iterable[Abort]) -> tuple[Remedy, ...]:
    """The remedies, each with the aborts that it adds to ``aborts``."""
    before = {(abort.current, abort.winner) for abort in aborts}
    made = []
    for place, remedy in enumerate(cures):
        changes = bool(remedy.properties or remedy.changed)
        if not changes or place >= MOST_PRICED:
            made.append(remedy)
            continue
        after = _aborts(given, remedy, before)
        added = tuple((one.current, one.winner, one.conflict) for one in after)
        made.append(replace(remedy, adds=added))
    return tuple(made)


def _aborts(given: Jobs, remedy: Remedy, before: Container[tuple[str, str]]) -> tuple[Abort, ...]:
    """The aborts of the jobs with a remedy, from pairs of runs; those ``before`` are left out."""
    sql = {name: remedy.changed.get(name, one.text) for name, one in given.templates.items()}
    table = replace(given.table, properties={**given.table.properties, **remedy.properties})
    try:
        again = jobs(
            given.name,
            table,
            given.tables,
            sql,
            given.profile,
            given.types,
            given.widening,
        )
        tried = instances(again)
    except InvalidScenario:
        return ()
    elsewhere = tuple(Stage(other, in_order=False) for other in with_other_rows(again))
    stage = Stage(again, in_order=False)
    return search.aborts(stage, tried, elsewhere, pairs_only=True, without=before)
