"""The report of a run: one HTML page, JSON, JUnit XML, and a scenario file per finding."""

from __future__ import annotations

from isodelta.report.data import (
    Bound,
    ClaimEvidence,
    ClaimLine,
    Coverage,
    Finding,
    FindingClass,
    JobsAnswer,
    LevelAnswer,
    Listed,
    MatrixCell,
    Report,
    ScenarioResult,
    SuitePart,
    Summary,
)
from isodelta.report.files.writer import write_report

__all__ = [
    "Bound",
    "ClaimEvidence",
    "ClaimLine",
    "Coverage",
    "Finding",
    "FindingClass",
    "JobsAnswer",
    "LevelAnswer",
    "Listed",
    "MatrixCell",
    "Report",
    "ScenarioResult",
    "SuitePart",
    "Summary",
    "write_report",
]
