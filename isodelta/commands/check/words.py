"""Checked scenarios in words for a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from isodelta.commands.check.results import UnderProfile
from isodelta.runs.judging import Checked, Undecided
from isodelta.runs.tables import CheckedTables
from isodelta.runs.timelines import legend, print_timeline
from isodelta.runs.words import print_rows, print_verdict, rows_text
from isodelta.terminal import COLOURS, grid, printable
from model.levels import DELTA_LEVELS
from model.outcomes import COMMITTED, NO_COMMIT
from model.profiles import readings
from model.scenario import Expectation, Scenario
from model.simulator import Ended
from model.workload import Workload


def print_any(result: Checked | CheckedTables | Undecided, console: Console) -> None:
    """One scenario in full, of whichever kind."""
    match result:
        case Checked():
            print_checked(result, console)
        case CheckedTables():
            print_tables(result, console)
        case Undecided():
            print_undecided(result, console)


def print_tables(result: CheckedTables, console: Console) -> None:
    """A scenario that writes several tables: statements and schedule, then table by table."""
    loaded, scenario = result.loaded, result.loaded.scenario
    console.print(Text(printable(scenario.name), "bold"))
    rules = next(iter(result.tables.values())).run.profile.name
    place = f"{loaded.file}:{loaded.line}, {len(result.tables)} written tables, rules of {rules}"
    console.print(Text(place, "dim"))
    console.print()
    _print_statements(loaded.statements, console)
    console.print()
    ended = {n: e for part in result.tables.values() for n, e in part.run.ended.items()}
    _print_course(scenario, ended, console)
    for name, part in result.tables.items():
        console.print()
        own = ", ".join(part.loaded.scenario.transactions) or "no transaction"
        console.print(Text(f"  {printable(name)}", "bold").append(f": {own}", "not bold default"))
        _print_table(part.loaded.workload, console, others=False)
        print_rows("Final rows", part.run.final.shown(), console)
        for level, verdict in part.verdicts.items():
            print_verdict(verdict, console, "the table's level" if level == part.level else "")
    _print_failures(result, console)
    console.print()


def print_checked(checked: Checked, console: Console) -> None:
    """One scenario in full: statements, schedule, outcomes, rows and verdicts."""
    scenario, loaded = checked.loaded.scenario, checked.loaded
    console.print(Text(printable(scenario.name), "bold"))
    console.print(
        Text(
            f"{loaded.file}:{loaded.line}, table at {checked.level}, "
            f"rules of {checked.run.profile.name}",
            "dim",
        )
    )
    console.print()
    _print_table(loaded.workload, console)
    console.print()
    _print_statements(loaded.statements, console)
    console.print()
    _print_course(scenario, checked.run.ended, console)
    console.print()
    print_rows("Final rows", checked.run.final.shown(), console)
    for level, verdict in checked.verdicts.items():
        console.print()
        print_verdict(verdict, console, "the table's level" if level == checked.level else "")
    _print_failures(checked, console)
    console.print()


def print_undecided(undecided: Undecided, console: Console) -> None:
    """One scenario whose course the model does not predict: statements, and the part."""
    scenario, loaded = undecided.loaded.scenario, undecided.loaded
    console.print(Text(printable(scenario.name), "bold"))
    place = f"{loaded.file}:{loaded.line}, table at {undecided.level}, rules of {undecided.profile}"
    console.print(Text(place, "dim"))
    console.print()
    _print_statements(loaded.statements, console)
    console.print()
    reason = Text(f"Not predicted: {printable(str(undecided.error))}", "yellow")
    console.print(Padding(reason, (0, 0, 0, 2)))
    for level, verdict in undecided.verdicts.items():
        console.print()
        print_verdict(verdict, console, "the table's level" if level == undecided.level else "")
    _print_failures(undecided, console)
    console.print()


def print_closing(checked: Sequence[Checked | CheckedTables | Undecided], console: Console) -> None:
    """A legend of the marks, and the scenarios that are not as expected."""
    console.print(legend(console))
    if len(checked) < 2:
        return
    bad = [result for result in checked if not result.ok]
    console.print()
    if not bad:
        console.print(Text(f"{len(checked)} scenarios, all as expected.", "green"))
        return
    text = f"{len(checked)} scenarios, {len(bad)} not as expected:"
    console.print(Text(text, "bold red"))
    for result in bad:
        place = f"{result.loaded.file}:{result.loaded.line}"
        line = Text(f"{printable(result.loaded.scenario.name)} ({place})")
        console.print(Padding(line, (0, 0, 0, 2)))


def _print_table(workload: Workload, console: Console, others: bool = True) -> None:
    table = workload.table
    columns = [
        f"{name} {kind}" for name, kind in zip(table.column_names, table.column_types, strict=True)
    ]
    partitions = ", ".join(table.names[index] for index in table.partitions)
    layout = f"partitioned by {partitions}" if partitions else "without partitions"
    shown = "none yet" if table.absent else f"{', '.join(columns)}; {layout}"
    text = Text(printable(f"Table: {shown}"))
    console.print(Padding(text, (0, 0, 0, 2)))
    print_rows("Initial rows", workload.base.shown(), console)
    for name, rows in workload.others.items() if others else ():
        print_rows(f"Rows of table {name}", rows, console)


def _print_statements(transactions: Mapping[str, str], console: Console) -> None:
    lines = grid(False, True)
    for name, text in transactions.items():
        lines.add_row(Text(name, "bold cyan"), Text(printable(text)))
    console.print(Padding(lines, (0, 0, 0, 2)))


def _print_course(scenario: Scenario, ended: Mapping[str, Ended], console: Console) -> None:
    ends = {name: ended[name] for name in scenario.transactions}
    print_timeline(
        scenario.schedule,
        {name: end.outcome for name, end in ends.items()},
        {name: _outcome(end) for name, end in ends.items()},
        console,
    )


def _outcome(ended: Ended) -> Text:
    logical = ended.logical
    seen = f"version {logical.read_version}" if logical.read_version >= 0 else "no table yet"
    snapshot = f"snapshot: {seen}"
    if ended.outcome == COMMITTED:
        return Text(f"committed version {logical.commit_version}; {snapshot}")
    if ended.rows is not None:
        return Text(f"read {rows_text(ended.rows)}; {snapshot}")
    if ended.outcome == NO_COMMIT:
        return Text(f"found nothing to change, wrote no version; {snapshot}")
    text = Text(ended.outcome, "bold magenta")
    if ended.conflict is None:
        return text.append(": the statement fails by itself", "default")
    return text.append(f": {printable(ended.conflict.because)}", "not bold default")


def _print_failures(checked: Checked | CheckedTables | Undecided, console: Console) -> None:
    console.print()
    expect = checked.loaded.scenario.expect
    if failures := checked.failures:
        console.print(Text("  Not as expected:", "bold red"))
        for failure in failures:
            console.print(Padding(Text(printable(failure)), (0, 0, 0, 4)))
    elif expect != Expectation():
        console.print(Text("  As expected.", "green"))


def print_every_profile(results: Sequence[UnderProfile], console: Console) -> None:
    """One table for each scenario; readings of a document that agree share a line."""
    for _, group in groupby(results, lambda result: (result.place, result.scenario.name)):
        _print_profiles(list(group), console)
        console.print()


def _print_profiles(results: Sequence[UnderProfile], console: Console) -> None:
    console.print(Text(printable(results[0].scenario.name), "bold"))
    console.print(Text(f"{results[0].place}, in the model under every profile", "dim"))
    table = Table(show_edge=False, pad_edge=False)
    for heading in ("profile", "table", "outcomes", *map(_short, DELTA_LEVELS)):
        table.add_column(heading, overflow="fold", no_wrap=heading != "outcomes")
    rows = {result.profile.name: result.row for result in results}
    for name, names in readings().items():
        shown = {reading: rows[reading] for reading in names if reading in rows}
        if len(shown) == len(names) and len(set(shown.values())) == 1:
            shown = {name: rows[names[0]]}
        for profile, row in shown.items():
            table.add_row(profile, *_cells(row))
    console.print(table)
    levels = ", ".join(f"{_short(level)} {level}" for level in DELTA_LEVELS)
    console.print(Text(f"table: the level of the table; {levels}", "dim"))


def _short(level: str) -> str:
    """The capital letters of a level's name, since columns are narrow."""
    return "".join(filter(str.isupper, level))


def _cells(row: tuple[str, ...]) -> list[Text]:
    if len(row) == 1:
        return [Text("-"), Text(printable(row[0]), "dim")]
    level, outcomes, *verdicts = row
    return [
        Text(_short(level)),
        Text(printable(outcomes)),
        *(Text(verdict, COLOURS[verdict]) for verdict in verdicts),
    ]
