"""Verdicts and rows in words for a terminal, shared by check and replay."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from checker.judging.verdict import Verdict
from isodelta.runs.results import plain_rows
from isodelta.terminal import COLOURS, can_draw, grid, printable
from model.history import Row
from model.values.types import sql_row

MOST_ROWS = 12
"""The number of rows that are written out."""


def rows_text(rows: Iterable[Row]) -> str:
    """Rows as SQL writes them, in the order of their values; ``none`` if there are none."""
    shown = [sql_row(row) for row in sorted(rows, key=lambda row: repr(plain_rows([row])))]
    more = len(shown) - MOST_ROWS
    text = ", ".join(shown[:MOST_ROWS]) + (f" and {more} more" if more > 0 else "")
    return printable(text) or "none"


def print_rows(heading: str, rows: Iterable[Row], console: Console) -> None:
    """One line with a heading and the rows."""
    console.print(Padding(Text(f"{printable(heading)}: {rows_text(rows)}"), (0, 0, 0, 2)))


def print_verdict(verdict: Verdict, console: Console, remark: str = "") -> None:
    """One level: the verdict, its witness in words, and the two weaker readings."""
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
        arrow = "→" if can_draw(console) else "->"
        lines = grid(False, False, True)
        for edge in verdict.cycle:
            pair = f"{edge.source} {arrow} {edge.target}"
            lines.add_row(Text(pair), Text(edge.kind, "cyan"), Text(printable(edge.because)))
        console.print(Padding(lines, (0, 0, 0, 4)))
    if verdict.verdict != "holds":
        _print_readings(verdict, console)


def _print_readings(verdict: Verdict, console: Console) -> None:
    lines = grid(False, True)
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
        lines.add_row(Text(f"{name}:", "dim"), text)
    if lines.row_count:
        console.print(Padding(lines, (0, 0, 0, 4)))
