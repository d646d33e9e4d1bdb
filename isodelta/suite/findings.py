"""Turns what the searches and replays found into findings of the report."""

from __future__ import annotations

from dataclasses import replace

from checker import finding as search
from conformance.comparison import Comparison, DifferenceClass
from isodelta.judging import check
from isodelta.replay_results import replay_result
from isodelta.report import Finding, FindingClass
from isodelta.results import check_result
from isodelta.scenario_files import Loaded, scenario_mapping
from isodelta.suite.context import Suite
from model.scenario import Scenario
from model.workload import prepare

_CLASSES = {
    DifferenceClass.ENGINE_BREAKS_LEVEL: FindingClass.ENGINE_BREAKS_LEVEL,
    DifferenceClass.FALSE_CONFLICT: FindingClass.FALSE_CONFLICT,
    DifferenceClass.MODEL_IS_WRONG: FindingClass.MODEL_WRONG,
    DifferenceClass.UNKNOWN: FindingClass.UNEXPLAINED,
}


_DEPTH = {
    "final state": "No serial order of the writers leaves these rows.",
    "view": "A serial order leaves these rows, but none gives the same reads as well.",
    "conflict": "A serial order gives the same reads and rows: equal values hide the cycle.",
}


def add_difference(suite: Suite, comparison: Comparison) -> str:
    """Adds the finding for a replay that differs from the model; returns its name."""
    observation = comparison.observation
    first = comparison.differences[0]
    kind = _CLASSES[first.classified]
    if kind in (FindingClass.MODEL_WRONG, FindingClass.UNEXPLAINED):
        suite.report.summary.unexplained += len(comparison.differences)
    words = "; ".join(
        f"{d.about}: {d.what} predicted {d.predicted}, observed {d.observed}"
        for d in comparison.differences
    )
    finding = Finding(
        name=suite.unused_name(f"difference {observation.scenario.name} {observation.level}"),
        title=f"Model and engine differ: {observation.scenario.name}",
        kind=kind,
        level=observation.level,
        summary=f"{words}.",
        scenario=scenario_mapping(with_level(observation.scenario, observation.level)),
        predicted=predicted_result(suite, observation.scenario, observation.level),
        observed=replay_result(comparison, suite.profile.name),
    )
    suite.add(finding)
    return finding.name


def violation(suite: Suite, found: search.Finding, comparison: Comparison | None) -> Finding:
    """The finding for a minimal history that a level forbids and the rules admit."""
    deepest = _DEPTH[found.violated[-1]]
    promise = (
        f"The table promises {found.table_level}, and its rules admit this all the same."
        if found.kind == "level-violation"
        else f"A {found.table_level} table does not promise {found.level} (N8, N11)."
    )
    others = f" One of {found.count} minimal histories of this shape." if found.count > 1 else ""
    observed = replay_result(comparison, suite.profile.name) if comparison else None
    return Finding(
        name=suite.unused_name(found.scenario.name),
        title=found.title,
        kind=FindingClass.LEVEL_VIOLATION,
        level=found.level,
        summary=f"{promise} {deepest}{others}",
        scenario=scenario_mapping(found.scenario),
        predicted=predicted_result(suite, found.scenario, found.table_level),
        observed=observed,
    )


def predicted_result(suite: Suite, scenario: Scenario, level: str) -> dict[str, object]:
    """The JSON object of ``check`` for a scenario at a level."""
    workload = prepare(scenario, suite.profile, level)
    return check_result(check(Loaded(scenario, workload, "", 0), suite.profile))


def with_level(scenario: Scenario, level: str) -> Scenario:
    """The scenario on a table that declares the level."""
    properties = {**scenario.table.properties, "delta.isolationLevel": level}
    return replace(scenario, table=replace(scenario.table, properties=properties))
