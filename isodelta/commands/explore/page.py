"""The report pages of explorations, by search and by solver."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from isodelta.commands.explore.results import Difference, Violation
from isodelta.options import Common
from isodelta.report import Report, SuitePart
from isodelta.report.findings import UNEXPLAINED, difference, violation
from isodelta.report.start import new_report, slug, unused

if TYPE_CHECKING:
    from isodelta.commands.explore.search import Exploration
    from isodelta.commands.explore.symbolic import Synthesis


def search_page(
    common: Common,
    exploration: Exploration,
    results: Sequence[Violation | Difference],
    engine: str | None,
) -> Report:
    """The report of a search, beside an engine if one is named."""
    summary = exploration.summary()
    whole = "All" if exploration.complete else "A part of the"
    report = new_report(
        common,
        f"{whole} schedules of up to {exploration.transactions} transactions over an alphabet of "
        f"statements: {summary.schedules:,} schedules, {summary.histories:,} histories.",
    )
    report.summary.schedules = summary.schedules
    report.summary.replays = exploration.replays
    report.summary.differences = len(exploration.differences)
    report.engine = engine or report.engine
    _add(report, results)
    return report


def symbolic_page(
    common: Common,
    synthesis: Synthesis,
    results: Sequence[Violation | Difference],
    engine: str | None,
) -> Report:
    """The report of a solver's answers. It is incomplete unless every question was answered."""
    report = new_report(
        common,
        "Histories from a solver, which the rules admit and the table's level forbids: the "
        "smallest of each kind of statements and schedule. Parts of the suite lists the sizes "
        "that were asked about; none is a proof for that size.",
    )
    report.summary.replays = synthesis.replays
    report.summary.differences = len(synthesis.differences)
    report.engine = engine or report.engine
    for level, size in synthesis.summary().sizes:
        report.parts.append(
            SuitePart(
                f"{level}, {size.transactions} writers",
                "skipped" if size.answer == "unknown" else "passed",
                message=f"violations: {size.answer}",
                seconds=size.seconds,
            )
        )
    _add(report, results)
    if not synthesis.complete:
        report.incomplete_because = "the solver did not answer every question within the budget"
    return report


def _add(report: Report, results: Sequence[Violation | Difference]) -> None:
    names: set[str] = set()
    for result in results:
        name = unused(slug(result.scenario.name), names)
        names.add(name)
        if isinstance(result, Violation):
            report.findings.append(violation(result.finding, name, result.result))
        else:
            report.findings.append(difference(result.comparison, name, result.profile))
    report.summary.unexplained = sum(finding.kind in UNEXPLAINED for finding in report.findings)
