"""The conflict table in words: for a terminal, and in Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from conformance.matrix.documents import GENERATIONS, NOT_SAID
from conformance.matrix.table import Entry
from isodelta.commands.matrix.results import QUESTION, Cell
from isodelta.report.views.grid import state


def markdown(cells: Sequence[Cell]) -> str:
    """The table in Markdown, for a design review: one table for each layout and level."""
    lines = [QUESTION, ""]
    for (layout, level), group in _tables(cells):
        headings = ("Current", "Committed first", "Documents", "Model", "Engine", "Needed", "")
        lines += [f"### {level}, {layout} table", "", _line(headings)]
        lines.append(_line(["---"] * len(headings)))
        for cell in group:
            entry = cell.entry
            remarks = "; ".join(entry.remarks)
            lines.append(
                _line(
                    (
                        entry.current,
                        entry.winner,
                        _documents(entry),
                        entry.model,
                        entry.engine or "not asked",
                        cell.needed,
                        remarks,
                    )
                )
            )
        lines.append("")
    lines += [
        "Generations of the documents: "
        + "; ".join(f"*{generation.name}*: {generation.source}" for generation in GENERATIONS)
        + ".",
        "",
        "*needed: yes* means that some pair of statements breaks the level if nothing stops it; "
        "*no* means that none of the pairs tried does.",
    ]
    return "\n".join(lines) + "\n"


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _documents(entry: Entry) -> str:
    """The generations' answers, grouped where they agree."""
    words: dict[str, list[str]] = {}
    for name, word in entry.documents.items():
        if word != NOT_SAID:
            words.setdefault(word, []).append(name)
    if not words:
        return NOT_SAID
    if len(words) == 1:
        return next(iter(words))
    return "; ".join(f"{word} ({', '.join(names)})" for word, names in words.items())


def _tables(cells: Sequence[Cell]) -> Iterator[tuple[tuple[str, str], Iterator[Cell]]]:
    return groupby(cells, lambda cell: (cell.entry.layout, cell.entry.level))


SIGNS = {
    "needed": ("#", "refused, and the level needs it"),
    "cautious": ("+", "refused, though no pair of statements tried needs it"),
    "free": (".", "never refused"),
    "unsound": ("!", "not refused, though the level needs it"),
    "unasked": (" ", "not asked"),
}
"""The sign of each kind of cell, and its meaning."""

_COLOURS = {"needed": "cyan", "cautious": "yellow", "unsound": "bold red"}


def print_matrix(cells: Sequence[Cell], console: Console) -> None:
    """One grid of kinds for each level and layout, then the cells where the sources differ."""
    console.print(QUESTION)
    for (layout, level), group in _tables(cells):
        console.print()
        console.print(Text(f"{level}, {layout} table", "bold"))
        _print_grid(list(group), console)
    console.print()
    for kind, (sign, meaning) in SIGNS.items():
        if any(_state(cell) == kind for cell in cells):
            console.print(Text(f"  {sign}  {meaning}", _COLOURS.get(kind, "")))
    console.print("Rows: the current statement; columns: the one that committed first, by number.")
    _print_differing(cells, console)
    console.print(
        "Documents: the newest table without row-level concurrency; --markdown and --json have "
        "every generation and every cell; --json has a witness for each 'can' and each 'yes'."
    )


def _print_grid(cells: Sequence[Cell], console: Console) -> None:
    kinds = list(dict.fromkeys(cell.entry.current for cell in cells))
    by_pair = {(cell.entry.current, cell.entry.winner): cell for cell in cells}
    width = max(map(len, kinds))
    heading = "".join(f"{number:>3}" for number in range(1, len(kinds) + 1))
    console.print(Text(f"  {'':{width + 3}}{heading}", "dim"))
    for number, current in enumerate(kinds, 1):
        line = Text(f"  {number:>2} {current:<{width}}")
        for winner in kinds:
            state = _state(by_pair[current, winner])
            line.append(f"  {SIGNS[state][0]}", _COLOURS.get(state))
        console.print(line, no_wrap=True)


def _state(cell: Cell) -> str:
    """The kind of a cell, a key of ``SIGNS``: by the engine's answer, or else the model's."""
    return state(cell.entry.engine or cell.entry.model, cell.needed)


def _print_differing(cells: Sequence[Cell], console: Console) -> None:
    """The cells with a remark, alike ones together."""
    alike: dict[tuple[str, str], list[str]] = {}
    for cell in cells:
        entry = cell.entry
        if remarks := ", ".join(remark for remark in entry.remarks if remark != "over-cautious"):
            where = f"{entry.level}, {entry.layout}"
            alike.setdefault((remarks, where), []).append(f"{entry.current} after {entry.winner}")
    if not alike:
        return
    console.print()
    console.print(Text("Where the sources differ:", "bold"))
    for (remarks, where), pairs in alike.items():
        shown = "; ".join(pairs[:6]) + (f" and {len(pairs) - 6} more" if len(pairs) > 6 else "")
        console.print(Padding(Text(f"{remarks} ({where}): {shown}"), (0, 0, 0, 2)))
    console.print()
