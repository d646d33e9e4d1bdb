"""The report page of a conflict table."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.matrix.table import Entry
from isodelta.commands.matrix.results import QUESTION, Cell
from isodelta.options import Common
from isodelta.report import MatrixCell, Report
from isodelta.report.start import new_report


def page(common: Common, cells: Sequence[Cell], engine: str | None) -> Report:
    """The table, with the witnesses."""
    entries = [cell.entry for cell in cells]
    tried = sum(entry.tried for entry in entries)
    report = new_report(common, f"{QUESTION} {tried:,} pairs of statements, tried in the model.")
    report.engine = engine or report.engine
    report.summary.schedules = tried
    report.summary.replays = sum(entry.replays for entry in entries)
    report.summary.differences = sum(len(entry.differing) for entry in entries)
    report.matrix.extend(map(matrix_cell, entries))
    return report


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
        needed=Cell(entry).needed,
        remarks=entry.remarks,
        witness=entry.witness or entry.needed_by,
        note=note,
    )
