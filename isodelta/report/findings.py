"""The findings of a report, made from the results of searches and replays."""

from __future__ import annotations

from checker.search import finding as search
from conformance.replay.comparison import Comparison, DifferenceClass
from isodelta.report import Finding, FindingClass
from isodelta.runs.replaying import compared_with, replay_result
from isodelta.runs.results import RunResult
from model.profiles import Profile

CLASSES = {
    DifferenceClass.ENGINE_BREAKS_LEVEL: FindingClass.ENGINE_BREAKS_LEVEL,
    DifferenceClass.FALSE_CONFLICT: FindingClass.FALSE_CONFLICT,
    DifferenceClass.ENGINE_DISOBEYS: FindingClass.ENGINE_DISOBEYS,
    DifferenceClass.MODEL_IS_WRONG: FindingClass.MODEL_WRONG,
    DifferenceClass.UNKNOWN: FindingClass.UNEXPLAINED,
}
"""The report's class for each class of difference."""

UNEXPLAINED = (FindingClass.MODEL_WRONG, FindingClass.UNEXPLAINED)
"""Classes of differences that somebody has to resolve."""

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
    history: search.Finding, name: str, predicted: RunResult, observed: RunResult | None = None
) -> Finding:
    """The finding for a minimal history that a level forbids and the rules admit."""
    promise = (
        f"The table promises {history.table_level}, and its rules admit this all the same."
        if history.kind == "level-violation"
        else f"A {history.table_level} table does not promise {history.level} (N8, N11)."
    )
    others = (
        f" One of {history.count} minimal histories of this shape." if history.count > 1 else ""
    )
    return Finding(
        name=name,
        title=history.title,
        kind=FindingClass.LEVEL_VIOLATION,
        level=history.level,
        summary=f"{promise} {_DEPTH[history.violated[-1]]}{others}",
        scenario=history.scenario,
        predicted=predicted,
        observed=observed,
    )
