"""The answers to the report's questions, for each level, from the report's data.

Only scenarios with the level *in force* count for that level's answer: a history that ran at
WriteSerializable and is not serializable breaks nothing that was promised.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from checker.search.finding import counted_by_depth
from isodelta.report.data import (
    Bound,
    Finding,
    FindingClass,
    LevelAnswer,
    Report,
    ScenarioResult,
    differences_of,
)
from isodelta.report.pictures.schedule import count, mark
from isodelta.report.views.readings import depth_of
from isodelta.runs.results import RunResult
from model.levels import DELTA_LEVELS, SERIALIZABLE, WRITE_SERIALIZABLE
from model.outcomes import COMMITTED, NO_COMMIT, READ

BREAKING = (FindingClass.LEVEL_VIOLATION, FindingClass.ENGINE_BREAKS_LEVEL)
"""The classes of findings whose histories break the level that they name."""


def level_answers(report: Report) -> tuple[LevelAnswer, ...]:
    """The report's own answers if it has them, derived ones for the other levels."""
    own = {answer.level: answer for answer in report.answers}
    return tuple(own.get(level) or derived_answer(report, level) for level in DELTA_LEVELS)


def derived_answer(report: Report, level: str) -> LevelAnswer:
    """Answer the questions for one level from scenarios, findings and bounds."""
    scenarios = [s for s in report.scenarios if s.level == level]
    return LevelAnswer(
        level=level,
        predicted=_predicted(level, scenarios),
        observed=_observed(level, scenarios),
        differ=_differ(level, scenarios, report),
        broken_by=_broken_by(level, scenarios, report),
    )


def breaking_findings(report: Report, level: str) -> tuple[Finding, ...]:
    """The findings whose histories break this level, those on tables that promise it first.

    Of those, the ones that break most readings come first.
    """
    breaking = [f for f in report.findings if f.level == level and f.kind in BREAKING]
    return tuple(sorted(breaking, key=lambda f: (not f.promised, -depth_of(f.judged, level))))


def verdict_of(result: RunResult | None, level: str) -> str | None:
    """The verdict of a result at a level; None if the result does not judge it."""
    judged = None if result is None else result.levels.get(level)
    return None if judged is None else judged.verdict


def _predicted(level: str, scenarios: list[ScenarioResult]) -> str:
    results = [s.predicted for s in scenarios if s.predicted]
    if not results:
        return "No scenario was run in the model with this level in force."
    return f"In {count(len(results), 'scenario')}: {_outcomes_and_verdicts(results, level)}"


def _observed(level: str, scenarios: list[ScenarioResult]) -> str:
    results = [s.observed for s in scenarios if s.observed]
    if not results:
        return "No scenario was replayed on a real table with this level in force."
    return (
        f"In {count(len(results), 'replayed scenario')}: {_outcomes_and_verdicts(results, level)}"
    )


def _outcomes_and_verdicts(results: list[RunResult], level: str) -> str:
    marks: Counter[str] = Counter(
        mark(transaction) for result in results for transaction in result.transactions.values()
    )
    verdicts = Counter(verdict_of(result, level) or "not judged" for result in results)
    ends = [
        f"{count(marks[kind], 'transaction')} {words}"
        for kind, words in (
            (COMMITTED, "committed"),
            ("conflict", "refused with a conflict"),
            (NO_COMMIT, "without anything to write"),
        )
        if marks[kind]
    ]
    if marks[READ]:
        ends.append(count(marks[READ], "reader"))
    judged = [
        f"{verdict} in {verdicts[verdict]:,}"
        for verdict in ("holds", "violated", "unknown", "not judged")
        if verdicts[verdict]
    ]
    return f"{_listed(ends)}. Judged at {level}: {_listed(judged)}."


def _differ(level: str, scenarios: list[ScenarioResult], report: Report) -> str:
    replayed = [s for s in scenarios if s.observed]
    apart = [s for s in replayed if differences_of(s.observed)]
    kinds = Counter(
        f.kind.value for f in report.findings if f.level == level and f.kind not in BREAKING
    ) + Counter(
        f.kind.value
        for f in breaking_findings(report, level)
        if f.kind is FindingClass.ENGINE_BREAKS_LEVEL
    )
    if not replayed and not kinds:
        return "Nothing was replayed at this level, so this is unknown."
    parts = []
    if replayed:
        parts.append(
            f"Model and engine agree in every step of all {count(len(replayed), 'scenario')}."
            if not apart
            else f"Model and engine differ in {len(apart)} of {count(len(replayed), 'scenario')}."
        )
    if kinds:
        parts.append(
            f"Findings by class: {_listed(f'{n} of class “{kind}”' for kind, n in kinds.items())}."
        )
    return " ".join(parts)


def _by_reading(findings: Sequence[Finding], level: str) -> str:
    """The findings counted by the readings they break, after a colon; empty if none is judged."""
    depths = [depth for f in findings if (depth := depth_of(f.judged, level))]
    return f": {counted_by_depth(depths)}" if depths else ""


def _broken_by(level: str, scenarios: list[ScenarioResult], report: Report) -> str:
    findings = breaking_findings(report, level)
    promised = [finding for finding in findings if finding.promised]
    violated = sum(verdict_of(s.observed or s.predicted, level) == "violated" for s in scenarios)
    bounds = [bound for bound in report.bounds if bound.level == level]
    parts = []
    if promised:
        parts.append(
            f"{count(len(promised), 'finding')} on tables that promise it"
            f"{_by_reading(promised, level)}."
        )
    if violated:
        parts.append(f"{count(violated, 'scenario')} of the collection.")
    if not parts and not any(bound.violations for bound in bounds):
        parts.append("No violation in anything that was run or searched.")
    if weaker := len(findings) - len(promised):
        parts.append(
            f"{count(weaker, 'finding')} on tables that promise only the weaker level"
            f"{_by_reading([f for f in findings if not f.promised], level)}."
        )
    if len(bounds) <= 2:
        parts += [bound.sentence for bound in bounds]
    else:
        parts.append(_bounds_together(bounds))
    if level == WRITE_SERIALIZABLE:
        apart = sum(
            verdict_of(s.observed or s.predicted, SERIALIZABLE) == "violated"
            and verdict_of(s.observed or s.predicted, level) == "holds"
            for s in scenarios
        )
        if apart:
            parts.append(
                f"{count(apart, 'scenario')} run at this level would break Serializable, "
                "as this weaker level allows."
            )
    return " ".join(parts)


def _bounds_together(bounds: list[Bound]) -> str:
    """The combined statement of many bounds of one level; the page has a table of them."""
    # The conflict reading is the verdict proper, and the strongest of the three.
    proper = [bound for bound in bounds if bound.reading in ("", "conflict")]
    promised = [bound for bound in proper if bound.promised]
    weaker = [bound for bound in proper if not bound.promised]
    sentences = []
    for group, where in ((promised, "that promise it"), (weaker, "that do not promise it")):
        if not group:
            continue
        violations = sum(bound.violations for bound in group)
        schedules = sum(bound.schedules for bound in group)
        most = min(bound.transactions for bound in group)
        unfinished = "" if all(bound.complete for bound in group) else ", not finished"
        sentences.append(
            f"On tables {where} the search found "
            f"{count(violations, 'minimal violation') if violations else 'no violation'} "
            f"(up to {most} transactions, {schedules:,} schedules{unfinished})."
        )
    return " ".join(sentences)


def _listed(parts: Iterable[str]) -> str:
    items = list(parts)
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} and {items[-1]}"
