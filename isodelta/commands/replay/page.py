"""The report folder of a replay: what ``isodelta replay --report`` writes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from checker.judging.verdict import judge
from conformance.replay.campaign import Replayed
from isodelta.commands.replay.results import replay_result
from isodelta.files.scenario_writer import scenario_mapping
from isodelta.files.scenarios import Loaded
from isodelta.options import Common
from isodelta.report import Finding, FindingClass, Report, ScenarioResult
from isodelta.report import findings as report_findings
from isodelta.report.findings import UNEXPLAINED, with_level
from isodelta.report.start import finish, new_report, slug, unused
from isodelta.runs.judging import Checked
from isodelta.runs.results import check_result


@dataclass(frozen=True, slots=True)
class ReplayedScenario:
    """A scenario of a file, its replay, and in one line each what its author expected otherwise."""

    loaded: Loaded
    replayed: Replayed
    unmet: tuple[str, ...]


def write_replay_report(
    common: Common,
    engine: str,
    versions: Mapping[str, str],
    results: Sequence[ReplayedScenario],
    seconds: float,
    cut_short: str | None = None,
) -> Path:
    """Writes the report of replayed scenarios; returns the path of its page.

    A difference from the model is a finding, and so is an observed history that violates the level
    of its table. ``engine`` is what stands after ``--engine`` to replay them again, with the
    options that belong to it; ``cut_short`` says why scenarios are missing. Raises BadInput.
    """
    assert common.report is not None
    report = new_report(
        common, f"{len(results)} scenarios, replayed on {engine} and compared with the model."
    )
    report.engine = engine
    report.versions.update(versions)
    report.summary.scenarios = report.summary.schedules = report.summary.replays = len(results)
    for result in results:
        _add(report, common, result)
    if cut_short is not None:
        report.incomplete_because = cut_short
    return finish(report, common.report, seconds, complete=cut_short is None)


def _add(report: Report, common: Common, result: ReplayedScenario) -> None:
    comparison = result.replayed.comparison
    observation = comparison.observation
    predicted = _predicted_result(result)
    observed = replay_result(comparison, common.profile.name)
    name = unused(slug(observation.scenario.name), {f.name for f in report.findings})
    finding = None
    if not comparison.agrees:
        # The prediction is that of the comparison: transactions may follow different profiles.
        finding = replace(
            report_findings.difference(comparison, name, common.profile), predicted=predicted
        )
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
            scenario=scenario_mapping(with_level(observation.scenario, observation.level)),
            predicted=predicted,
            observed=observed,
        )
    if finding is not None:
        report.findings.append(finding)
    report.scenarios.append(
        ScenarioResult(
            name=observation.scenario.name,
            level=observation.level,
            file=Path(result.loaded.file).name,
            predicted=predicted,
            observed=observed,
            problems=result.unmet,
            finding=None if finding is None else finding.name,
            seconds=round(result.replayed.seconds, 3),
        )
    )


def _predicted_result(result: ReplayedScenario) -> dict[str, Any]:
    """The run that the replay was compared with, as ``check --json`` prints one."""
    comparison = result.replayed.comparison
    verdicts = judge(comparison.predicted.history, tuple(comparison.verdicts))
    return check_result(Checked(result.loaded, comparison.predicted, verdicts, ()))
