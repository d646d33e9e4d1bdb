"""A replay in words for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from conformance.replay.comparison import Comparison
from isodelta.commands.replay.results import (
    NotPredicted,
    NotReplayed,
    Replayed,
    ReplayedTables,
)
from isodelta.runs.timelines import legend, print_timeline
from isodelta.runs.words import print_rows, print_verdict, rows_text
from isodelta.terminal import grid, printable


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
    statements = grid(False, True)
    for name, text in loaded.statements.items():
        statements.add_row(Text(name, "bold cyan"), Text(printable(text)))
    console.print(Padding(statements, (0, 0, 0, 2)))
    console.print()
    print_timeline(
        scenario.schedule,
        {name: observation.outcomes[name] for name in scenario.transactions},
        {name: _end(name, comparison) for name in scenario.transactions},
        console,
    )
    console.print()
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


def _end(name: str, comparison: Comparison) -> Text:
    """The end of one transaction on the engine, and the model's prediction if it is another."""
    observation = comparison.observation
    outcome, end = observation.outcomes[name], observation.ended[name]
    if end.commit_version is not None:
        text = Text(f"committed version {end.commit_version}")
    elif end.rows is not None:
        text = Text(f"read {rows_text(end.rows)}")
    else:
        text = Text(outcome, "bold magenta")
    text.append(f"; snapshot: version {observation.begun[name].read_version}", "not bold default")
    predicted = comparison.predicted.ended[name].outcome
    if predicted != outcome:
        text.append(f"; the model predicted {predicted}", "bold red")
    return text


def print_closing(
    results: Sequence[Replayed | ReplayedTables | NotPredicted | NotReplayed], console: Console
) -> None:
    """The legend of the timelines, and a summary of all replays."""
    console.print(legend(console))
    console.print()
    if all(result.good for result in results):
        undecided = sum(isinstance(result, NotPredicted) for result in results)
        agreed = len(results) - undecided
        text = f"{_scenarios(agreed)} replayed; the engine did what the model predicted in "
        text += "it." if agreed == 1 else "all of them."
        if undecided:
            text += f" {_scenarios(undecided)} replayed without a prediction."
        console.print(Text(text, "bold green"))
        return
    bad = [result for result in results if not result.good]
    text = f"{_scenarios(len(results))} replayed, {len(bad)} not as predicted or expected:"
    console.print(Text(text, "bold red"))
    for result in bad:
        place = f"{result.loaded.file}:{result.loaded.line}"
        line = f"{printable(result.loaded.scenario.name)} ({place})"
        console.print(Padding(Text(line), (0, 0, 0, 2)))


def _scenarios(number: int) -> str:
    return "1 scenario" if number == 1 else f"{number} scenarios"
