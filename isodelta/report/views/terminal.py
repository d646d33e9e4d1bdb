"""The summary of a finished run in the terminal: the counts, and the files to open."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from isodelta.report.causes import Bearing
from isodelta.report.data import Report
from isodelta.report.html import duration, headline
from isodelta.report.pictures.schedule import count
from isodelta.report.views.causes import CauseGroup, cause_groups

SHOWN = 2
"""The most histories of a cause and scenarios that are listed; the page has them all."""


def print_summary(data: Report, index: Path, console: Console | None = None) -> None:
    """Print a short summary that fits 80 columns and says everything without colour."""
    console = console or Console()
    if not data.ended:
        console.print(Text(f"INCOMPLETE: {data.incomplete_because}", style="bold yellow"))
    groups = cause_groups(data)
    console.print(Text(headline(data, groups), style="bold"))
    console.print(Padding(_counts(data), (1, 0, 1, 2)))
    _print_causes(groups, console)
    for part in data.parts:
        if part.status in ("failed", "error"):
            line = f"{part.status.upper()}: {part.name}"
            console.print(Text(line + (f": {part.message}" if part.message else ""), style="red"))
    failed = [s for s in data.scenarios if s.failures or s.error]
    if failed:
        console.print(Text(f"{count(len(failed), 'scenario')} not as expected:", style="red"))
        for scenario in failed[:SHOWN]:
            reason = scenario.error or scenario.failures[0]
            console.print(Padding(Text(f"{scenario.name} ({scenario.level}): {reason}"), (0, 2)))
        if len(failed) > SHOWN:
            console.print(Padding(Text(f"and {len(failed) - SHOWN} more"), (0, 2)))
    if data.left_out:
        console.print(Text("Left out by the time budget:", style="yellow"))
        for item in data.left_out:
            console.print(Padding(Text(item), (0, 2)))
    console.print(Text("Report: ") + Text(str(index), style="bold"), soft_wrap=True)


def _counts(data: Report) -> Table:
    summary = data.summary
    budget = summary.budget_seconds
    time = duration(summary.seconds) + ("" if budget is None else f" of {duration(budget)}")
    cells = [
        (f"{summary.scenarios:,}", "scenarios"),
        (f"{summary.differences:,}", "differences"),
        (f"{summary.schedules:,}", "schedules"),
        (f"{summary.unexplained:,}", "unexplained"),
        (f"{summary.replays:,}", "replays"),
        (f"{summary.violations:,}", "level violations"),
    ]
    table = Table.grid(padding=(0, 1))
    for justify in ("right", "left", "right", "left"):
        table.add_column(justify=justify, min_width=12 if justify == "left" else 0)
    for (left, left_name), (right, right_name) in zip(cells[::2], cells[1::2], strict=True):
        table.add_row(left, left_name, right, right_name)
    table.add_row(time, "run time", str(data.seed), "seed")
    return table


def _print_causes(groups: Sequence[CauseGroup], console: Console) -> None:
    """Each cause with the histories that do most harm; what is not promised in one line."""
    for group in groups:
        cause = group.cause
        found = count(len(group.histories), "history")
        style = "bold red" if cause.bearing is Bearing.BREAKS else "bold"
        console.print(Text(cause.title, style=style))
        about = [cause.bearing.value.lower(), found, *group.levels]
        console.print(Padding(Text("; ".join(about), style="dim"), (0, 0, 0, 2)))
        shown = 0 if cause.bearing is Bearing.NOT_PROMISED else SHOWN
        for history in group.histories[:shown]:
            harm = f": {history.harm}" if history.harm else ""
            console.print(Padding(Text(f"{history.title}{harm}"), (0, 0, 0, 2)))
            file = f"    findings/{history.view.finding.name}.yaml"
            # A name that is cut or wrapped cannot be copied.
            console.print(Text(file, style="dim"), soft_wrap=True)
        if shown and len(group.histories) > shown:
            console.print(f"  and {len(group.histories) - shown} more in the report")
    if groups:
        console.print()
