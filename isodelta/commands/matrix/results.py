"""The conflict table as JSON objects, as Markdown, and as a table for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from rich.table import Table

from conformance.matrix.documents import GENERATIONS, NOT_SAID
from conformance.matrix.table import NOT_ASKED, Entry
from isodelta.files.scenario_writer import scenario_mapping
from isodelta.report import MatrixCell
from isodelta.terminal import output
from model.scenario import Scenario

QUESTION = (
    "Can the current transaction fail because of one that committed while it ran, and does the "
    "level ever need that?"
)


def entry_result(entry: Entry) -> dict[str, Any]:
    """The object that ``matrix --json`` prints for one ordered pair."""
    return {
        "current": entry.current,
        "winner": entry.winner,
        "layout": entry.layout,
        "level": entry.level,
        "document": entry.document,
        "documents": entry.documents,
        "claims": list(entry.claims),
        "model": entry.model,
        "engine": entry.engine,
        "needed": needed(entry),
        "remarks": list(entry.remarks),
        "tried": entry.tried,
        "replays": entry.replays,
        "witness": _mapping(entry.witness),
        "needed_by": _mapping(entry.needed_by),
    }


def needed(entry: Entry) -> str:
    """``yes`` with a witness; ``no``: none among all pairs tried; else there were no pairs."""
    if entry.tried == 0:
        return NOT_ASKED
    return "no" if entry.needed_by is None else "yes"


def matrix_cell(entry: Entry) -> MatrixCell:
    """An entry as the report shows it."""
    claims = f"{', '.join(entry.claims)}; " if entry.claims else ""
    note = f"{claims}{entry.tried} pairs tried in the model"
    if entry.document == "can" and entry.model == "cannot":
        note += "; the documents do not say which of the two would fail"
    return MatrixCell(
        current=entry.current,
        winner=entry.winner,
        layout=entry.layout,
        level=entry.level,
        document=entry.document,
        model=entry.model,
        engine=entry.engine,
        needed=needed(entry),
        remarks=entry.remarks,
        witness=_mapping(entry.witness) or _mapping(entry.needed_by),
        note=note,
    )


def markdown(entries: Sequence[Entry]) -> str:
    """The table in Markdown, for a design review: one table for each layout and level."""
    lines = [QUESTION, ""]
    for (layout, level), group in _tables(entries):
        headings = ("Current", "Committed first", "Documents", "Model", "Engine", "Needed", "")
        lines += [f"### {level}, {layout} table", "", _line(headings)]
        lines.append(_line(["---"] * len(headings)))
        for entry in group:
            remarks = "; ".join(entry.remarks)
            lines.append(
                _line(
                    (
                        entry.current,
                        entry.winner,
                        _documents(entry),
                        entry.model,
                        entry.engine or "not asked",
                        needed(entry),
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
        "*needed: yes* has a pair of statements that breaks the level where nothing stops it; "
        "*no* means none among all pairs tried.",
    ]
    return "\n".join(lines) + "\n"


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _documents(entry: Entry) -> str:
    """The generations' words, put together where they agree."""
    words: dict[str, list[str]] = {}
    for name, word in entry.documents.items():
        if word != NOT_SAID:
            words.setdefault(word, []).append(name)
    if not words:
        return NOT_SAID
    if len(words) == 1:
        return next(iter(words))
    return "; ".join(f"{word} ({', '.join(names)})" for word, names in words.items())


def _tables(entries: Sequence[Entry]) -> Iterator[tuple[tuple[str, str], Iterator[Entry]]]:
    return groupby(entries, lambda entry: (entry.layout, entry.level))


def print_matrix(entries: Sequence[Entry]) -> None:
    """One table for each layout and level, and the generations' own words where they differ."""
    console = output()
    asked = any(entry.replays for entry in entries)
    for (layout, level), group in _tables(entries):
        table = Table(title=f"{level}, {layout} table", title_justify="left")
        headings = ["current", "winner", "documents", "model", "needed", ""]
        if asked:
            headings.insert(4, "engine")
        for heading in headings:
            table.add_column(heading)
        for entry in group:
            words = [entry.document, entry.model, needed(entry), ", ".join(entry.remarks)]
            if asked:
                words.insert(2, entry.engine or "not asked")
            table.add_row(entry.current, entry.winner, *words)
        console.print(table)
    console.print(
        f"{QUESTION}\n"
        "Documents: the newest table without row-level concurrency; --markdown and --json have "
        "every generation. They do not say which of the two fails; --json has a witness for "
        "each 'can' and each 'yes'."
    )


def _mapping(scenario: Scenario | None) -> dict[str, Any] | None:
    return None if scenario is None else scenario_mapping(scenario)
