"""The report folder of an exploration."""

from __future__ import annotations

from pathlib import Path

from checker import finding as search
from conformance.comparison import DifferenceClass
from isodelta.exploration import Difference, Exploration, finding_result, loaded
from isodelta.judging import check
from isodelta.model_report import finish, new_report, slug, unused
from isodelta.options import Common
from isodelta.replay_results import replay_result
from isodelta.report import Finding, FindingClass
from isodelta.results import check_result
from model.profiles import Profile

CLASSES = {
    DifferenceClass.ENGINE_BREAKS_LEVEL: FindingClass.ENGINE_BREAKS_LEVEL,
    DifferenceClass.FALSE_CONFLICT: FindingClass.FALSE_CONFLICT,
    DifferenceClass.MODEL_IS_WRONG: FindingClass.MODEL_WRONG,
    DifferenceClass.UNKNOWN: FindingClass.UNEXPLAINED,
}
"""How the report calls each class of difference."""


def write_exploration_report(common: Common, exploration: Exploration, engine: str | None) -> Path:
    """Writes the report of an exploration; returns the path of its page. Raises BadInput."""
    assert common.report is not None
    counts = exploration.summary()
    whole = "All" if exploration.complete else "A part of the"
    report = new_report(
        common,
        f"{whole} schedules of up to {exploration.transactions} transactions over an alphabet of "
        f"statements: {counts['schedules']:,} schedules, {counts['histories']:,} histories.",
    )
    report.summary.schedules = counts["schedules"]
    report.summary.replays = exploration.replays
    report.summary.differences = len(exploration.differences)
    if engine is not None:
        report.engine = engine
    names: set[str] = set()
    everything: list[search.Finding | Difference] = [
        *exploration.findings,
        *exploration.differences,
    ]
    for found in everything:
        name = unused(slug(found.scenario.name), names)
        names.add(name)
        if isinstance(found, Difference):
            report.findings.append(_difference(found, name, common.profile))
        else:
            report.findings.append(_violation(found, name, common.profile))
    report.summary.unexplained = sum(
        finding.kind in (FindingClass.MODEL_WRONG, FindingClass.UNEXPLAINED)
        for finding in report.findings
    )
    return finish(report, common.report, exploration.seconds)


def _violation(found: search.Finding, name: str, profile: Profile) -> Finding:
    result = finding_result(found, profile)
    summary = (
        f"A table at {found.table_level} promises {found.level}, and the rules admit this."
        if result["promised"]
        else f"A table at {found.table_level} does not promise {found.level}."
    )
    return Finding(
        name=name,
        title=found.title,
        kind=FindingClass.LEVEL_VIOLATION,
        level=found.level,
        summary=summary,
        scenario=result["scenario"],
        predicted=check_result(check(loaded(found.scenario, profile), profile)),
    )


def _difference(found: Difference, name: str, profile: Profile) -> Finding:
    result = finding_result(found, profile)
    first = found.comparison.differences[0]
    return Finding(
        name=name,
        title=f"Model and engine differ: {found.scenario.name}",
        kind=CLASSES[first.classified],
        level=result["level"],
        summary=(
            f"{first.about}: {first.what} predicted {first.predicted}, observed {first.observed}."
        ),
        scenario=result["scenario"],
        observed=replay_result(found.comparison, profile.name),
    )
