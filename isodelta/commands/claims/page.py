"""The report folder of ``isodelta claims``, and the ledger in other reports."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from isodelta.commands.claims.claim import SOURCES
from isodelta.commands.claims.results import counted
from isodelta.report import ClaimEvidence, ClaimLine, Report
from isodelta.report.start import new_report

if TYPE_CHECKING:
    from isodelta.commands.claims.results import Row
    from isodelta.options import Common


def claim_line(row: Row) -> ClaimLine:
    """One row of the ledger as the report shows it."""
    return ClaimLine(
        name=row.claim.name,
        statement=row.claim.statement,
        sources=tuple(row.claim.sources),
        kind=row.claim.kind.value,
        status=row.result.status.value,
        because=row.result.because,
        evidence=tuple(
            ClaimEvidence(observed.text, observed.holds, observed.by, observed.scenario)
            for observed in row.result.evidence
        ),
    )


def add_claims(report: Report, lines: Iterable[ClaimLine]) -> None:
    """Adds lines of the ledger to a report, with the titles of the documents."""
    report.claims.extend(lines)
    report.claim_sources.update(SOURCES)


def page(common: Common, rows: Sequence[Row], engine: str) -> Report:
    """The report of a ledger."""
    report = new_report(
        common,
        f"{len(rows)} claims of Delta Lake's documents, each with the check that decides it and "
        f"its result: {counted(rows)}.",
    )
    report.engine = engine
    add_claims(report, map(claim_line, rows))
    return report
