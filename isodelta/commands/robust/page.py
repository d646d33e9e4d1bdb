"""The report of an answer about a workload."""

from __future__ import annotations

from checker.robustness.answer import Answer, Question
from checker.robustness.histories import SERIAL
from isodelta.commands.robust.readings import history_summary, meaning
from isodelta.commands.robust.results import Asked
from isodelta.options import Common
from isodelta.report import Finding, FindingClass, Report, ScenarioResult
from isodelta.report.findings import predicted_result
from isodelta.report.start import new_report, slug, unused
from isodelta.runs.replaying import replay_result


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


def page(common: Common, asked: Asked, engine: str | None) -> Report:
    """The histories that show the answer as findings; aborts and replays as scenarios."""
    answer, replays = asked.answer, asked.replays
    jobs = answer.jobs
    report = new_report(common, _summary(answer))
    report.engine = engine or report.engine
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
                scenario=scenario,
                predicted=predicted_result(scenario, jobs.profile),
                observed=replay_result(seen.comparison, jobs.profile.name) if seen else None,
            )
        )
    for abort in answer.aborts:
        scenario = abort.found.scenario
        predicted = predicted_result(scenario, jobs.profile)
        report.scenarios.append(
            ScenarioResult(name=scenario.name, level=jobs.level, predicted=predicted)
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
    return report
