"""Two profiles side by side, for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from isodelta.commands.compare.results import Compared


def print_comparison(
    results: Sequence[Compared], against: str, profile: str, console: Console
) -> None:
    """A table for each layout and level with the kinds between which something changes."""
    for layout, level in dict.fromkeys((r.layout, r.level) for r in results):
        here = [r for r in results if (r.layout, r.level) == (layout, level)]
        aborts, saved = sum(r.aborts for r in here), sum(r.saved for r in here)
        lost, broken = sum(r.lost for r in here), sum(len(r.broken) for r in here)
        pairs = sum(len(r.pairs) for r in here)
        console.print(
            f"{level}, {layout}: of {pairs} pairs {aborts} abort under {against}; "
            f"{profile} saves {saved}, adds {lost}, breaks the level with {broken}"
        )
        changed = [r for r in here if r.saved or r.lost or r.broken]
        if not changed:
            continue
        table = Table("current", "winner", "pairs", "aborts", "saved", "added", "broken")
        for r in changed:
            numbers = (len(r.pairs), r.aborts, r.saved, r.lost, len(r.broken))
            table.add_row(r.current, r.winner, *map(str, numbers))
        console.print(table)
        for pair in (pair for r in here for pair in r.broken[:1]):
            console.print(f"  broken: {pair.scenario.name}", highlight=False)
