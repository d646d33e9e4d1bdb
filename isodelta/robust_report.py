"""The report folder of an answer about a workload."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from checker.robustness.answer import Answer, Question
from checker.robustness.histories import SERIAL
from isodelta.judging import check
from isodelta.model_report import finish, new_report, slug, unused
from isodelta.options import Common
from isodelta.replay_results import replay_result
from isodelta.report import Finding, FindingClass, ScenarioResult
from isodelta.report_findings import predicted_result
from isodelta.results import check_result
from isodelta.robust_replay import ReplayedHistory
from isodelta.robust_words import history_summary, meaning
from isodelta.scenario_files import Loaded, scenario_mapping
from model.workload import prepare


def _summary(answer: Answer) -> str:
    """The question, the answer, and what would help."""
    jobs = answer.jobs
    given = "; ".join(f"{name}: {template.text}" for name, template in jobs.templates.items())
    text = (
        f"Workload {jobs.name}, table at {jobs.level}: {answer.serial.verdict}. "
        f"{meaning(answer.serial)} {answer.serial.because.removesuffix('.')}. "
        f"Jobs: {given.removesuffix(';')}."
    )
    if answer.remedies:
        words = " ".join(remedy.words for remedy in answer.remedies)
        text += f" Each of these makes the jobs robust: {words}"
    return text


def write_robust_report(
    common: Common, answer: Answer, replays: Sequence[ReplayedHistory], engine: str | None
) -> Path:
    """Writes the report; returns the path of its page. Raises BadInput."""
    assert common.report is not None
    jobs = answer.jobs
    report = new_report(common, _summary(answer))
    if engine is not None:
        report.engine = engine
    used: set[str] = set()
    observed = {id(one.found): one for one in replays}
    for level, question, who in (
        (SERIAL, answer.serial, "all these jobs"),
        (
            "WriteSerializable",
            answer.writers if answer.writers is not answer.serial else None,
            "these jobs",
        ),
        ("Serializable", answer.log_order, "the log"),
    ):
        if not isinstance(question, Question) or question.found is None:
            continue
        scenario = question.found.scenario
        name = unused(slug(scenario.name), used)
        used.add(name)
        seen = observed.get(id(question.found))
        report.findings.append(
            Finding(
                name=name,
                title=scenario.name,
                kind=FindingClass.LEVEL_VIOLATION,
                level=level,
                summary=history_summary(question, who),
                scenario=scenario_mapping(scenario),
                predicted=predicted_result(scenario, jobs.profile),
                observed=replay_result(seen.comparison, jobs.profile.name) if seen else None,
            )
        )
    for abort in answer.aborts:
        scenario = abort.found.scenario
        ready = prepare(scenario, jobs.profile)
        checked = check(Loaded(scenario, ready, "", 0), jobs.profile)
        report.scenarios.append(
            ScenarioResult(
                name=f"{scenario.name}", level=jobs.level, predicted=check_result(checked)
            )
        )
    for one in replays:
        report.scenarios.append(
            ScenarioResult(
                name=one.found.scenario.name,
                level=jobs.level,
                observed=replay_result(one.comparison, jobs.profile.name),
            )
        )
    report.summary.scenarios = len(report.scenarios) + len(report.findings)
    report.summary.replays = len(replays)
    report.summary.differences = sum(not one.comparison.agrees for one in replays)
    return finish(report, common.report, answer.seconds)
