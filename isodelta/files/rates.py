"""The rates of jobs: from a file, from a workload's key, from the history of a table."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path as FilePath
from statistics import median
from typing import Any

from pydantic import ValidationError

from checker.robustness.jobs.workload import Jobs
from checker.robustness.rates.given import DAY, JobRate, Rates
from isodelta.exits import BadInput
from isodelta.files.complaints import Shapes, complaints
from isodelta.files.scenarios import BadScenarios, Problem, contents, place_text, read_yaml
from isodelta.files.workload_schema import JobRateShape, RatesShape

SHAPES = Shapes(RatesShape, {"jobs": JobRateShape})

_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_TIME = re.compile(r"(\d+(?:\.\d+)?)\s*([smhd])")

_OPERATIONS = {
    "INSERT": ("WRITE", "STREAMING UPDATE"),
    "MERGE": ("MERGE",),
    "UPDATE": ("UPDATE",),
    "DELETE": ("DELETE",),
    "OPTIMIZE": ("OPTIMIZE",),
    "TRUNCATE": ("TRUNCATE",),
}
"""The names that Delta's log has for statements, by their first word."""

SHORTEST_HISTORY = DAY / 24
"""In seconds. A shorter history says nothing of runs per day."""


def read_rates(file: str | FilePath) -> Rates:
    """The rates in a file. Raises BadScenarios with its problems."""
    source = read_yaml(contents(str(file)), str(file))
    try:
        shape = RatesShape.model_validate(source.data)
        return rates_of(shape)
    except ValidationError as error:
        problems = complaints(error, SHAPES)
    except BadRate as error:
        problems = [(("jobs", error.job), str(error))]
    raise BadScenarios(
        Problem(str(file), source.line(place), place_text(place), reason)
        for place, reason in problems
    )


class BadRate(Exception):
    """The rate of ``job`` is wrong."""

    def __init__(self, job: str, reason: str) -> None:
        super().__init__(reason)
        self.job = job


def rates_of(shape: RatesShape) -> Rates:
    """The rates that a file declares. Raises BadRate."""
    jobs = {}
    for name, given in shape.jobs.items():
        if (given.per_day is None) == (given.every is None):
            raise BadRate(name, "give either per_day or every")
        per_day, regular = given.per_day or 0.0, False
        if given.every is not None:
            match = _TIME.fullmatch(given.every.strip())
            seconds = 0.0 if match is None else float(match[1]) * _SECONDS[match[2]]
            if seconds <= 0:
                raise BadRate(name, f"{given.every!r} is not a time such as 90s, 15m or 1d")
            per_day, regular = DAY / seconds, True
        jobs[name] = JobRate(per_day, given.seconds, regular, given.spread, given.attempts)
    return Rates(jobs, {column.lower(): share for column, share in shape.same.items()})


def rates_in_history(path: str, jobs: Jobs) -> Rates:
    """The rates at which jobs ran, from the commits in a table's log. Raises BadInput."""
    from deltalake import DeltaTable
    from deltalake.exceptions import DeltaError

    try:
        history = DeltaTable(path).history()
    except (DeltaError, OSError) as error:
        raise BadInput(f"{path}: not a Delta table that can be read: {error}") from error
    return _rates_in(history, path, jobs)


def _rates_in(history: list[dict[str, Any]], path: str, jobs: Jobs) -> Rates:
    times = [entry["timestamp"] / 1000 for entry in history if entry.get("timestamp") is not None]
    span = max(times) - min(times) if times else 0.0
    if span < SHORTEST_HISTORY:
        raise BadInput(f"{path}: a history of {span:.0f} s is too short to take rates from")
    by_kind: dict[str, list[str]] = {}
    for name, template in jobs.templates.items():
        by_kind.setdefault(template.text.split(None, 1)[0].upper(), []).append(name)
    found: dict[str, JobRate] = {}
    notes = [f"rates are those of {len(history)} commits in {span / DAY:.1f} days of {path}"]
    for kind, names in by_kind.items():
        own = [e for e in history if e.get("operation") in _OPERATIONS.get(kind, ())]
        if not own:
            continue
        durations = [ms / 1000 for entry in own if (ms := _milliseconds(entry)) is not None]
        if not durations:
            notes.append(f"the log does not say how long {kind} takes: 0 s, an underestimate")
        if len(names) > 1:
            notes.append(f"the commits of {kind} are shared equally by {', '.join(names)}")
        per_day = len(own) / (span / DAY) / len(names)
        seconds = median(durations) if durations else 0.0
        found |= dict.fromkeys(names, JobRate(per_day, seconds))
    if not found:
        raise BadInput(f"{path}: its history has no commit of one of these jobs")
    return Rates(found, notes=tuple(notes))


def _milliseconds(entry: Mapping[str, Any]) -> float | None:
    metrics = entry.get("operationMetrics") or {}
    for name in ("executionTimeMs", "execution_time_ms"):
        if name in metrics:
            return float(metrics[name])
    return None
