"""The report folder of an exploration."""

from __future__ import annotations

from pathlib import Path

from checker import finding as search
from isodelta.exploration import Difference, Exploration
from isodelta.model_report import finish, new_report, slug, unused
from isodelta.options import Common
from isodelta.report_findings import UNEXPLAINED, difference, violation


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
            report.findings.append(difference(found.comparison, name, common.profile))
        else:
            report.findings.append(violation(found, name, common.profile))
    report.summary.unexplained = sum(finding.kind in UNEXPLAINED for finding in report.findings)
    return finish(report, common.report, exploration.seconds)
