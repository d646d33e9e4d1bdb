"""The reader of workload files: from YAML to jobs that are ready to be analysed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path as FilePath

from pydantic import ValidationError

from checker.robustness.jobs.domain import instances
from checker.robustness.jobs.template import tokens
from checker.robustness.jobs.workload import Jobs, jobs
from checker.robustness.rates.given import Rates
from isodelta.files.complaints import Shapes, complaints, value_kind
from isodelta.files.declared_jobs import as_sql
from isodelta.files.profiles import chosen
from isodelta.files.rates import BadRate, rates_of
from isodelta.files.scenario_schema import TableShape
from isodelta.files.scenarios import (
    BadScenarios,
    Problem,
    contents,
    place_text,
    read_yaml,
    table_spec,
    unknown_properties,
)
from isodelta.files.workload_schema import RatesShape, WorkloadExpectShape, WorkloadShape
from isodelta.files.yaml_source import Path, Source
from model.errors import InvalidScenario
from model.profiles import DEFAULT, Profile
from model.values.types import ColumnType, parse_type

SHAPES = Shapes(
    WorkloadShape, {"table": TableShape, "expect": WorkloadExpectShape, "rates": RatesShape}
)


@dataclass(frozen=True, slots=True)
class LoadedWorkload:
    """A workload that was read and checked. ``expect`` has the answers its author expects."""

    jobs: Jobs
    expect: Mapping[str, str]
    file: str
    rates: Rates | None = None


def load_workload(file: str | FilePath, profile: Profile | str = DEFAULT) -> Jobs:
    """The jobs of a workload file. Raises BadScenarios."""
    return read_workload(file, chosen(profile)).jobs


def read_workload(file: str | FilePath, profile: Profile = DEFAULT) -> LoadedWorkload:
    """A workload file, checked. Raises BadScenarios with its problems."""
    return parse_workload(contents(str(file)), profile, str(file))


def read_workloads(
    files: Iterable[str | FilePath], profile: Profile = DEFAULT
) -> list[LoadedWorkload]:
    """The workloads of all files. Raises BadScenarios with the problems of all."""
    workloads: list[LoadedWorkload] = []
    problems: list[Problem] = []
    for file in files:
        try:
            workloads.append(read_workload(file, profile))
        except BadScenarios as error:
            problems += error.problems
    if problems:
        raise BadScenarios(problems)
    return workloads


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
            problems = [self._problem(place, reason) for place, reason in complaints(error, SHAPES)]
            raise BadScenarios(sorted(problems, key=lambda problem: problem.line)) from None
        sql, parts = self._statements(shape)
        table = table_spec(shape.table)
        tables = {name: table_spec(other) for name, other in shape.tables.items()}
        places: list[tuple[Path, TableShape]] = [(("table",), shape.table)]
        places += [(("tables", name), other) for name, other in shape.tables.items()]
        for place, declared in places:
            for key, reason in unknown_properties(table_spec(declared)):
                raise self._bad((*place, "properties", key), reason)
        try:
            types = self._types(shape)
            parsed = jobs(shape.name, table, tables, sql, profile, types)
            instances(parsed)
            several = {name: str(place[1]) for name, place in parts.items() if len(place) > 2}
            parsed = replace(parsed, parts=several)
        except InvalidScenario as error:
            where = error.where
            if where[:1] == ("jobs",) and where[1:] and where[1] in parts:
                where = parts[str(where[1])]
            raise self._bad(where, str(error)) from error
        except RecursionError:
            raise self._bad(("jobs",), "a statement is nested too deeply") from None
        expect = shape.expect.model_dump(exclude_none=True)
        return LoadedWorkload(parsed, expect, self.file, self._rates(shape))

    def _rates(self, shape: WorkloadShape) -> Rates | None:
        if shape.rates is None:
            return None
        for name in shape.rates.jobs:
            if name not in shape.jobs:
                raise self._bad(("rates", "jobs", name), f"there is no job {name!r}")
        try:
            return rates_of(shape.rates)
        except BadRate as error:
            raise self._bad(("rates", "jobs", error.job), str(error)) from error

    def _statements(self, shape: WorkloadShape) -> tuple[dict[str, str], dict[str, Path]]:
        """SQL by the name of its job, and its place in the file; numbered if a job has several."""
        sql: dict[str, str] = {}
        places: dict[str, Path] = {}
        for job, texts in shape.jobs.items():
            for number, text in enumerate(texts):
                several = len(texts) > 1
                name = f"{job} {number + 1}" if several else job
                place: Path = ("jobs", job, number) if several else ("jobs", job)
                if name in sql:
                    raise self._bad(place, f"another job is called {name!r}")
                sql[name] = as_sql(text, shape.table.columns)
                places[name] = place
        return sql, places

    def _types(self, shape: WorkloadShape) -> dict[str, ColumnType]:
        """The types under ``parameters``. Raises BadScenarios."""
        used = {
            token.text[1:]
            for texts in shape.jobs.values()
            for text in texts
            for token in tokens(text)
            if token.kind == "parameter"
        }
        types = {}
        for name, text in shape.parameters.items():
            where = ("parameters", name)
            if name not in used:
                raise self._bad(where, f"no job has a parameter :{name}")
            try:
                types[name] = parse_type(text)
            except InvalidScenario as error:
                raise self._bad(where, str(error)) from error
        return types

    def _bad(self, place: Path, reason: str) -> BadScenarios:
        return BadScenarios([self._problem(place, reason)])

    def _problem(self, place: Path, reason: str) -> Problem:
        return Problem(self.file, self.source.line(place), place_text(place), reason)
