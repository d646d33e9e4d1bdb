"""The report folders of explorations, by search and by solver."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from checker.search import finding as search
from isodelta.commands.explore.search import Difference, Exploration
from isodelta.commands.explore.symbolic import Synthesis
from isodelta.options import Common
from isodelta.report import Report, SuitePart
from isodelta.report.findings import UNEXPLAINED, difference, violation
from isodelta.report.start import finish, new_report, slug, unused
from model.profiles import Profile


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
    _add(report, exploration.findings, exploration.differences, common.profile)
    return finish(report, common.report, exploration.seconds)


def write_synthesis_report(common: Common, synthesis: Synthesis, engine: str | None) -> Path:
    """Writes the report of a symbolic exploration; returns the path of its page.

    Raises BadInput.
    """
    assert common.report is not None
    report = new_report(
        common,
        "Histories from a solver, which the rules admit and the table's level forbids: the "
        "smallest of each kind of statements and schedule. Parts of the suite lists the sizes "
        "that were asked about; none is a proof for that size.",
    )
    report.summary.replays = synthesis.replays
    report.summary.differences = len(synthesis.differences)
    report.engine = engine or report.engine
    for level, sizes in synthesis.sizes.items():
        for size in sizes:
            report.parts.append(
                SuitePart(
                    f"{level}, {size.transactions} writers",
                    "skipped" if size.answer == "unknown" else "passed",
                    message=f"violations: {size.answer}",
                    seconds=size.seconds,
                )
            )
    differences = [Difference(c.observation.scenario, c) for c in synthesis.differences]
    _add(report, synthesis.findings, differences, common.profile)
    report.incomplete_because = "the solver did not answer every question within the budget"
    return finish(report, common.report, synthesis.seconds, complete=synthesis.complete)


def _add(
    report: Report,
    findings: Sequence[search.Finding],
    differences: Sequence[Difference],
    profile: Profile,
) -> None:
    names: set[str] = set()
    everything: list[search.Finding | Difference] = [*findings, *differences]
    for found in everything:
        name = unused(slug(found.scenario.name), names)
        names.add(name)
        if isinstance(found, Difference):
            report.findings.append(difference(found.comparison, name, profile))
        else:
            report.findings.append(violation(found, name, profile))
    report.summary.unexplained = sum(finding.kind in UNEXPLAINED for finding in report.findings)
