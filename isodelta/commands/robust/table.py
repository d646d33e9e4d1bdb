"""Answers about workloads as one table in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from checker.robustness.answer import Answer
from isodelta.commands.robust.results import Asked

_HEAD = (
    "workload",
    "level",
    "a serial order",
    "writers alone",
    "that of the log",
    "fails because of",
)
_YES = {"robust": "always", "not robust": "not always", "unknown": "unknown"}


def table(results: Sequence[Asked]) -> str:
    """One line for each answer, with a column for replays if there were any."""
    replayed = any(asked.replays for asked in results)
    head = (*_HEAD, "replays as predicted") if replayed else _HEAD
    lines = [_line(head), _line(["---"] * len(head))]
    for asked in results:
        answer, replays = asked.answer, asked.replays
        cells = [
            f"{answer.jobs.name} (`{Path(asked.loaded.file).name}`)",
            answer.jobs.level,
            _YES[answer.serial.verdict],
            _YES[answer.writers.verdict],
            _YES[answer.log_order.verdict],
            _aborts(answer),
        ]
        if replayed:
            cells.append(f"{sum(replay.confirms for replay in replays)} of {len(replays)}")
        lines.append(_line(cells))
    return "\n".join(lines) + "\n"


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _aborts(answer: Answer) -> str:
    """The jobs that fail, with the jobs they fail because of, without the exceptions."""
    losers: dict[str, list[str]] = {}
    for abort in answer.aborts:
        winners = losers.setdefault(abort.current, [])
        if abort.winner not in winners:
            winners.append(abort.winner)
    return "; ".join(f"{current}: {', '.join(winners)}" for current, winners in losers.items())
