"""The scenario collection: every hand-written scenario, in the model and on the engine."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from random import Random

from conformance.replay.campaign import Job
from isodelta.commands.verify.context import Suite
from isodelta.files.scenarios import Loaded, read_files
from isodelta.report import ScenarioResult, SuitePart
from isodelta.runs.judging import check
from isodelta.runs.replaying import replay_result, unmet

COLLECTION = "scenario collection"
STATEMENTS = "scenarios of single statements"
SUITES = "expectations of the implementations' own conflict suites"


def run_collection(
    suite: Suite, part: str, files: list[Path], deadline: float, sample: int | None = None
) -> None:
    """Checks and replays the scenarios of the files; fills the report's scenario table.

    They are checked in the model, file by file; files beyond the deadline are counted, and
    scenarios that the engine has not replayed by then are shown as not replayed. ``sample``
    limits the number of replays, drawn with the run's seed.
    """
    loaded: list[Loaded] = []
    results: dict[str, ScenarioResult] = {}
    left = 0
    for file in files:
        if time.monotonic() > deadline:
            left += 1
            continue
        for entry in read_files([file], suite.profile):
            loaded.append(entry)
            results[entry.scenario.name] = _checked(suite, entry)
    suite.report.summary.scenarios += len(loaded)
    suite.display.part(part, len(loaded))
    jobs = [Job(entry.scenario, entry.workload.level) for entry in loaded]
    if sample is not None and sample < len(jobs):
        jobs = Random(f"{part} {suite.seed}").sample(jobs, sample)
    try:
        for replayed in suite.replay(jobs, deadline):
            name = replayed.job.scenario.name
            comparison = replayed.comparison
            finding = None if comparison.agrees else suite.add_difference(comparison)
            problems = (*results[name].problems, *unmet(comparison))
            results[name] = replace(
                results[name],
                observed=replay_result(comparison, suite.profile.name),
                problems=tuple(dict.fromkeys(problems)),
                finding=finding,
                seconds=round(replayed.seconds, 3),
            )
            suite.display.advance(part)
    finally:
        suite.report.scenarios.extend(results.values())
    failed = sum(1 for result in results.values() if result.failures)
    replayed_count = sum(1 for result in results.values() if result.observed)
    message = f"{failed} scenarios are not as expected" if failed else ""
    if suite.engine is not None and replayed_count < len(jobs):
        message = f"{message}; the budget ended the replays early".lstrip("; ")
    if left:
        message = f"{message}; the budget did not reach {left} files".lstrip("; ")
        suite.leave_out(left, len(files), f"files of the {part}")
    suite.leave_out(len(results) - replayed_count, len(results), f"replays of the {part}")
    suite.report.parts.append(
        SuitePart(
            part,
            "failed" if failed else "passed",
            message=message,
            counts={
                "scenarios": len(results),
                "replayed": replayed_count,
                "not as expected": failed,
            },
        )
    )


def _checked(suite: Suite, entry: Loaded) -> ScenarioResult:
    checked = check(entry, suite.profile)
    return ScenarioResult(
        name=entry.scenario.name,
        level=entry.workload.level,
        file=Path(entry.file).name,
        predicted=checked.result,
        problems=checked.failures,
    )
