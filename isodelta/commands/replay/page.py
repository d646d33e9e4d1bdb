"""The report page of replayed scenarios: observed and predicted side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from isodelta.commands.replay.results import (
    NotPredicted,
    NotReplayed,
    Replayed,
    ReplayedTables,
)
from isodelta.options import Common
from isodelta.report import Finding, FindingClass, Report, ScenarioResult
from isodelta.report.findings import UNEXPLAINED, difference
from isodelta.report.start import new_report, slug, unused
from isodelta.runs.replaying import compared_with
from model.scenario import Scenario

_PART = (
    "The scenario writes several tables. This is the part of one; the others do not change in it."
)


def page(
    common: Common,
    engine: str,
    versions: Mapping[str, str],
    results: Sequence[Replayed | ReplayedTables | NotPredicted | NotReplayed],
) -> Report:
    """A difference from the model is a finding, and so is a violation of the table's level.

    Of replays that broke down, or that the model does not predict, only the number is said.

    ``engine`` is the value of ``--engine`` that replays them again, with its further options.
    """
    broken = sum(isinstance(result, NotReplayed) for result in results)
    open_ = sum(isinstance(result, NotPredicted) for result in results)
    ending = f" {broken} of them broke down." if broken else ""
    ending += f" {open_} of them are not predicted." if open_ else ""
    report = new_report(
        common,
        f"{len(results)} scenarios, replayed on {engine} and compared with the model.{ending}",
    )
    report.engine = engine
    report.versions.update(versions)
    report.summary.scenarios = report.summary.schedules = report.summary.replays = len(results)
    for result in results:
        if isinstance(result, Replayed):
            _add(report, common, result)
        elif isinstance(result, ReplayedTables):
            for replayed in result.tables.values():
                _add(report, common, replayed, result.loaded.scenario)
    return report


def _add(report: Report, common: Common, result: Replayed, whole: Scenario | None = None) -> None:
    """Adds one replay; ``whole`` is the scenario if this is its part for one of several tables."""
    comparison = result.comparison
    observation = comparison.observation
    predicted = compared_with(comparison)
    observed = replace(result.observed, failures=())
    name = unused(slug(observation.scenario.name), {f.name for f in report.findings})
    finding = None
    if not comparison.agrees:
        finding = difference(comparison, name, common.profile)
        report.summary.differences += len(comparison.differences)
        if finding.kind in UNEXPLAINED:
            report.summary.unexplained += len(comparison.differences)
    elif comparison.verdicts[observation.level].verdict == "violated":
        finding = Finding(
            name=name,
            title=observation.scenario.name,
            kind=FindingClass.LEVEL_VIOLATION,
            level=observation.level,
            summary=f"The engine let this history commit, and {observation.level} forbids it.",
            scenario=observation.scenario.at_level(observation.level),
            predicted=predicted,
            observed=observed,
        )
    if finding is not None:
        if whole is not None:
            finding = replace(finding, summary=f"{finding.summary} {_PART}")
        report.findings.append(finding)
    report.scenarios.append(
        ScenarioResult(
            name=observation.scenario.name,
            level=observation.level,
            file=Path(result.loaded.file).name,
            predicted=predicted,
            observed=observed,
            problems=result.failures,
            finding=None if finding is None else finding.name,
            seconds=round(result.seconds, 3),
        )
    )
