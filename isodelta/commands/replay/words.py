"""A replay as people read it on a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from conformance.replay.comparison import Comparison
from isodelta.files.scenarios import Loaded
from isodelta.terminal import output, print_verdict, printable, rows_text


def print_replayed(loaded: Loaded, comparison: Comparison, failures: Sequence[str]) -> None:
    """Statements, outcomes predicted and observed, rows, verdicts, and what differs."""
    console = output()
    observation, scenario = comparison.observation, loaded.scenario
    console.print(Text(printable(scenario.name), "bold"))
    place = f"{loaded.file}:{loaded.line}, table at {observation.level}, on {observation.engine}"
    console.print(Text(place, "dim"))
    console.print()
    table = Table("", "statement", "model", "engine", box=None, padding=(0, 2, 0, 0))
    for name, text in scenario.transactions.items():
        table.add_row(
            Text(name, "bold cyan"),
            Text(printable(text)),
            comparison.predicted.ended[name].outcome,
            observation.outcomes[name],
        )
    console.print(Padding(table, (0, 0, 0, 2)))
    console.print()
    schedule = ", ".join(map(str, scenario.schedule))
    console.print(Padding(Text(f"Schedule: {schedule}"), (0, 0, 0, 2)))
    rows = Text(f"Rows at the end: {rows_text(observation.rows)}")
    console.print(Padding(rows, (0, 0, 0, 2)))
    for level, verdict in comparison.verdicts.items():
        console.print()
        print_verdict(verdict, console, "the table's level" if level == observation.level else "")
    console.print()
    if comparison.agrees:
        console.print(Text("  The engine did what the model predicted.", "green"))
    for difference in comparison.differences:
        words = (
            f"{difference.about}: {difference.what} predicted {difference.predicted}, "
            f"observed {difference.observed} ({difference.classified.value})"
        )
        console.print(Padding(Text(words, "red"), (0, 0, 0, 2)))
    for failure in failures:
        console.print(Padding(Text(f"not as expected: {failure}", "red"), (0, 0, 0, 2)))
    console.print()
