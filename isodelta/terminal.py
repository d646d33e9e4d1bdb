"""What people read on a terminal: results laid out for 80 columns, and progress."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import TextIOWrapper
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from checker.judging.verdict import Verdict
from isodelta.runs.judging import Checked
from isodelta.runs.results import plain_rows
from model.history import Row
from model.outcomes import COMMITTED, NO_COMMIT, READ
from model.scenario import Step
from model.simulator import Ended
from model.values.types import sql_row
from model.workload import Workload

COLOURS = {"holds": "green", "violated": "red", "unknown": "yellow"}
MOST_ROWS = 12
"""How many rows are written out."""
WIDEST_TIMELINE = 36
"""Columns of the widest timeline that leaves room for words beside it."""


@dataclass(frozen=True, slots=True)
class Marks:
    """The characters that a timeline is drawn with."""

    begin: str
    line: str
    committed: str
    read: str
    no_commit: str
    refused: str
    arrow: str

    def of(self, outcome: str) -> str:
        """The mark of a transaction's end."""
        ends = {COMMITTED: self.committed, READ: self.read, NO_COMMIT: self.no_commit}
        return ends.get(outcome, self.refused)


DRAWN = Marks("├", "─", "●", "○", "┤", "╳", "→")
TYPED = Marks("[", "-", "*", "o", "]", "x", "->")


class _Console(Console):
    def on_broken_pipe(self) -> None:
        # The command line decides how a run ends whose reader has left.
        raise BrokenPipeError


def output() -> Console:
    """The console on standard output. What its encoding lacks is written as an escape."""
    return _console(sys.stdout)


def notes() -> Console:
    """The console on standard error, for progress and remarks."""
    return _console(sys.stderr)


def _console(stream: Any) -> Console:
    if isinstance(stream, TextIOWrapper):
        stream.reconfigure(errors="backslashreplace")
    return _Console(file=stream, highlight=False, emoji=False, markup=False)


def show_progress() -> bool:
    """Whether somebody is there to watch: progress goes to a terminal or nowhere."""
    return sys.stderr.isatty()


@contextmanager
def progress(text: str) -> Iterator[Any]:
    """A line of progress on standard error while the block runs.

    Gives a function that replaces the line's text; it does nothing where nobody watches.
    """
    if not show_progress():
        yield lambda text: None
        return
    with notes().status(Text(text)) as status:
        yield lambda text: status.update(Text(text))


def marks(console: Console) -> Marks:
    """The marks that a console can print."""
    return DRAWN if console.encoding.lower().startswith("utf") else TYPED


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
    _print_statements(scenario.transactions, console)
    console.print()
    _print_timeline(tuple(scenario.transactions), scenario.schedule, checked.run.ended, console)
    console.print()
    _print_rows("Rows at the end", checked.run.final.shown(), console)
    for level, verdict in checked.verdicts.items():
        console.print()
        print_verdict(verdict, console, "the table's level" if level == checked.level else "")
    _print_failures(checked, console)


def printable(text: str) -> str:
    """``text`` on one line and without characters that would steer a terminal."""
    return "".join(c if c.isprintable() else " " for c in " ".join(text.split()))


def rows_text(rows: Iterable[Row]) -> str:
    """Rows as SQL writes them, in the order of their values; ``none`` where there are none."""
    shown = [sql_row(row) for row in sorted(rows, key=lambda row: repr(plain_rows([row])))]
    more = len(shown) - MOST_ROWS
    text = ", ".join(shown[:MOST_ROWS]) + (f" and {more} more" if more > 0 else "")
    return printable(text) or "none"


def _grid(*ratios: bool) -> Table:
    """A table without lines; a column that is True takes what is left of the width."""
    grid = Table.grid(padding=(0, 2))
    for wide in ratios:
        grid.add_column(no_wrap=not wide, overflow="fold")
    return grid


def _print_table(workload: Workload, console: Console) -> None:
    table = workload.table
    columns = [
        f"{name} {kind}" for name, kind in zip(table.column_names, table.column_types, strict=True)
    ]
    partitions = ", ".join(table.names[index] for index in table.partitions)
    layout = f"partitioned by {partitions}" if partitions else "without partitions"
    shown = "none yet" if table.absent else f"{', '.join(columns)}; {layout}"
    text = Text(printable(f"Table: {shown}"))
    console.print(Padding(text, (0, 0, 0, 2)))
    _print_rows("Rows at the start", workload.base.shown(), console)
    for name, rows in workload.others.items():
        _print_rows(f"Rows of table {name}", rows, console)


def _print_rows(heading: str, rows: Iterable[Row], console: Console) -> None:
    console.print(Padding(Text(f"{printable(heading)}: {rows_text(rows)}"), (0, 0, 0, 2)))


