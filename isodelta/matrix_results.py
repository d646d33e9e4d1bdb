"""The conflict table as JSON objects, and as a table for people."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from rich.table import Table

from conformance.matrix import Entry
from isodelta.console import output
from isodelta.scenario_files import scenario_mapping


def entry_result(entry: Entry) -> dict[str, Any]:
    """The object that ``matrix --json`` prints for one ordered pair."""
    return {
        "current": entry.current,
        "winner": entry.winner,
        "layout": entry.layout,
        "level": entry.level,
        "document": entry.document,
        "claims": list(entry.claims),
        "model": entry.model,
        "engine": entry.engine,
        "tried": entry.tried,
        "replays": entry.replays,
        "witness": scenario_mapping(entry.witness) if entry.witness else None,
    }


def print_matrix(entries: Sequence[Entry]) -> None:
    """One table for each layout and level."""
    console = output()
    for (layout, level), group in groupby(entries, lambda entry: (entry.layout, entry.level)):
        table = Table(title=f"{level}, {layout} table", title_justify="left")
        for heading in ("current", "winner", "documents", "model", "engine", ""):
            table.add_column(heading)
        for entry in group:
            table.add_row(
                entry.current,
                entry.winner,
                entry.document,
                entry.model,
                entry.engine or "not asked",
                _remark(entry),
            )
        console.print(table)
    console.print(
        "Can the current transaction fail because of a winner that committed while it ran?\n"
        "The documents do not say which of the two fails; --json has a witness for each 'can'."
    )


def _remark(entry: Entry) -> str:
    if entry.engine is not None and entry.engine != entry.model:
        return "engine differs from the model"
    if entry.document == "cannot" and entry.model == "can":
        return "documents rule it out"
    return ""
