"""The report page of an answer about a workload."""

from __future__ import annotations

from collections.abc import Sequence

from checker.robustness.answer import Answer, Question
from checker.robustness.histories import SERIAL
from isodelta.commands.robust.readings import history_summary, meaning
from isodelta.commands.robust.results import Asked
from isodelta.commands.robust.words import headline
from isodelta.options import Common
from isodelta.report import Finding, FindingClass, Report, ScenarioResult
from isodelta.report.findings import predicted_result
from isodelta.report.start import new_report, slug, unused
from isodelta.runs.replaying import replay_result


def _summary(answer: Answer) -> str:
    """The verdict with its reason, the remedies, and the SQL of the jobs."""
    jobs = answer.jobs
    text = (
        f"{jobs.name}: {answer.serial.verdict}, {headline(answer)} "
        f"{meaning(answer.serial)} {answer.serial.because.removesuffix('.')}."
    )
    if answer.remedies:
        words = " ".join(remedy.words for remedy in answer.remedies)
        text += f" Each of these makes the jobs robust: {words}"
    if not jobs.templates:
        return text
    sql = "; ".join(f"{name}: {template.text}" for name, template in jobs.templates.items())
    return f"{text} Jobs, at {jobs.level}: {sql.removesuffix(';')}."


def page(common: Common, results: Sequence[Asked], engine: str | None) -> Report:
    """The histories that show the answers as findings; aborts and replays as scenarios."""
    report = new_report(common, " ".join(_summary(asked.answer) for asked in results))
    report.engine = engine or report.engine
    used: set[str] = set()
    for asked in results:
        _add(report, asked, used)
    report.summary.scenarios = len(report.scenarios) + len(report.findings)
    replays = [replay for asked in results for replay in asked.replays]
    report.summary.replays = len(replays)
    report.summary.differences = sum(not replay.comparison.agrees for replay in replays)
    return report


def _add(report: Report, asked: Asked, used: set[str]) -> None:
    """Adds the histories of one answer."""
    answer, replays = asked.answer, asked.replays
    jobs = answer.jobs
    observed = {id(replay.history): replay for replay in replays}
    for level, question, subject in (
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
        replayed = observed.get(id(question.found))
        report.findings.append(
            Finding(
                name=name,
                title=scenario.name,
                kind=FindingClass.LEVEL_VIOLATION,
                level=level,
                summary=history_summary(question, subject),
                scenario=scenario,
                predicted=predicted_result(scenario, jobs.profile),
                observed=replay_result(replayed.comparison, jobs.profile.name)
                if replayed
                else None,
            )
        )
    for abort in answer.aborts:
        scenario = abort.found.scenario
        predicted = predicted_result(scenario, jobs.profile)
        report.scenarios.append(
            ScenarioResult(name=scenario.name, level=jobs.level, predicted=predicted)
        )
    for replay in replays:
        report.scenarios.append(
            ScenarioResult(
                name=replay.history.scenario.name,
                level=jobs.level,
                observed=replay_result(replay.comparison, jobs.profile.name),
            )
        )
