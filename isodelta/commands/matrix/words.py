"""The conflict table in words: for a terminal, and in Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from rich.console import Console
from rich.table import Table

from conformance.matrix.documents import GENERATIONS, NOT_SAID
from conformance.matrix.table import Entry
from isodelta.commands.matrix.results import QUESTION, Cell


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


def print_matrix(cells: Sequence[Cell], console: Console) -> None:
    """One table for each layout and level, with the documents' newest table."""
    replayed = any(cell.entry.replays for cell in cells)
    for (layout, level), group in _tables(cells):
        table = Table(title=f"{level}, {layout} table", title_justify="left")
        headings = ["current", "winner", "documents", "model", "needed", ""]
        if replayed:
            headings.insert(4, "engine")
        for heading in headings:
            table.add_column(heading)
        for cell in group:
            entry = cell.entry
            words = [entry.document, entry.model, cell.needed, ", ".join(entry.remarks)]
            if replayed:
                words.insert(2, entry.engine or "not asked")
            table.add_row(entry.current, entry.winner, *words)
        console.print(table)
    console.print(
        f"{QUESTION}\n"
        "Documents: the newest table without row-level concurrency; --markdown and --json have "
        "every generation. They do not say which of the two fails; --json has a witness for "
        "each 'can' and each 'yes'."
    )
