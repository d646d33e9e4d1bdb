"""Scenarios and workloads written in Python, checked like those in files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from checker.robustness.jobs.domain import instances
from checker.robustness.jobs.workload import Jobs
from checker.robustness.jobs.workload import jobs as prepared_jobs
from isodelta.files.profiles import chosen
from model.errors import InvalidScenario
from model.preparation import steps
from model.profiles import DEFAULT, Profile
from model.scenario import Expectation, Scenario, Step, TableSpec
from model.several import check_parts, prepare_parts


def table(
    columns: Mapping[str, str],
    *,
    partition_by: Sequence[str] = (),
    cluster_by: Sequence[str] = (),
    properties: Mapping[str, str] | None = None,
    setup: Sequence[str] = (),
) -> TableSpec:
    """A table: columns by name with Spark's SQL types, and set-up statements, a commit each.

    Raises InvalidScenario for text where a list belongs; what is in the texts is checked with the
    scenario or workload.
    """
    for key, given in (
        ("partition_by", partition_by),
        ("cluster_by", cluster_by),
        ("setup", setup),
    ):
        if isinstance(given, str):
            raise InvalidScenario(f"{key} is a list of strings, not a string", ("table", key))
    return TableSpec(
        dict(columns), tuple(partition_by), tuple(cluster_by), dict(properties or {}), tuple(setup)
    )


def scenario(
    name: str,
    table: TableSpec,
    transactions: Mapping[str, str],
    schedule: Iterable[str | Step],
    *,
    tables: Mapping[str, TableSpec] | None = None,
    expect: Expectation | None = None,
    profile: Profile | str = DEFAULT,
) -> Scenario:
    """A scenario, checked as one from a file would be.

    An entry of ``schedule`` is a Step or a text as in a file: ``begin A``, ``commit A``, or ``A``
    for both. Raises InvalidScenario, whose ``where`` names the place.
    """
    built = Scenario(
        name,
        table,
        dict(transactions),
        tuple(_steps(schedule)),
        dict(tables or {}),
        expect or Expectation(),
    )
    rules = chosen(profile)
    check_parts(prepare_parts(built, rules), built.schedule, rules)
    return built


def workload(
    name: str,
    table: TableSpec,
    jobs: Mapping[str, str],
    *,
    tables: Mapping[str, TableSpec] | None = None,
    profile: Profile | str = DEFAULT,
) -> Jobs:
    """Jobs over one table, for ``robustness``: SQL by name, in which ``:name`` is a parameter.

    Raises InvalidScenario, whose ``where`` names the place.
    """
    built = prepared_jobs(name, table, dict(tables or {}), dict(jobs), chosen(profile))
    instances(built)  # Analyses the SQL of every job.
    return built


def _steps(schedule: Iterable[str | Step]) -> list[Step]:
    if isinstance(schedule, str):
        raise InvalidScenario("schedule is a list of steps, not a string", ("schedule",))
    result: list[Step] = []
    for number, entry in enumerate(schedule):
        given: object = entry
        if isinstance(given, Step):
            result.append(given)
        elif isinstance(given, str):
            result += steps(given)
        else:
            kind = type(given).__name__
            raise InvalidScenario(f"a step is a Step or a text, not {kind}", ("schedule", number))
    return result
