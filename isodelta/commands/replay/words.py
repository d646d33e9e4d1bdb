"""A replay in words for a terminal."""

from __future__ import annotations

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from isodelta.commands.replay.results import (
    NotPredicted,
    NotReplayed,
    Replayed,
    ReplayedTables,
)
from isodelta.runs.words import print_rows, print_verdict
from isodelta.terminal import printable


def print_result(
    result: Replayed | ReplayedTables | NotPredicted | NotReplayed, console: Console
) -> None:
    """One result, of whichever kind."""
    match result:
        case Replayed():
            print_replayed(result, console)
        case ReplayedTables():
            for name, replayed in result.tables.items():
                console.print(Text(f"Table {printable(name)}:", "bold"))
                print_replayed(replayed, console)
        case NotPredicted():
            print_not_predicted(result, console)
        case NotReplayed():
            print_not_replayed(result, console)


def print_not_predicted(result: NotPredicted, console: Console) -> None:
    """Statements and outcomes on the engine, its rows, and why the model predicts none."""
    seen, scenario = result.observation, result.loaded.scenario
    console.print(Text(printable(scenario.name), "bold"))
    place = f"{result.loaded.file}:{result.loaded.line}, table at {seen.level}, on {seen.engine}"
    console.print(Text(place, "dim"))
    console.print()
    table = Table("", "statement", "engine", box=None, padding=(0, 2, 0, 0))
    for name, text in result.loaded.statements.items():
        table.add_row(Text(name, "bold cyan"), Text(printable(text)), seen.outcomes[name])
    console.print(Padding(table, (0, 0, 0, 2)))
    print_rows("Final rows", seen.rows, console)
    console.print(
        Padding(Text(f"Not predicted: {printable(result.reason)}", "yellow"), (1, 0, 0, 2))
    )
    for failure in result.failures:
        console.print(Padding(Text(f"not as expected: {failure}", "red"), (0, 0, 0, 2)))
    console.print()


def print_not_replayed(result: NotReplayed, console: Console) -> None:
    """The scenario and the error that ended its replay."""
    console.print(Text(printable(result.loaded.scenario.name), "bold"))
    console.print(Text(f"{result.loaded.file}:{result.loaded.line}, on {result.engine}", "dim"))
    error = Text(f"The replay broke down: {printable(result.error)}", "red")
    console.print(Padding(error, (1, 0, 1, 2)))


def print_replayed(replayed: Replayed, console: Console) -> None:
    """Statements, outcomes predicted and observed, rows, verdicts, and differences."""
    loaded, comparison = replayed.loaded, replayed.comparison
    observation, scenario = comparison.observation, loaded.scenario
    console.print(Text(printable(scenario.name), "bold"))
    place = f"{loaded.file}:{loaded.line}, table at {observation.level}, on {observation.engine}"
    console.print(Text(place, "dim"))
    console.print()
    table = Table("", "statement", "model", "engine", box=None, padding=(0, 2, 0, 0))
    for name, text in loaded.statements.items():
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
    print_rows("Final rows", observation.rows, console)
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
    for failure in replayed.failures:
        console.print(Padding(Text(f"not as expected: {failure}", "red"), (0, 0, 0, 2)))
    console.print()
