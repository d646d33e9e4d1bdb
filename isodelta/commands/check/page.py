"""The report page of checked scenarios."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from isodelta.options import Common
from isodelta.report import Finding, FindingClass, Report, ScenarioResult
from isodelta.report.start import new_report, slug, unused
from isodelta.runs.judging import Checked


def page(common: Common, checked: Sequence[Checked]) -> Report:
    """A scenario that violates the level of its table is a finding."""
    report = new_report(common, f"{len(checked)} scenarios, run in the model and judged.")
    report.summary.scenarios = len(checked)
    report.summary.schedules = len(checked)
    for result in checked:
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
