"""The report page of checked scenarios."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from isodelta.options import Common
from isodelta.report import Finding, FindingClass, Report, ScenarioResult
from isodelta.report.start import new_report, slug, unused
from isodelta.runs.judging import Checked, Undecided
from isodelta.runs.tables import CheckedTables


def page(common: Common, checked: Sequence[Checked | CheckedTables | Undecided]) -> Report:
    """A scenario that violates the level of its table is a finding.

    Of scenarios that are not decided only their number is said.
    """
    open_ = sum(isinstance(result, Undecided) for result in checked)
    ending = f" {open_} of them could not be decided." if open_ else ""
    report = new_report(common, f"{len(checked)} scenarios, run in the model and judged.{ending}")
    report.summary.scenarios = len(checked)
    report.summary.schedules = len(checked)
    for result in _each(checked):
        scenario, predicted = result.loaded.scenario, result.result
        name = None
        if result.verdicts[result.level].verdict == "violated":
            name = unused(slug(scenario.name), {f.name for f in report.findings})
            report.findings.append(
                Finding(
                    name=name,
                    title=scenario.name,
                    kind=FindingClass.LEVEL_VIOLATION,
                    level=result.level,
                    summary=f"The rules let this history commit, and {result.level} forbids it.",
                    scenario=scenario,
                    predicted=predicted,
                )
            )
        report.scenarios.append(
            ScenarioResult(
                name=scenario.name,
                level=result.level,
                file=Path(result.loaded.file).name,
                predicted=predicted,
                problems=result.failures,
                finding=name,
            )
        )
    return report


def _each(checked: Sequence[Checked | CheckedTables | Undecided]) -> Iterator[Checked]:
    """The decided results; one that is about several tables as one for each of them."""
    for result in checked:
        if isinstance(result, CheckedTables):
            yield from result.each()
        elif isinstance(result, Checked):
            yield result
