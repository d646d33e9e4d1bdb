"""Separations of levels in words for a terminal: the table of pairs, and the histories."""

from __future__ import annotations

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from isodelta.commands.explore.separating.results import Separating
from isodelta.terminal import printable


def print_separating(separating: Separating, console: Console) -> None:
    """The table of pairs, the levels that are equal, every separating history, and the counts."""
    console.print(_table(separating))
    meanings = (f"{sign}: {meaning}." for sign, meaning in separating.legend)
    console.print(Text(" ".join(("H1, H2, ...: a history (below).", *meanings)), "dim"))
    console.print()
    for sentence in separating.equal:
        console.print(Text(sentence))
    if separating.equal:
        console.print()
    for history in separating.histories:
        console.print(Text(f"{history.title} ({history.anomaly})", "bold"))
        for line in history.lines:
            console.print(Padding(Text(printable(line)), (0, 0, 0, 2)))
    console.print()
    summary = separating.summary
    counts = (f"{count} {reason}" for count, reason in separating.counts if count)
    text = (
        f"{summary.separated} of {summary.pairs} ordered pairs separated by "
        f"{len(separating.histories)} histories, {', '.join(counts)}."
    )
    console.print(Text(text, "bold"))
    console.print(Text(separating.searched, "bold"))


def _table(separating: Separating) -> Table:
    levels = separating.family.short
    table = Table("holds \\ violates", box=None, padding=(0, 2, 0, 0))
    for short in levels.values():
        table.add_column(short)
    for held in levels:
        signs = (
            "" if held == violated else separating.between(held, violated).sign
            for violated in levels
        )
        table.add_row(held, *signs)
    return table
