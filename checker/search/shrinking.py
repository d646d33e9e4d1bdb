"""Making a scenario smaller while it keeps a property: what is left is what matters.

Hypothesis does this for what it drew itself; here it works on any scenario, drawn, written or
found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from checker.search.reductions import simpler_columns, simpler_statements
from model.errors import InvalidScenario
from model.preparation import prepare
from model.profiles import DEFAULT
from model.scenario import LEVEL_PROPERTY, Scenario, Step, TableSpec


def minimise(scenario: Scenario, still: Callable[[Scenario], bool]) -> Scenario:
    """The smallest scenario, going step by step, for which ``still`` holds.

    Drops transactions, set-up statements, single rows, parts of conditions and other tables,
    and lets transactions begin later. ``still`` must hold for ``scenario`` itself, otherwise
    ``ValueError``; a scenario for which it raises InvalidScenario does not count.
    """
    if not _holds(scenario, still):
        raise ValueError(f"{scenario.name}: there is nothing to keep")
    smaller: Scenario | None = scenario
    while smaller is not None:
        scenario = smaller
        smaller = next(
            (candidate for candidate in simpler(scenario) if _holds(candidate, still)), None
        )
    return scenario


def _holds(scenario: Scenario, still: Callable[[Scenario], bool]) -> bool:
    try:
        return still(scenario)
    except InvalidScenario:
        return False


def simpler(scenario: Scenario) -> Iterator[Scenario]:
    """Scenarios that are one step simpler, the largest steps first. Not all of them are valid."""
    for name in scenario.transactions if len(scenario.transactions) > 1 else ():
        yield replace(
            scenario,
            transactions={n: sql for n, sql in scenario.transactions.items() if n != name},
            schedule=tuple(s for s in scenario.schedule if s.transaction != name),
        )
    for name in scenario.tables:
        others = {n: spec for n, spec in scenario.tables.items() if n != name}
        yield replace(scenario, tables=others)
    if scenario.table.partition_by:
        yield replace(scenario, table=replace(scenario.table, partition_by=()))
    if scenario.table.cluster_by:
        yield replace(scenario, table=replace(scenario.table, cluster_by=()))
    for key in scenario.table.properties:
        if key != LEVEL_PROPERTY:
            left = {k: v for k, v in scenario.table.properties.items() if k != key}
            yield replace(scenario, table=replace(scenario.table, properties=left))
    for columns in simpler_columns(scenario.table.columns):
        fewer = replace(scenario, table=replace(scenario.table, columns=columns))
        if _fits(fewer):
            yield fewer
    for spec in _simpler_setup(scenario.table):
        yield replace(scenario, table=spec)
    for name, sql in scenario.transactions.items():
        for text in simpler_statements(sql):
            yield replace(scenario, transactions={**scenario.transactions, name: text})
    for name, spec in scenario.tables.items():
        for other in _simpler_setup(spec):
            yield replace(scenario, tables={**scenario.tables, name: other})
    for schedule in _later_begins(scenario.schedule):
        yield replace(scenario, schedule=schedule)


def _fits(scenario: Scenario) -> bool:
    """Whether the statements fit the tables."""
    try:
        prepare(scenario, DEFAULT)
    except InvalidScenario:
        return False
    return True


def _simpler_setup(spec: TableSpec) -> Iterator[TableSpec]:
    for place, sql in enumerate(spec.setup):
        before, after = spec.setup[:place], spec.setup[place + 1 :]
        yield replace(spec, setup=(*before, *after))
        for text in simpler_statements(sql):
            yield replace(spec, setup=(*before, text, *after))


def _later_begins(schedule: tuple[Step, ...]) -> Iterator[tuple[Step, ...]]:
    """Schedules in which one begin comes after the next commit of another transaction."""
    for place, step in enumerate(schedule):
        if step.action != "begin":
            continue
        for later in range(place + 1, len(schedule)):
            other = schedule[later]
            if other.transaction == step.transaction:
                break
            if other.action == "commit":
                between = schedule[place + 1 : later + 1]
                yield (*schedule[:place], *between, step, *schedule[later + 1 :])
                break
