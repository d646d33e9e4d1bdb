"""What ``explore --separate`` found, for people."""

from __future__ import annotations

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from isodelta.commands.explore.separating.results import Separating, verdict_words, why_equal
from isodelta.terminal import printable
from model.levels import LEVELS, SHORT

CELLS = {"implied": "=>", "proved for snapshots": "=>*", "equal": "<="}
"""Signs of the pairs without a history; a bound follows the last."""


def print_separating(separating: Separating, console: Console) -> None:
    """The table of pairs, the levels that are one, and every separating history."""
    table = Table("holds \\ violates", box=None, padding=(0, 2, 0, 0))
    for level in LEVELS:
        table.add_column(SHORT[level])
    for held in LEVELS:
        table.add_row(held, *(_cell(separating, held, violated) for violated in LEVELS))
    console.print(table)
    words = (
        "H1, H2, ...: a history (below). =>: implied by the table of levels. =>*: proved for "
        "histories of snapshots (isodelta prove). <=n: no history of up to n transactions."
    )
    console.print(Text(words, "dim"))
    console.print()
    for group in separating.lattice.groups:
        if len(group) > 1:
            console.print(Text(why_equal(group, separating.result.separations)))
    console.print()
    for history in separating.histories:
        console.print(Text(history.title, "bold"))
        lines = [f"set-up: {text}" for text in history.scenario.table.setup]
        lines += [f"{name}: {sql}" for name, sql in history.scenario.transactions.items()]
        lines.append(history.schedule)
        admitted = separating.admitted(history).items()
        lines += [f"{separating.profile.name} at {level}: {what}" for level, what in admitted]
        for line in lines:
            console.print(Padding(Text(printable(line)), (0, 0, 0, 2)))
    console.print()
    found = separating.summary()
    text = (
        f"{found['separated']} of {found['pairs']} ordered pairs separated, {found['implied']} "
        f"implied by the table, {found['proved']} proved for snapshots, {found['equal']} equal up "
        f"to {found['transactions']}: {found['histories']:,} histories "
        f"({'all' if found['complete'] else 'a part'} of {separating.result.transactions} "
        f"transactions), {found['seconds']} s."
    )
    console.print(Text(text, "bold"))
    if separating.comparisons:
        replays = f"{found['replays']} replays, {found['differences']} differ from the model."
        console.print(Text(replays, "bold"))


def _cell(separating: Separating, held: str, violated: str) -> str:
    if held == violated:
        return ""
    separation = separating.result.between(held, violated)
    if separation.scenario is not None:
        return separating.history_of(separation).label
    bound = str(separation.up_to) if verdict_words(separation).startswith("equal") else ""
    return CELLS[separation.verdict] + bound
