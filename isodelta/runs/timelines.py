"""Schedules as timelines for a terminal: a line for each transaction, on one time axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from isodelta.terminal import can_draw, grid
from model.outcomes import COMMITTED, NO_COMMIT, READ
from model.scenario import Step

WIDEST_TIMELINE = 36
"""Columns of the widest timeline that leaves room for words next to it."""


@dataclass(frozen=True, slots=True)
class Marks:
    """The characters that a timeline is drawn with."""

    begin: str
    line: str
    committed: str
    read: str
    no_commit: str
    refused: str

    def of(self, outcome: str) -> str:
        """The mark of a transaction's end."""
        ends = {COMMITTED: self.committed, READ: self.read, NO_COMMIT: self.no_commit}
        return ends.get(outcome, self.refused)


DRAWN = Marks("├", "─", "●", "○", "┤", "╳")
TYPED = Marks("[", "-", "*", "o", "]", "x")


def marks(console: Console) -> Marks:
    """The characters that the console can print."""
    return DRAWN if can_draw(console) else TYPED


def print_timeline(
    schedule: Sequence[Step],
    outcomes: Mapping[str, str],
    words: Mapping[str, Text],
    console: Console,
) -> None:
    """The schedule with each transaction's end: the mark in the timeline, and words beside it."""
    timelines = timeline(schedule, outcomes, marks(console))
    if timelines is None:
        steps = Text("Schedule: " + ", ".join(map(str, schedule)))
        console.print(Padding(steps, (0, 0, 1, 2)))
        timelines = dict.fromkeys(outcomes, "")
    lines = grid(False, False, True)
    for name in outcomes:
        lines.add_row(Text(name, "bold cyan"), Text(timelines[name]), words[name])
    console.print(Padding(lines, (0, 0, 0, 2)))


def timeline(
    schedule: Sequence[Step], outcomes: Mapping[str, str], drawn: Marks
) -> dict[str, str] | None:
    """A line for each transaction with its begin and its end, all on one time axis.

    None if the schedule is too long to draw.
    """
    for step_width in (3, 2, 1):
        if len(schedule) * step_width <= WIDEST_TIMELINE:
            break
    else:
        return None
    places: dict[str, list[int]] = {}
    for index, step in enumerate(schedule):
        places.setdefault(step.transaction, []).append(index * step_width)
    width = (len(schedule) - 1) * step_width + 1
    return {
        name: (
            " " * begin + drawn.begin + drawn.line * (end - begin - 1) + drawn.of(outcomes[name])
        ).ljust(width)
        for name, (begin, end) in places.items()
    }


def legend(console: Console) -> Text:
    """The meaning of the marks, in one line."""
    m = marks(console)
    return Text(
        f"{m.begin} begins (takes its snapshot)  {m.committed} commits  {m.read} returns its rows"
        f"  {m.no_commit} ends, no version  {m.refused} fails",
        "dim",
    )
