"""The report folder of a conflict table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from conformance.matrix.table import Entry
from isodelta.commands.matrix.results import QUESTION, matrix_cell
from isodelta.options import Common
from isodelta.report.start import finish, new_report


def write_matrix_report(
    common: Common, entries: Sequence[Entry], engine: str | None, seconds: float
) -> Path:
    """Writes the report of a conflict table; returns the path of its page. Raises BadInput."""
    assert common.report is not None
    tried = sum(entry.tried for entry in entries)
    report = new_report(common, f"{QUESTION} {tried:,} pairs of statements, tried in the model.")
    if engine is not None:
        report.engine = engine
    report.summary.schedules = tried
    report.summary.replays = sum(entry.replays for entry in entries)
    report.summary.differences = sum(len(entry.differing) for entry in entries)
    report.matrix.extend(map(matrix_cell, entries))
    return finish(report, common.report, seconds)
