"""The table of releases in words: for a terminal, and in Markdown."""

from __future__ import annotations

from collections import Counter

from rich.console import Console
from rich.table import Table as Grid

from conformance.releases.table import Cell, affected
from isodelta.commands.releases.results import Table


def _span(first: str, last: str) -> str:
    return first if first == last else f"{first} to {last}"


def _changing(table: Table) -> list[Cell]:
    """The cells that are not the same everywhere."""
    return [cell for cell in table.cells if len(table.spans(cell)) > 1]


def print_table(table: Table, console: Console) -> None:
    """The cells that change, with the releases that treat them alike, and the steps."""
    grid = Grid("cell", "releases", "what it does")
    for cell in _changing(table):
        for place, (first, last, fate) in enumerate(table.spans(cell)):
            grid.add_row("" if place else cell.name, _span(first, last), fate.words)
    if grid.row_count:
        console.print(grid)
    same = len(table.cells) - len(_changing(table))
    console.print(f"{same} of {len(table.cells)} cells are the same in all {len(table.rows)}.")
    for line in _not_run(table):
        console.print(line, highlight=False)
    for step, count in _steps(table).items():
        console.print(f"{step}: {count} cells change", highlight=False)
    for cell in table.cells:
        if cell.subject == "finding" and (names := affected(cell, table.rows)):
            versions = ", ".join(release.version for release in names)
            console.print(f"affected by {cell.name!r}: {versions}", highlight=False)


def _not_run(table: Table) -> list[str]:
    """A line for each release on which cells could not be run, with the first reason."""
    lines = []
    for row in table.rows:
        if missing := row.not_run:
            reason = " ".join(next(iter(missing.values())).split())[:120]
            lines.append(f"{row.release.name}: {len(missing)} cells not run, the first: {reason}")
    return lines


def _steps(table: Table) -> Counter[str]:
    steps = [f"{change.older.version} to {change.newer.version}" for change in table.changes]
    return Counter(steps)


def markdown(table: Table) -> str:
    """The same as a page has it."""
    lines = ["| cell | releases | what it does |", "|---|---|---|"]
    for cell in _changing(table):
        for first, last, fate in table.spans(cell):
            lines.append(f"| {cell.name} | {_span(first, last)} | {fate.words} |")
    same = len(table.cells) - len(_changing(table))
    lines += ["", f"{same} of {len(table.cells)} cells are the same in all {len(table.rows)}.", ""]
    lines += [f"{line}." for line in _not_run(table)] + [""]
    lines += ["| step | cells that change |", "|---|---|"]
    lines += [f"| {step} | {count} |" for step, count in _steps(table).items()]
    lines += ["", "| finding | affected |", "|---|---|"]
    for cell in table.cells:
        if cell.subject == "finding":
            versions = ", ".join(r.version for r in affected(cell, table.rows)) or "none"
            lines.append(f"| {cell.name} | {versions} |")
    return "\n".join(lines) + "\n"
