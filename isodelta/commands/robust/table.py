"""Answers about workloads as one table in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from checker.robustness.answer import Answer, Question
from isodelta.commands.robust.readings import short
from isodelta.commands.robust.results import Asked

_HEAD = (
    "workload",
    "level",
    "a serial order",
    "the history breaks",
    "writers alone",
    "that of the log",
    "fails because of",
)
_YES = {"robust": "always", "not robust": "not always", "unknown": "unknown"}


def table(results: Sequence[Asked]) -> str:
    """One line for each answer; with a column for replays where there were any."""
    replayed = any(asked.replays for asked in results)
    head = (*_HEAD, "replays as predicted") if replayed else _HEAD
    lines = [_line(head), _line(["---"] * len(head))]
    for asked in results:
        answer, replays = asked.answer, asked.replays
        cells = [
            f"{answer.jobs.name} (`{Path(asked.loaded.file).name}`)",
            answer.jobs.level,
            _order(answer.serial),
            short(answer.serial),
            _order(answer.writers),
            _order(answer.log_order),
            _aborts(answer),
        ]
        if replayed:
            cells.append(f"{sum(one.confirms for one in replays)} of {len(replays)}")
        lines.append(_line(cells))
    return "\n".join(lines) + "\n"


def _order(question: Question) -> str:
    """Whether there is an order always; ``cycles`` where equal values hide the cycle found."""
    hidden = question.found is not None and question.readings.view != "violated"
    return "cycles" if hidden else _YES[question.verdict]


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _aborts(answer: Answer) -> str:
    """Who fails because of whom, without the exceptions."""
    found: dict[str, list[str]] = {}
    for abort in answer.aborts:
        winners = found.setdefault(abort.current, [])
        if abort.winner not in winners:
            winners.append(abort.winner)
    return "; ".join(f"{current}: {', '.join(winners)}" for current, winners in found.items())
