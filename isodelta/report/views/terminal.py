"""The summary of a finished run in the terminal: the counts, and the files to open."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from isodelta.report.data import Report
from isodelta.report.html import duration, headline
from isodelta.report.pictures.schedule import count
from isodelta.report.views.finding import ordered_findings

SHOWN = 4
"""The most findings of a class and scenarios that are listed; the page has them all."""


def print_summary(data: Report, index: Path, console: Console | None = None) -> None:
    """Print a short summary that fits 80 columns and says everything without colour."""
    console = console or Console()
    if not data.complete:
        console.print(Text(f"INCOMPLETE: {data.incomplete_because}", style="bold yellow"))
    console.print(Text(headline(data), style="bold"))
    console.print(Padding(_counts(data), (1, 0, 1, 2)))
    _print_findings(data, console)
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


def _print_findings(data: Report, console: Console) -> None:
    for kind, findings in groupby(ordered_findings(data), lambda finding: finding.kind):
        group = list(findings)
        style = "bold red" if kind.urgent else "bold"
        console.print(Text(f"{kind.value} ({len(group)})", style=style))
        for finding in group[:SHOWN]:
            console.print(Padding(Text(finding.title), (0, 0, 0, 2)))
            file = f"    {finding.level}: findings/{finding.name}.yaml"
            # A name that is cut or wrapped cannot be copied.
            console.print(Text(file, style="dim"), soft_wrap=True)
        if len(group) > SHOWN:
            console.print(f"  and {len(group) - SHOWN} more in the report")
    if data.findings:
        console.print()
