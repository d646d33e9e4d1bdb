"""The cells of the conflict table, and their JSON objects."""

from __future__ import annotations

from dataclasses import dataclass

from conformance.matrix.table import NOT_ASKED, Entry
from isodelta.files.scenario_writer import scenario_mapping
from model.scenario import Scenario

QUESTION = (
    "Can the current transaction fail because of one that committed while it ran, and does the "
    "level ever need that?"
)


@dataclass(frozen=True, slots=True)
class Cell:
    """One ordered pair of kinds at one layout and level, with the answers of all sources."""

    entry: Entry

    @property
    def needed(self) -> str:
        """``yes`` with a witness; ``no`` with none among all pairs; else no pair was tried."""
        if self.entry.tried == 0:
            return NOT_ASKED
        return "no" if self.entry.needed_by is None else "yes"

    def to_json(self) -> dict[str, object]:
        """The object that ``matrix --json`` prints."""
        entry = self.entry
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
            "needed": self.needed,
            "remarks": list(entry.remarks),
            "tried": entry.tried,
            "replays": entry.replays,
            "witness": _mapping(entry.witness),
            "needed_by": _mapping(entry.needed_by),
        }


def _mapping(scenario: Scenario | None) -> dict[str, object] | None:
    return None if scenario is None else scenario_mapping(scenario)
