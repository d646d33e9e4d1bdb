"""The report folder of ``isodelta claims``, and the ledger in other reports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from isodelta.commands.claims.claim import SOURCES
from isodelta.commands.claims.results import Status
from isodelta.report import ClaimEvidence, ClaimLine, Report
from isodelta.report.start import finish, new_report

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


def write_claims_report(common: Common, rows: Sequence[Row], engine: str, seconds: float) -> Path:
    """Writes a report with the ledger; returns the path of its page. Raises BadInput."""
    assert common.report is not None
    counts = Counter(row.result.status for row in rows)
    statuses = ", ".join(f"{counts[status]} {status}" for status in Status if counts[status])
    report = new_report(
        common,
        f"{len(rows)} claims of Delta Lake's documents, each with the check that decides it and "
        f"its result: {statuses}.",
    )
    report.engine = engine
    add_claims(report, map(claim_line, rows))
    return finish(report, common.report, seconds)
