"""The report folder of a run in the model alone: what ``--report`` writes."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from isodelta.exits import BadInput
from isodelta.files.scenario_writer import scenario_mapping
from isodelta.options import Common
from isodelta.report import (
    Finding,
    FindingClass,
    Report,
    ScenarioResult,
    Summary,
    write_report,
)
from isodelta.runs.judging import Checked
from isodelta.runs.results import check_result
from isodelta.versions import versions


def write_check_report(common: Common, checked: Sequence[Checked], seconds: float) -> Path:
    """Writes the report of checked scenarios; returns the path of its page.

    A scenario that violates the level of its table is a finding. Raises BadInput.
    """
    assert common.report is not None
    report = new_report(common, f"{len(checked)} scenarios, run in the model and judged.")
    report.summary.scenarios = len(checked)
    report.summary.schedules = len(checked)
    for result in checked:
        scenario, predicted = result.loaded.scenario, check_result(result)
        name = None
        if result.verdicts[result.level].verdict == "violated":
            name = unused(slug(scenario.name), {f.name for f in report.findings})
            report.findings.append(
                Finding(
                    name=name,
                    title=scenario.name,
                    kind=FindingClass.LEVEL_VIOLATION,
                    level=result.level,
                    summary=f"The rules let this history commit, and {result.level} forbids it.",
                    scenario=scenario_mapping(scenario),
                    predicted=predicted,
                )
            )
        report.scenarios.append(
            ScenarioResult(
                name=scenario.name,
                level=result.level,
                file=Path(result.loaded.file).name,
                predicted=predicted,
                problems=result.failures,
                finding=name,
            )
        )
    return finish(report, common.report, seconds)


def new_report(common: Common, paragraph: str) -> Report:
    """A report without findings yet."""
    return Report(
        paragraph=paragraph,
        command=shlex.join(["isodelta", *sys.argv[1:]]),
        profile=common.profile.name,
        engine="model",
        seed=common.seed,
        versions=versions(),
        summary=Summary(),
    )


def finish(report: Report, folder: Path, seconds: float, *, complete: bool = True) -> Path:
    """Marks a report as complete, unless it is not, and writes it; returns the path of its page.

    Raises BadInput where the folder cannot be written.
    """
    report.summary.violations = sum(
        finding.kind is FindingClass.LEVEL_VIOLATION for finding in report.findings
    )
    report.summary.seconds = round(seconds, 2)
    report.created = datetime.now(UTC).isoformat(timespec="seconds")
    report.complete = complete
    try:
        return write_report(folder, report)
    except OSError as error:
        raise BadInput(f"--report: {folder}: cannot be written: {error.strerror}") from error


def slug(text: str) -> str:
    """A name for a file: the text's words in lower case, joined by hyphens."""
    return "-".join(re.findall(r"[a-z0-9]+", text.lower()))[:60].strip("-") or "finding"


def unused(name: str, used: set[str]) -> str:
    """``name``, with a number behind it where it is used already."""
    number, found = 2, name
    while found in used:
        found = f"{name}-{number}"
        number += 1
    return found
