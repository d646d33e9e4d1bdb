"""The result of one run of the suite."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

from isodelta.report import FindingClass, Report


@dataclass(frozen=True, slots=True)
class SuiteRun:
    """The report, already written, with the path of its page.

    ``engine_failed`` says in one line why there was no real engine, or why it ended.
    """

    report: Report
    page: Path
    engine_failed: str | None

    @property
    def good(self) -> bool:
        """True if nothing was found: no violation, no difference, no failed expectation."""
        report = self.report
        kinds = {finding.kind for finding in report.findings}
        return not (
            kinds - {FindingClass.DOCUMENT_DIFFERS}
            or any(result.failures for result in report.scenarios)
            or any(part.status in ("failed", "error") for part in report.parts)
        )

    def to_json(self) -> dict[str, object]:
        """The object that ``verify --json`` prints."""
        return {"summary": asdict(self.report.summary)}
