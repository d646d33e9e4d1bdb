"""Explorations, by search and by solver, in words for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from checker.search.finding import Finding, readings_in_words, strongest_first
from checker.search.search_result import Bound
from isodelta.files.scenario_writer import scenario_yaml
from isodelta.terminal import printable

if TYPE_CHECKING:
    from isodelta.commands.explore.search import Exploration
    from isodelta.commands.explore.symbolic import Synthesis


def print_exploration(exploration: Exploration, console: Console) -> None:
    """The news in one line, the broken promises with one in full, then the extent of the search.

    Of each kind those come first that break most readings. Violations that the documents allow
    come after the broken promises.
    """
    documented = [f for f in exploration.findings if f.kind != "level-violation"]
    broken = strongest_first(exploration.broken)
    console.print(_news(exploration, len(broken), len(documented)))
    console.print()
    _print_titles("Broken promises of the table's own level", broken, console)
    for finding in broken[:1]:
        console.print(Text("The first of them in full, to check or replay:", "bold"))
        console.print()
        for line in scenario_yaml(finding.scenario).splitlines():
            console.print(Text(line), soft_wrap=True)
        console.print()
    _print_titles("Violations that the documents allow at the table's level", documented, console)
    _print_bounds(exploration, console)


def _news(exploration: Exploration, broken: int, documented: int) -> Text:
    """The outcome of the search in a sentence."""
    reach = f"up to {exploration.transactions} transactions"
    if broken:
        histories = "1 smallest history" if broken == 1 else f"{broken} smallest histories"
        text = Text(
            f"{histories} of {reach} break what the table's own level promises.", "bold red"
        )
        if broken == 1:
            text = Text(text.plain.replace(" break what", " breaks what"), "bold red")
    elif exploration.complete:
        text = Text(
            f"No history of {reach} breaks what the table's own level promises.", "bold green"
        )
    else:
        text = Text(
            f"No broken promise found so far; not every schedule of {reach} was run.", "bold"
        )
    if exploration.differences:
        text.append(f" {len(exploration.differences)} replays differ from the model.", "bold red")
    if documented:
        text.append(
            f" {documented} more break a level that the table does not promise.", "not bold default"
        )
    return text


def _print_titles(heading: str, findings: Sequence[Finding], console: Console) -> None:
    if not findings:
        return
    console.print(Text(f"{heading}: {readings_in_words(findings)}.", "bold"))
    for finding in strongest_first(findings):
        similar = f" ({finding.count} like it)" if finding.count > 1 else ""
        text = Text(f"- {printable(finding.title)}{similar}")
        console.print(Padding(text, (0, 0, 0, 2)))
    console.print()


def _print_bounds(exploration: Exploration, console: Console) -> None:
    summary = exploration.summary()
    whole = "all of them" if exploration.complete else "a part of them"
    text = (
        f"{summary.schedules:,} schedules of up to {exploration.transactions} transactions "
        f"({whole}), {summary.histories:,} histories judged, "
        f"{summary.violations} minimal findings, {summary.broken_promises} broken "
        f"promises, {round(summary.seconds, 2)} s."
    )
    console.print(Text(text, "bold"))
    if exploration.searches:
        console.print()
        console.print(_bounds_table(exploration))
        note = (
            f"none: no history of up to {exploration.transactions} transactions. Numbers: minimal "
            "histories, by the conflict, the view and the final-state reading. With + or ?: the "
            "search was not finished."
        )
        console.print(Text(note, "dim"))


def _bounds_table(exploration: Exploration) -> Table:
    judged = list(dict.fromkeys(b.level for s in exploration.searches for b in s.bounds))
    table = Table("table", *judged, box=None, padding=(0, 2, 0, 0))
    for search in exploration.searches:
        cells = [
            " / ".join(
                _bound(b, exploration.transactions) for b in search.bounds if b.level == level
            )
            for level in judged
        ]
        shown = [cell if set(cell.split(" / ")) != {"none"} else "none" for cell in cells]
        table.add_row(f"{search.layout}, {search.level}", *shown)
    return table


def _bound(bound: Bound, transactions: int) -> str:
    count = sum(bound.minimal.values())
    if bound.finished >= transactions:
        return str(count) if count else "none"
    return f"{count}+" if count else "?"


def print_synthesis(synthesis: Synthesis, console: Console) -> None:
    """The violations as SQL with their schedules, then the solver's answers.

    Those come first that break most readings.
    """
    for finding in strongest_first(synthesis.findings):
        scenario = finding.scenario
        console.print(f"{finding.level}: {finding.title}")
        for name, sql in scenario.transactions.items():
            console.print(f"  {name}: {sql}")
        console.print(f"  {', '.join(map(str, scenario.schedule))}")
    for sentence in _answers(synthesis):
        console.print(sentence)


def _answers(synthesis: Synthesis) -> Iterator[str]:
    """The solver's answers for each level, without promising more than was asked."""
    words = {"some": "has violations", "none": "has none", "unknown": "unknown: out of time"}
    summary, bounds = synthesis.summary(), synthesis.bounds
    for level, size in summary.sizes:
        many = "s" if size.transactions > 1 else ""
        several = "s" if bounds.partitions > 1 else ""
        count = f"{size.transactions} writer{many} over {bounds.partitions} partition{several}"
        if bounds.values > 1:
            count += f" with {bounds.values} values of a data column"
        yield f"{level}, {count}: {words[size.answer]} ({size.seconds:.2f} s)"
    for level in dict.fromkeys(level for level, _ in summary.sizes):
        smallest = [finding for finding in synthesis.findings if finding.level == level]
        if smallest:
            which = "all up to names" if synthesis.every else "one of each kind"
            yield f"{level}: {len(smallest)} smallest violations, {which}"
            yield f"  violated {readings_in_words(smallest)}"
    yield from summary.gave_up
    if summary.replays is not None:
        replays, differ = summary.replays.replays, summary.replays.differences
        yield f"{replays} replays, {differ} differ from the model"
