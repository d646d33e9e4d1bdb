"""Workload files: from YAML to jobs that are ready to be asked about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path as FilePath

from pydantic import ValidationError

from checker.robustness.domain import instances
from checker.robustness.jobs import Jobs, jobs
from isodelta.scenario_files import (
    BadScenarios,
    Problem,
    Shapes,
    complaints,
    contents,
    place_text,
    read_yaml,
    table_spec,
    unknown_properties,
    value_kind,
)
from isodelta.scenario_schema import TableShape
from isodelta.workload_schema import WorkloadExpectShape, WorkloadShape
from isodelta.yaml_source import Path, Source
from model.errors import InvalidScenario
from model.profiles import DEFAULT, Profile

SHAPES = Shapes(WorkloadShape, {"table": TableShape, "expect": WorkloadExpectShape})


@dataclass(frozen=True, slots=True)
class LoadedWorkload:
    """A workload that was read and checked. ``expect`` has the answers that its author expects."""

    jobs: Jobs
    expect: Mapping[str, str]
    file: str


def load_workload(file: str | FilePath, profile: Profile = DEFAULT) -> Jobs:
    """The jobs of a workload file. Raises BadScenarios."""
    return read_workload(file, profile).jobs


def read_workload(file: str | FilePath, profile: Profile = DEFAULT) -> LoadedWorkload:
    """A workload file, checked. Raises BadScenarios with all that is wrong in it."""
    return parse_workload(contents(str(file)), profile, str(file))


def read_workloads(
    files: Iterable[str | FilePath], profile: Profile = DEFAULT
) -> list[LoadedWorkload]:
    """The workloads of all files. Raises BadScenarios with what is wrong in any of them."""
    found: list[LoadedWorkload] = []
    problems: list[Problem] = []
    for file in files:
        try:
            found.append(read_workload(file, profile))
        except BadScenarios as error:
            problems += error.problems
    if problems:
        raise BadScenarios(problems)
    return found


def parse_workload(text: str, profile: Profile = DEFAULT, file: str = "<text>") -> LoadedWorkload:
    """A workload's text, checked. Raises BadScenarios."""
    source = read_yaml(text, file)
    return _Reader(source, file).read(profile)


class _Reader:
    def __init__(self, source: Source, file: str) -> None:
        self.source = source
        self.file = file

    def read(self, profile: Profile) -> LoadedWorkload:
        data = self.source.data
        if not isinstance(data, dict):
            kind = value_kind(data)
            raise self._bad((), f"a workload is a mapping with name, table and jobs, not {kind}")
        try:
            shape = WorkloadShape.model_validate(data)
        except ValidationError as error:
            found = [self._problem(place, reason) for place, reason in complaints(error, SHAPES)]
            raise BadScenarios(sorted(found, key=lambda problem: problem.line)) from None
        table = table_spec(shape.table)
        tables = {name: table_spec(other) for name, other in shape.tables.items()}
        places: list[tuple[Path, TableShape]] = [(("table",), shape.table)]
        places += [(("tables", name), other) for name, other in shape.tables.items()]
        for place, each in places:
            for key, reason in unknown_properties(table_spec(each)):
                raise self._bad((*place, "properties", key), reason)
        try:
            found_jobs = jobs(shape.name, table, tables, shape.jobs, profile)
            instances(found_jobs)
        except InvalidScenario as error:
            raise self._bad(error.where, str(error)) from error
        except RecursionError:
            raise self._bad(("jobs",), "a statement is nested too deep") from None
        expect = shape.expect.model_dump(exclude_none=True)
        return LoadedWorkload(found_jobs, expect, self.file)

    def _bad(self, place: Path, reason: str) -> BadScenarios:
        return BadScenarios([self._problem(place, reason)])

    def _problem(self, place: Path, reason: str) -> Problem:
        return Problem(self.file, self.source.line(place), place_text(place), reason)
