"""The conflict table as a grid of statement kinds, one for each level and layout."""

from __future__ import annotations

from dataclasses import dataclass

from isodelta.report.data import MatrixCell, Report
from model.levels import DELTA_LEVELS

MEANINGS = {
    "needed": "refused, and the level needs it",
    "cautious": "refused, though no pair of statements tried needs it",
    "free": "never refused",
    "unsound": "not refused, though the level needs it",
    "unasked": "not asked",
}
"""What each kind of cell says, by its name."""


@dataclass(frozen=True, slots=True)
class GridCell:
    """One cell: its ``state`` is a key of ``MEANINGS``; ``words`` tells what every source says."""

    state: str
    words: str
    differs: bool


@dataclass(frozen=True, slots=True)
class Grid:
    """The cells of one level and layout: a row for each current kind, a column for each winner."""

    level: str
    layout: str
    kinds: tuple[str, ...]
    rows: tuple[tuple[str, tuple[GridCell | None, ...]], ...]
    counts: tuple[tuple[str, int], ...]


def grids(report: Report) -> tuple[Grid, ...]:
    """The conflict table of the report, the stronger level first."""
    places = dict.fromkeys((cell.level, cell.layout) for cell in report.matrix)
    ordered = sorted(places, key=lambda place: (place[0] not in DELTA_LEVELS, place[0]))
    return tuple(_grid(report, level, layout) for level, layout in ordered)


def _grid(report: Report, level: str, layout: str) -> Grid:
    cells = {
        (cell.current, cell.winner): cell
        for cell in report.matrix
        if (cell.level, cell.layout) == (level, layout)
    }
    kinds = tuple(dict.fromkeys(name for pair in cells for name in pair))
    shown = {place: grid_cell(cell) for place, cell in cells.items()}
    states = [cell.state for cell in shown.values()]
    return Grid(
        level,
        layout,
        kinds,
        tuple(
            (current, tuple(shown.get((current, winner)) for winner in kinds)) for current in kinds
        ),
        tuple((state, states.count(state)) for state in MEANINGS if state in states),
    )


def state(answer: str | None, needed: str | None) -> str:
    """The kind of a cell, a key of ``MEANINGS``, from the answer that counts and the need."""
    if answer not in ("can", "cannot"):
        return "unasked"
    if answer == "can":
        return "cautious" if needed == "no" else "needed"
    return "unsound" if needed == "yes" else "free"


def grid_cell(cell: MatrixCell) -> GridCell:
    """One cell of the conflict table as the grid shows it: the engine's answer, or the model's."""
    shown = state(cell.engine or cell.model, cell.needed)
    sources = (("documents", cell.document), ("model", cell.model), ("engine", cell.engine))
    said = ", ".join(f"{name}: {word or 'not asked'}" for name, word in sources)
    remarks = f". {', '.join(cell.remarks)}" if cell.remarks else ""
    words = f"{cell.current} after {cell.winner}: {MEANINGS[shown]}. {said}{remarks}."
    return GridCell(shown, words, cell.differs and cell.remarks != ("over-cautious",))
