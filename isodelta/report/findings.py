"""Findings of a report, from what searches and replays found."""

from __future__ import annotations

from checker.search import finding as search
from conformance.replay.comparison import Comparison, DifferenceClass
from isodelta.report import Finding, FindingClass
from isodelta.runs.judging import check_scenario
from isodelta.runs.replaying import compared_with, replay_result
from isodelta.runs.results import RunResult
from model.profiles import Profile
from model.scenario import Scenario

CLASSES = {
    DifferenceClass.ENGINE_BREAKS_LEVEL: FindingClass.ENGINE_BREAKS_LEVEL,
    DifferenceClass.FALSE_CONFLICT: FindingClass.FALSE_CONFLICT,
    DifferenceClass.ENGINE_DISOBEYS: FindingClass.ENGINE_DISOBEYS,
    DifferenceClass.MODEL_IS_WRONG: FindingClass.MODEL_WRONG,
    DifferenceClass.UNKNOWN: FindingClass.UNEXPLAINED,
}
"""How a report calls each class of difference."""

UNEXPLAINED = (FindingClass.MODEL_WRONG, FindingClass.UNEXPLAINED)
"""Differences that nobody may leave as they are."""

_DEPTH = {
    "final state": "No serial order of the writers leaves these rows.",
    "view": "A serial order leaves these rows, but none gives the same reads as well.",
    "conflict": "A serial order gives the same reads and rows: equal values hide the cycle.",
}


def difference(comparison: Comparison, name: str, profile: Profile) -> Finding:
    """The finding for a replay that differs from what the rules of ``profile`` predict."""
    observation = comparison.observation
    words = "; ".join(
        f"{d.about}: {d.what} predicted {d.predicted}, observed {d.observed}"
        for d in comparison.differences
    )
    scenario = observation.scenario.at_level(observation.level)
    return Finding(
        name=name,
        title=f"Model and engine differ: {scenario.name}",
        kind=CLASSES[comparison.differences[0].classified],
        level=observation.level,
        summary=f"{words}.",
        scenario=scenario,
        predicted=compared_with(comparison),
        observed=replay_result(comparison, profile.name),
    )


def violation(
    found: search.Finding, name: str, predicted: RunResult, observed: RunResult | None = None
) -> Finding:
    """The finding for a minimal history that a level forbids and the rules admit."""
    promise = (
        f"The table promises {found.table_level}, and its rules admit this all the same."
        if found.kind == "level-violation"
        else f"A {found.table_level} table does not promise {found.level} (N8, N11)."
    )
    others = f" One of {found.count} minimal histories of this shape." if found.count > 1 else ""
    return Finding(
        name=name,
        title=found.title,
        kind=FindingClass.LEVEL_VIOLATION,
        level=found.level,
        summary=f"{promise} {_DEPTH[found.violated[-1]]}{others}",
        scenario=found.scenario,
        predicted=predicted,
        observed=observed,
    )


def predicted_result(scenario: Scenario, profile: Profile) -> RunResult:
    """What the model makes of a scenario that comes from no file."""
    return check_scenario(scenario, profile).result
