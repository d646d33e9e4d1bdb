"""The table of releases as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from conformance.releases.table import Cell, Change, Fate, ReleaseRow, affected, changes
from isodelta.files.scenario_writer import scenario_mapping


@dataclass(frozen=True, slots=True)
class ReleaseResult:
    """One release and what it made of every cell."""

    row: ReleaseRow

    def to_json(self) -> dict[str, object]:
        """The object that ``releases --json`` prints for it."""
        return {
            "release": self.row.release.name,
            "cells": {name: fate_json(fate) for name, fate in self.row.fates.items()},
            "seconds": round(self.row.seconds, 1),
        }


def fate_json(fate: Fate) -> dict[str, object]:
    """A fate, as plain data."""
    if fate.because:
        return {"because": fate.because}
    told: dict[str, object] = {"outcomes": dict(fate.outcomes), "verdict": fate.verdict}
    return {**told, "why": fate.why} if fate.verdict == "unknown" else told


@dataclass
class Table:
    """Every cell by every release run so far."""

    cells: tuple[Cell, ...]
    rows: list[ReleaseRow] = field(default_factory=list)

    @property
    def changes(self) -> Sequence[Change]:
        """What differs between neighbours."""
        return tuple(changes(self.rows, self.cells))

    def spans(self, cell: Cell) -> list[tuple[str, str, Fate]]:
        """The runs of releases that treat a cell alike: first version, last version, fate."""
        spans: list[tuple[str, str, Fate]] = []
        for row in self.rows:
            fate, version = row.fates[cell.name], row.release.version
            if spans and spans[-1][2] == fate:
                spans[-1] = (spans[-1][0], version, fate)
            else:
                spans.append((version, version, fate))
        return spans

    def to_json(self) -> dict[str, object]:
        """The last object of ``releases --json``: the changes, and who is affected by what."""
        findings = [cell for cell in self.cells if cell.subject == "finding"]
        return {
            "summary": {
                "releases": [row.release.name for row in self.rows],
                "cells": len(self.cells),
                "changes": [
                    {
                        "cell": change.cell.name,
                        "subject": change.cell.subject,
                        "from": change.older.name,
                        "to": change.newer.name,
                        "before": fate_json(change.before),
                        "after": fate_json(change.after),
                        "scenario": scenario_mapping(change.cell.scenario),
                    }
                    for change in self.changes
                ],
                "affected": {
                    cell.name: [release.name for release in affected(cell, self.rows)]
                    for cell in findings
                },
            }
        }
