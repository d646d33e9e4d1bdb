"""The results of ``isodelta audit``, and their JSON objects."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from checker.logs.audit import Audit, Window, audit
from checker.logs.findings import Finding
from checker.logs.overlap.verdicts import SegmentVerdict
from conformance.delta_log.stores import Store, UnreadableStore, store
from conformance.delta_log.table_log import DataFiles, NoLog, TableLog
from isodelta.exits import BadInput

SHOWN = 1000
"""Verdicts on segments that the summary lists; ``segments`` counts all."""


@dataclass(frozen=True, slots=True)
class ReportedFinding:
    """One finding as a result of the command."""

    finding: Finding

    def to_json(self) -> dict[str, object]:
        """The object that ``isodelta audit --json`` prints."""
        finding = self.finding
        written: dict[str, object] = {
            "finding": finding.kind,
            "versions": list(finding.versions),
            "because": finding.because,
            "observed": finding.observed,
        }
        if finding.files:
            written["files"] = list(finding.files)
        if finding.levels:
            written["levels"] = list(finding.levels)
        return written


@dataclass(frozen=True, slots=True)
class Audited:
    """An audit of one table, and its duration."""

    audit: Audit
    seconds: float

    @property
    def summary(self) -> AuditSummary:
        """The last object of the command."""
        return AuditSummary(self)


@dataclass(frozen=True, slots=True)
class AuditSummary:
    """The counts and the verdicts of an audit."""

    audited: Audited

    def to_json(self) -> dict[str, object]:
        """The object that ``isodelta audit --json`` prints last."""
        result = self.audited.audit
        return {
            "summary": {
                "table": result.location,
                "commits": result.commits,
                "overlaps": result.overlaps,
                "segments": result.overlapping_segments,
                "findings": len(result.findings),
                "levels": dict(result.levels),
                "because": {level: why[:SHOWN] for level, why in result.because.items() if why},
                "verdicts": [_verdict(verdict) for verdict in result.verdicts[:SHOWN]],
                "writers": dict(result.writers),
                "what_if": result.what_if.to_json(),
                "retries": result.retries,
                "notes": list(result.notes),
                "seconds": round(self.audited.seconds, 3),
            }
        }


def _verdict(verdict: SegmentVerdict) -> dict[str, object]:
    written: dict[str, object] = {
        "level": verdict.level,
        "versions": list(verdict.versions),
        "verdict": verdict.verdict,
        "because": verdict.because,
    }
    if verdict.cycle:
        written["edges"] = [edge.to_json() for edge in verdict.cycle]
    return written


def audited(
    table: str, window: Window, progress: Callable[[str], None], master: str | None = None
) -> Audited:
    """Audits a table. Raises BadInput if there is none that can be read.

    With a ``master`` its commits are read on Spark there, else by this process.
    """
    started = time.monotonic()
    try:
        place = store(table)
        with _log(place, master) as log:
            if window.first > log.last:
                raise BadInput(
                    f"--from {window.first}: the log of {table} ends at version {log.last}"
                )
            rows = None if place.folder is None else DataFiles(place.folder)
            result = audit(log, rows, window, progress)
    except (UnreadableStore, NoLog) as error:
        raise BadInput(str(error)) from error
    return Audited(result, time.monotonic() - started)


@contextmanager
def _log(place: Store, master: str | None) -> Iterator[TableLog]:
    """The log of a table, for as long as it is read."""
    log = TableLog(place)
    if master is None:
        yield log
        return
    from pipeline.cluster.session import for_data
    from pipeline.logs import RangedLog

    with for_data(master) as session:
        yield RangedLog(place, session)
