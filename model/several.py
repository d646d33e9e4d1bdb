"""Scenarios whose transactions write several tables: taken apart by table.

Each statement writes one table. A written table is a Delta table in its own right: it has a log and
a level of its own, and Delta checks a commit against the log of the written table alone. So each
table has a part of the scenario, with the transactions that write it, and is judged by itself. A
query belongs to the target if it reads it, otherwise to the first written table that it reads.

In a part, other tables are read and never written. Their rows are those of the moment at which a
transaction begins (:func:`model.simulator.run_together`). That a transaction of one table reads
another one makes it a reader there. It is left out of the other table's part: a reader of one
version adds no cycle to the order of that table's log.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace

from model.errors import InvalidScenario, NotPredicted, SeveralProblems
from model.preparation import check_schedule, prepared
from model.profiles.base import Profile
from model.scenario import Scenario, Step, TableSpec
from model.simulator import Run, run_together
from model.sql.names import mentioned_tables, written_table
from model.workload import Workload


def homes(scenario: Scenario) -> dict[str, str]:
    """The table that each transaction writes, or, for a query, the one that it belongs to."""
    if not scenario.tables:
        return dict.fromkeys(scenario.transactions, scenario.target)
    names = {name.lower(): name for name in (scenario.target, *scenario.tables)}
    written: dict[str, str] = {}
    for name, text in scenario.transactions.items():
        parts = written_table(text)
        if parts is not None:
            # An unknown name is an error of its own, which the target's part finds.
            written[name] = names.get(".".join(parts), scenario.target)
    candidates = list(dict.fromkeys((scenario.target, *written.values())))
    found: dict[str, str] = {}
    for name, text in scenario.transactions.items():
        if name in written or len(candidates) == 1:
            found[name] = written.get(name, scenario.target)
        else:
            read = {".".join(parts) for parts in mentioned_tables(text)}
            mine = (table for table in candidates if table.lower() in read)
            found[name] = next(mine, scenario.target)
    return found


def parts(scenario: Scenario) -> dict[str, Scenario]:
    """A part for the target, and one for each other table that a transaction writes.

    With a single written table the scenario is its own only part. A part's schedule has its own
    steps only.
    """
    home = homes(scenario)
    written = list(dict.fromkeys((scenario.target, *home.values())))
    if len(written) == 1:
        return {scenario.target: scenario}
    return {table: _part(scenario, table, home, written) for table in written}


def _part(scenario: Scenario, table: str, home: Mapping[str, str], written: list[str]) -> Scenario:
    specs: dict[str, TableSpec] = {scenario.target: scenario.table, **scenario.tables}
    transactions = {n: text for n, text in scenario.transactions.items() if home[n] == table}
    read = {".".join(parts) for text in transactions.values() for parts in mentioned_tables(text)}
    # Tables that nobody writes are checked with the target.
    idle = set() if table != scenario.target else specs.keys() - set(written)
    others = {
        name: spec
        for name, spec in specs.items()
        if name != table and (name.lower() in read or name in idle)
    }
    expect = scenario.expect
    if table != scenario.target:
        given = expect.tables.get(table)
        expect = replace(
            expect,
            rows=None if given is None else given.rows,
            levels={} if given is None else given.levels,
        )
    outcomes = {n: outcome for n, outcome in expect.outcomes.items() if n in transactions}
    return Scenario(
        name=scenario.name if table == scenario.target else f"{scenario.name}: {table}",
        table=specs[table],
        transactions=transactions,
        schedule=tuple(step for step in scenario.schedule if step.transaction in transactions),
        tables=others,
        expect=replace(expect, outcomes=outcomes, tables={}),
        target=table,
    )


def prepare_parts(
    scenario: Scenario, profile: Profile, *, opaque: bool = False
) -> dict[str, Workload]:
    """Each part, ready to run, at the level that its table declares.

    Raises InvalidScenario with the place in the whole scenario.
    """
    check_schedule(scenario)
    workloads: dict[str, Workload] = {}
    for table, part in parts(scenario).items():
        try:
            workloads[table] = prepared(part, profile, opaque=opaque)
        except InvalidScenario as error:
            raise in_the_whole(error, scenario, table) from error
    return workloads


def in_the_whole(error: InvalidScenario, scenario: Scenario, table: str) -> InvalidScenario:
    """An error in a table's part, with its place in the whole scenario."""
    where = error.where
    if table == scenario.target or not where:
        return error
    if isinstance(error, SeveralProblems):
        return SeveralProblems([in_the_whole(e, scenario, table) for e in error.problems])
    if where[0] == "table":
        where = ("tables", table, *where[1:])
    elif where[:2] == ("tables", scenario.target):
        where = ("table", *where[2:])
    error.where = where
    return error


def check_parts(
    workloads: Mapping[str, Workload], schedule: tuple[Step, ...], profile: Profile
) -> None:
    """Runs the schedule where statements change a definition, to see whether all can be analysed.

    Raises UnsupportedSQL for a statement that meets a definition that it is not known for.
    """
    statements = [s for workload in workloads.values() for s in workload.statements.values()]
    if any(s.changes_definition or s.restores for s in statements):
        with suppress(NotPredicted):
            run_together(workloads, schedule, profile)


def run_parts(scenario: Scenario, profile: Profile) -> dict[str, Run]:
    """Prepares and runs a scenario: one run for each written table. Raises InvalidScenario."""
    return run_together(prepare_parts(scenario, profile), scenario.schedule, profile)
