"""The first screen: what is claimed, holds and breaks, since when, how bad, and what to do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from isodelta.report.causes import Bearing
from isodelta.report.data import Bound, Report
from isodelta.report.pictures.schedule import count
from isodelta.report.views.causes import CauseGroup
from isodelta.report.views.titles import capitalised, listed
from model.levels import DELTA_LEVELS, SERIALIZABLE, WRITE_SERIALIZABLE

CLAIMED = (
    (
        SERIALIZABLE,
        "reads and writes have a serial order, and it is the order of the versions in the log.",
    ),
    (
        WRITE_SERIALIZABLE,
        "writes have some serial order, which need not be the log's; readers see a snapshot.",
    ),
)
"""The promise of each level, as the documents make it."""

UNNOTED = "with subqueries in SET"
"""The scope of a search whose alphabet has statements that do not note what they read."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of an answer: a term in bold, a text, and the place in the page that shows it."""

    text: str
    term: str = ""
    target: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """One question with its answer, line by line; ``tone`` is good, bad or empty."""

    question: str
    lines: tuple[Line, ...]
    tone: str = ""


def overview(report: Report, groups: Sequence[CauseGroup]) -> tuple[Answer, ...]:
    """The questions that a reader comes with, answered from the report's data."""
    breaking = [group for group in groups if group.cause.bearing is Bearing.BREAKS]
    return (
        Answer("What is claimed", tuple(Line(text, level) for level, text in CLAIMED)),
        Answer("What holds", tuple(_holds(report)), "good"),
        Answer("What breaks", tuple(_breaks(breaking)), "bad" if breaking else "good"),
        Answer("Since when", tuple(_since(report, breaking))),
        Answer("How bad it is", tuple(_how_bad(breaking, groups))),
        Answer("What to do", tuple(_remedies(breaking))),
    )


def headline(report: Report, groups: Sequence[CauseGroup]) -> str:
    """The result of the run in one sentence."""
    summary = report.summary
    breaking = sum(group.cause.bearing is Bearing.BREAKS for group in groups)
    if breaking:
        first = (
            f"{count(breaking, 'cause')} {'breaks' if breaking == 1 else 'break'} a promised level"
        )
    else:
        first = "Nothing that was run breaks a promised level"
    return f"{first}; {_agreement(summary.replays, summary.differences, summary.unexplained)}."


def _agreement(replays: int, differences: int, unexplained: int) -> str:
    if unexplained:
        return f"{count(unexplained, 'difference')} from the model not explained yet"
    if differences:
        return f"{count(differences, 'difference')} from the model, each with its class"
    if replays:
        return f"model and engine agree in every step of {count(replays, 'replay')}"
    return "nothing was replayed on a real table"


def _holds(report: Report) -> Iterator[Line]:
    for level in DELTA_LEVELS:
        proper = [b for b in report.bounds if _about(b, level) and UNNOTED not in b.scope]
        clean = [bound for bound in proper if not bound.violations]
        most = min((bound.transactions for bound in clean), default=0)
        if most > 1:
            schedules = sum(bound.schedules for bound in clean)
            tables = listed(bound.scope or "all" for bound in clean)
            yield Line(
                f"no violation on {tables} tables among all schedules of up to "
                f"{count(most, 'transaction')} whose statements note what they read. "
                f"{schedules:,} schedules were tried, longer ones included.",
                level,
                "coverage",
            )
        elif proper:
            yield Line(
                "not decided: the search found a violation or ended before two transactions.",
                level,
                "coverage",
            )
    yield Line(_engine_follows(report), "The engine", "coverage")
    yield Line(
        "`isodelta prove` shows Serializable for any number of transactions, except for UPDATE "
        "... SET (subquery); it is not part of this run.",
        "Without a bound:",
    )


def _about(bound: Bound, level: str) -> bool:
    return (
        bound.level == level
        and bound.in_force in ("", level)
        and bound.reading in ("", "conflict")
        and bound.transactions > 0
    )


def _engine_follows(report: Report) -> str:
    summary = report.summary
    if not summary.replays:
        return "was not asked: nothing was replayed on a real table."
    if not summary.differences:
        return f"did what the rules predict in every step of {count(summary.replays, 'replay')}."
    return (
        f"differs from the prediction in {count(summary.differences, 'place')} "
        f"of {count(summary.replays, 'replay')}."
    )


def _breaks(breaking: Sequence[CauseGroup]) -> Iterator[Line]:
    for group in breaking:
        found = count(len(group.histories), "history")
        yield Line(
            f"{group.cause.title}. It breaks {listed(group.levels)} ({found}).",
            target=f"cause-{group.cause.key}",
        )
    if not breaking:
        yield Line("Nothing among what was run breaks a level that its table promises.")


def engine_versions(report: Report) -> str:
    """The engine of the report with its release, in words."""
    wanted = {"delta-rs": "deltalake"}.get(report.engine, report.engine)
    version = report.versions.get(wanted)
    return report.engine if version is None else f"{report.engine} {version}"


def _since(report: Report, breaking: Sequence[CauseGroup]) -> Iterator[Line]:
    shown = engine_versions(report)
    replayed = sum(group.replayed for group in breaking)
    findings = sum(len(group.findings) for group in breaking)
    if breaking and replayed:
        rest = "" if replayed == findings else "; the others are predictions of the model"
        yield Line(
            f"{replayed:,} of {count(findings, 'breaking finding')} replayed on {shown}{rest}."
        )
    elif breaking:
        yield Line(
            f"None of them was replayed: they are what the model of {report.profile} predicts."
        )
    yield Line(f"This run is about {shown} alone. `isodelta releases` compares the releases.")


def _how_bad(breaking: Sequence[CauseGroup], groups: Sequence[CauseGroup]) -> Iterator[Line]:
    for group in breaking:
        harms = listed(f"{words} in {number}" for number, words in group.harms)
        sentence = f"{group.cause.harm} " if group.cause.harm else ""
        yield Line(
            f"{sentence}{capitalised(harms)}." if harms else sentence,
            target=f"cause-{group.cause.key}",
        )
    beside = [group for group in groups if group.cause.bearing is Bearing.NOT_PROMISED]
    if beside:
        found = sum(len(group.histories) for group in beside)
        yield Line(
            f"{count(found, 'history')} more would break Serializable on a table that promises "
            "WriteSerializable only; those break no promise.",
            target=f"cause-{beside[0].cause.key}",
        )
    if not breaking and not beside:
        yield Line("Nothing was found.")


def _remedies(breaking: Sequence[CauseGroup]) -> Iterator[Line]:
    for group in breaking:
        if group.cause.remedy:
            yield Line(group.cause.remedy, target=f"cause-{group.cause.key}")
    yield Line("`isodelta robust` on your own SQL says whether WriteSerializable is enough for it.")
