"""The start and the end of a report that ``--report`` writes, and the names of its findings."""

from __future__ import annotations

import re
import shlex
import sys
from datetime import UTC, datetime
from pathlib import Path

from isodelta.exits import BadInput
from isodelta.options import Common
from isodelta.report import FindingClass, Report, write_report
from isodelta.versions import versions


def new_report(common: Common, paragraph: str) -> Report:
    """A report without findings yet."""
    return Report(
        paragraph=paragraph,
        command=shlex.join(["isodelta", *sys.argv[1:]]),
        profile=common.profile.name,
        engine="model",
        seed=common.seed,
        versions=versions(),
        incomplete_because="",
    )


def finish(report: Report, folder: Path, seconds: float, cut_short: str = "") -> Path:
    """Marks a report as ended and writes it; returns the path of its page.

    It stays incomplete if ``cut_short`` says why, or if ``report.incomplete_because`` was set
    before. Raises BadInput if the folder cannot be written.
    """
    report.summary.violations = sum(
        finding.kind is FindingClass.LEVEL_VIOLATION for finding in report.findings
    )
    report.summary.seconds = round(seconds, 2)
    report.created = datetime.now(UTC).isoformat(timespec="seconds")
    report.incomplete_because = cut_short or report.incomplete_because
    report.ended = not report.incomplete_because
    try:
        return write_report(folder, report)
    except OSError as error:
        raise BadInput(f"--report: {folder}: cannot be written: {error.strerror}") from error


def slug(text: str) -> str:
    """A name for a file: the text's words in lower case, joined by hyphens."""
    return "-".join(re.findall(r"[a-z0-9]+", text.lower()))[:60].strip("-") or "finding"


def unused(name: str, used: set[str]) -> str:
    """``name``, with a number appended if it is already used."""
    number, free = 2, name
    while free in used:
        free = f"{name}-{number}"
        number += 1
    return free