def _print_statements(transactions: Mapping[str, str], console: Console) -> None:
    grid = _grid(False, True)
    for name, text in transactions.items():
        grid.add_row(Text(name, "bold cyan"), Text(printable(text)))
    console.print(Padding(grid, (0, 0, 0, 2)))


def _print_timeline(
    names: Sequence[str], schedule: Sequence[Step], ended: Mapping[str, Ended], console: Console
) -> None:
    lines = timeline(schedule, {name: ended[name].outcome for name in names}, marks(console))
    if lines is None:
        steps = Text("Schedule: " + ", ".join(map(str, schedule)))
        console.print(Padding(steps, (0, 0, 1, 2)))
        lines = dict.fromkeys(names, "")
    grid = _grid(False, False, True)
    for name in names:
        grid.add_row(Text(name, "bold cyan"), Text(lines[name]), _outcome(ended[name]))
    console.print(Padding(grid, (0, 0, 0, 2)))


def timeline(
    schedule: Sequence[Step], outcomes: Mapping[str, str], drawn: Marks
) -> dict[str, str] | None:
    """A line for each transaction with its begin and its end, all on one time axis.

    None where the schedule is too long to draw.
    """
    for step_width in (3, 2, 1):
        if len(schedule) * step_width <= WIDEST_TIMELINE:
            break
    else:
        return None
    places: dict[str, list[int]] = {}
    for index, step in enumerate(schedule):
        places.setdefault(step.transaction, []).append(index * step_width)
    width = (len(schedule) - 1) * step_width + 1
    return {
        name: (
            " " * begin + drawn.begin + drawn.line * (end - begin - 1) + drawn.of(outcomes[name])
        ).ljust(width)
        for name, (begin, end) in places.items()
    }


def legend(console: Console) -> Text:
    """What the marks of a timeline mean."""
    m = marks(console)
    return Text(
        f"{m.begin} begins (takes its snapshot)  {m.committed} commits  {m.read} returns its rows"
        f"  {m.no_commit} ends, no version  {m.refused} fails",
        "dim",
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


def print_verdict(verdict: Verdict, console: Console, remark: str = "") -> None:
    """One level: the verdict, its witness in words, and the two weaker readings."""
    arrow = f" {marks(console).arrow} "
    head = Text("  ").append(verdict.level, "bold")
    head.append(f" ({remark}): " if remark else ": ")
    head.append(verdict.verdict, f"bold {COLOURS[verdict.verdict]}")
    if verdict.cycle:
        head.append(f", a cycle of kind {verdict.anomaly}:")
    elif verdict.serial_order:
        head.append(f" in the serial order {', '.join(verdict.serial_order)}")
    console.print(head)
    if verdict.why:
        console.print(Padding(Text(printable(verdict.why)), (0, 0, 0, 4)))
    if verdict.cycle:
        grid = _grid(False, False, True)
        for edge in verdict.cycle:
            pair = f"{edge.source}{arrow}{edge.target}"
            grid.add_row(Text(pair), Text(edge.kind, "cyan"), Text(printable(edge.because)))
        console.print(Padding(grid, (0, 0, 0, 4)))
    if verdict.verdict != "holds":
        _print_readings(verdict, console)


def _print_readings(verdict: Verdict, console: Console) -> None:
    grid = _grid(False, True)
    readings = (
        ("view (same reads and rows)", verdict.view),
        ("final state (same rows)", verdict.final_state),
    )
    for name, reading in readings:
        if reading is None:
            continue
        text = Text(reading.verdict, COLOURS[reading.verdict])
        if reading.serial_order:
            text.append(f" in the serial order {', '.join(reading.serial_order)}", "default")
        elif reading.why:
            text.append(f": {printable(reading.why)}", "default")
        grid.add_row(Text(f"{name}:", "dim"), text)
    if grid.row_count:
        console.print(Padding(grid, (0, 0, 0, 4)))


def _print_failures(checked: Checked, console: Console) -> None:
    console.print()
    expect = checked.loaded.scenario.expect
    if checked.failures:
        console.print(Text("  Not as it should be:", "bold red"))
        for failure in checked.failures:
            console.print(Padding(Text(printable(failure)), (0, 0, 0, 4)))
    elif expect.outcomes or expect.levels or expect.rows is not None:
        console.print(Text("  As expected.", "green"))


def print_summary(checked: Sequence[Checked], console: Console) -> None:
    """How many scenarios are as they should be, and which are not."""
    bad = [result for result in checked if not result.ok]
    console.print()
    if not bad:
        console.print(Text(f"{len(checked)} scenarios, all as they should be.", "green"))
        return
    text = f"{len(checked)} scenarios, {len(bad)} not as they should be:"
    console.print(Text(text, "bold red"))
    for result in bad:
        place = f"{result.loaded.file}:{result.loaded.line}"
        line = Text(f"{printable(result.loaded.scenario.name)} ({place})")
        console.print(Padding(line, (0, 0, 0, 2)))
