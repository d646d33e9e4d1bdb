"""The report page of an answer about a workload."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from checker.robustness.answer import Question
from checker.robustness.histories import SERIAL, Found
from checker.robustness.remedies import Remedy
from isodelta.commands.robust.readings import history_summary, meaning
from isodelta.commands.robust.results import Asked
from isodelta.commands.robust.sources.tables import LoadedTable
from isodelta.commands.robust.words import failing, headline, how_often, own_sql
from isodelta.files.scenarios import Loaded
from isodelta.options import Common
from isodelta.report import (
    Finding,
    FindingClass,
    JobsAnswer,
    Listed,
    Report,
    ScenarioResult,
)
from isodelta.report.start import new_report, slug, unused
from isodelta.runs.judging import check_scenario, judged
from isodelta.runs.replaying import replay_result
from isodelta.runs.results import RunResult
from model.profiles import Profile

_WORDS = {"robust": ("yes", "good"), "not robust": ("no", "bad"), "unknown": ("not known", "warn")}


def _answer(asked: Asked, finding: str | None) -> JobsAnswer:
    """The answer about one table: the verdict first, then its history, then remedies."""
    answer = asked.answer
    serial = answer.serial
    word, tone = _WORDS[serial.verdict]
    statements: tuple[tuple[str, str], ...] = ()
    if serial.found is not None:
        runs = zip(serial.found.scenario.transactions, serial.found.instances, strict=True)
        statements = tuple((name, own_sql(instance, asked)) for name, instance in runs)
    because = serial.because.split("; ") if serial.found is not None else [serial.because]
    return JobsAnswer(
        table=answer.jobs.name,
        word=word,
        tone=tone,
        headline=headline(answer),
        meaning=meaning(serial),
        because=tuple(_sentence(reason) for reason in because),
        finding=finding,
        statements=statements,
        lists=tuple(part for part in _lists(asked) if part.lines),
    )


def _lists(asked: Asked) -> Iterator[Listed]:
    """What follows the history: remedies first."""
    answer, loaded = asked.answer, asked.loaded
    yield Listed(
        "Each of these makes the jobs robust",
        tuple((remedy.words, _details(remedy)) for remedy in answer.remedies),
    )
    if asked.estimate is not None:
        yield Listed(
            "How often a run aborts, per day (95 % confidence)",
            tuple(
                (f"{variant.name.removesuffix('.')}: {how_often(variant)}", "")
                for variant in asked.estimate.variants
            ),
        )
        yield Listed("This estimate assumes", tuple((a, "") for a in asked.estimate.assumptions))
    made_to_fail: dict[str, list[str]] = {}
    for abort in answer.aborts:
        made_to_fail.setdefault(abort.current, []).append(f"{abort.winner} ({abort.conflict})")
    yield Listed(
        "A run fails when another one commits before it",
        tuple((f"{current}: because of {', '.join(w)}", "") for current, w in made_to_fail.items()),
    )
    yield Listed(
        "To run again after an open error",
        tuple((f"{retry.job}: {retry.verdict}", retry.because) for retry in answer.retries),
    )
    yield Listed(
        f"The jobs, at {answer.jobs.level}",
        tuple((f"{name}: {one.text}", "") for name, one in answer.jobs.templates.items()),
    )
    if isinstance(loaded, LoadedTable):
        parts = dict.fromkeys(f"{part.part} ({part.job})" for part in loaded.opaque)
        yield Listed("Not evaluated; it may come to anything", tuple((p, "") for p in parts))
        types = ", ".join(f"{name} {type_}" for name, type_ in loaded.inferred.items())
        assumed = [*([f"types inferred from their uses: {types}"] if types else [])]
        yield Listed("Assumed", tuple((a, "") for a in (*assumed, *loaded.assumptions)))
    yield Listed(
        "Left alone", tuple((f"{s.job} {s.number}: {s.skipped}", "") for s in asked.skipped)
    )


def _details(remedy: Remedy) -> str:
    """The SQL that a remedy changes, and the conflicts that it adds."""
    parts = [f"{job}: {sql}" for job, sql in remedy.changed.items()]
    parts += [f"then {failing(remedy.adds)}"] if remedy.adds else []
    return "; ".join(parts)


def _sentence(text: str) -> str:
    return f"{text.removesuffix('.')}."


def _predicted(found: Found, profile: Profile) -> RunResult:
    """The run of a history in the model; it is run again only if another process ran it."""
    if found.run is None:
        return check_scenario(found.scenario, profile).result
    return judged(Loaded(found.scenario, found.run.workload, "", 0), found.run).result


def page(common: Common, results: Sequence[Asked], engine: str | None) -> Report:
    """The histories that show the answers as findings; aborts and replays as scenarios."""
    levels = ", ".join(dict.fromkeys(asked.answer.jobs.level for asked in results))
    report = new_report(
        common,
        f"Whether the level of each table ({levels}) is enough for its jobs, however many of their "
        "runs overlap: a proof, or the smallest history that shows that it is not.",
    )
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
    """Adds one answer and its histories."""
    answer, replays = asked.answer, asked.replays
    jobs = answer.jobs
    observed = {id(replay.history): replay for replay in replays}
    names: dict[int, str] = {}
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
        names.setdefault(id(question), name)
        replayed = observed.get(id(question.found))
        report.findings.append(
            Finding(
                name=name,
                title=scenario.name,
                kind=FindingClass.LEVEL_VIOLATION,
                level=level,
                summary=history_summary(question, subject),
                scenario=scenario,
                predicted=_predicted(question.found, jobs.profile),
                observed=replay_result(replayed.comparison, jobs.profile.name)
                if replayed
                else None,
            )
        )
    report.jobs.append(_answer(asked, names.get(id(answer.serial))))
    for abort in answer.aborts:
        scenario = abort.found.scenario
        predicted = _predicted(abort.found, jobs.profile)
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
