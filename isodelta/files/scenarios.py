"""The reader of scenario files: from YAML to scenarios that are ready to run.

Reading checks everything, SQL and schedule included, and collects the problems of all files
before anything runs. Every problem is one line that names the file, the line, the place and
the reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path as FilePath

from pydantic import ValidationError

from isodelta.exits import BadInput
from isodelta.files.clock import clock, with_clock
from isodelta.files.complaints import complaints, hint, value_kind
from isodelta.files.naming import in_the_models_names
from isodelta.files.profiles import chosen
from isodelta.files.scenario_schema import (
    ERROR_CLASS,
    ExpectShape,
    ScenarioShape,
    TableExpectShape,
    TableShape,
)
from isodelta.files.scenario_writer import scenario_mapping, scenario_yaml
from isodelta.files.values import typed
from isodelta.files.yaml_source import Path, Source, SourceError, read_source
from model.errors import InvalidScenario, SeveralProblems
from model.history import Row
from model.levels import LEVELS
from model.outcomes import CONFLICT_NAMES, SUCCEEDED
from model.preparation import check_schedule, definitions, steps
from model.profiles import DEFAULT, Profile
from model.scenario import TARGET, Expectation, Scenario, Step, TableSpec
from model.several import check_parts, parts, prepare_parts
from model.sql.names import name_of, written_table
from model.tables.properties import KNOWN, canonical
from model.tables.protocol import is_protocol_property
from model.tables.table import Table
from model.workload import Workload

__all__ = [
    "BadScenarios",
    "Loaded",
    "Problem",
    "load_scenarios",
    "read_files",
    "read_text",
    "scenario_mapping",
    "scenario_yaml",
]

LARGEST_FILE = 10_000_000
"""In bytes. A larger file is not a scenario that a person wrote."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem in a file. ``line`` is 0 if the file cannot be read at all."""

    file: str
    line: int
    place: str
    reason: str

    def __str__(self) -> str:
        position = f"{self.file}:{self.line}" if self.line else self.file
        parts = [position, self.place, self.reason] if self.place else [position, self.reason]
        return " ".join(": ".join(parts).split())


class BadScenarios(BadInput):
    """Scenario files with problems; ``problems`` has all of them."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__(str(problem) for problem in self.problems)


@dataclass(frozen=True, slots=True)
class Loaded:
    """A scenario that was read, checked and prepared, and its file and line.

    ``written`` has the transactions' statements with the names of tables that the file gives them.
    If transactions write several tables, ``parts`` has the part of each, by the table's name in
    the file, and ``workload`` is the first one's.
    """

    scenario: Scenario
    workload: Workload
    file: str
    line: int
    written: Mapping[str, str] = field(default_factory=dict)
    parts: Mapping[str, Loaded] = field(default_factory=dict)

    @property
    def workloads(self) -> dict[str, Workload]:
        """The workload of each part, by the table's name in the model."""
        return {part.scenario.target: part.workload for part in self.parts.values()}

    @property
    def statements(self) -> Mapping[str, str]:
        """The transactions' statements as their author wrote them."""
        return self.written or self.scenario.transactions


def load_scenarios(*files: str | FilePath, profile: Profile | str = DEFAULT) -> list[Scenario]:
    """The scenarios of one or more files. Raises BadScenarios."""
    return [loaded.scenario for loaded in read_files(files, chosen(profile))]


def read_files(files: Iterable[str | FilePath], profile: Profile = DEFAULT) -> list[Loaded]:
    """The scenarios of all files, prepared for a profile.

    Raises BadScenarios with every problem of every file; none hides another.
    """
    scenarios: list[Loaded] = []
    problems: list[Problem] = []
    for file in files:
        try:
            scenarios += read_text(contents(str(file)), profile, str(file))
        except BadScenarios as error:
            problems += error.problems
    if problems:
        raise BadScenarios(problems)
    return scenarios


def contents(file: str) -> str:
    """The text of a file. Raises BadScenarios if it cannot be read or is too large."""
    path = FilePath(file)
    try:
        if path.is_dir():
            raise BadScenarios([Problem(file, 0, "", "is a directory, not a scenario file")])
        with path.open("rb") as stream:
            data = stream.read(LARGEST_FILE + 1)
    except FileNotFoundError:
        raise BadScenarios([Problem(file, 0, "", "there is no such file")]) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise BadScenarios([Problem(file, 0, "", f"cannot be read: {reason}")]) from error
    if len(data) > LARGEST_FILE:
        raise BadScenarios([Problem(file, 0, "", "is too large for a scenario file")])
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        reason = f"not a text file in UTF-8 (byte 0x{data[error.start]:02x})"
        raise BadScenarios([Problem(file, line, "", reason)]) from error


def read_yaml(text: str, file: str) -> Source:
    """A file's content with the places of its parts. Raises BadScenarios."""
    try:
        source = read_source(text)
    except SourceError as error:
        problem = Problem(file, error.line, place_text(error.place), str(error))
        raise BadScenarios([problem]) from error
    if source is None:
        raise BadScenarios([Problem(file, 1, "", "the file is empty")])
    return source


def read_text(text: str, profile: Profile = DEFAULT, file: str = "<text>") -> list[Loaded]:
    """The scenarios of a text, prepared for a profile. Raises BadScenarios."""
    return read_source_of(read_yaml(text, file), file, profile)


def read_source_of(source: Source, file: str, profile: Profile) -> list[Loaded]:
    """The scenarios of a file's content, prepared for a profile. Raises BadScenarios."""
    several = isinstance(source.data, list)
    if several and not source.data:
        raise BadScenarios([Problem(file, 1, "", "the file contains no scenario")])
    scenarios: list[Loaded] = []
    problems: list[Problem] = []
    for place in [(i,) for i in range(len(source.data))] if several else [()]:
        try:
            scenarios.append(_Reader(source, file, place).read(profile))
        except BadScenarios as error:
            problems += error.problems
    if problems:
        raise BadScenarios(problems)
    return scenarios


def place_text(place: Path) -> str:
    """A place in words: ``transactions.A``, ``schedule entry 3``."""
    text = ""
    for part in place:
        if isinstance(part, int):
            text += f"{' ' if text else ''}entry {part + 1}"
        else:
            text += f"{'.' if text else ''}{part}"
    return text


def in_order(problems: Iterable[Problem]) -> list[Problem]:
    """The problems by line."""
    return sorted(problems, key=lambda problem: problem.line)


class _Reader:
    """Reads the one scenario at ``start`` (the empty path, or a position in a list)."""

    def __init__(self, source: Source, file: str, start: Path) -> None:
        self.source = source
        self.file = file
        self.start = start
        self.data = source.data[start[0]] if start else source.data

    def read(self, profile: Profile) -> Loaded:
        if not isinstance(self.data, dict):
            kind = value_kind(self.data)
            raise self._bad((), f"a scenario is a mapping with name, table, ..., not {kind}")
        try:
            shape = ScenarioShape.model_validate(self.data)
        except ValidationError as error:
            raise BadScenarios(self._problems(error)) from None
        entries, problems = self._schedule(shape)
        scenario = Scenario(
            name=shape.name,
            table=table_spec(shape.table),
            transactions=shape.transactions,
            schedule=tuple(step for _, step in entries),
            tables={name: table_spec(table) for name, table in shape.tables.items()},
        )
        if wrong := list(self._names(scenario)):
            raise BadScenarios(wrong)
        for place, spec in self._specs(scenario):
            problems += self._properties(place, spec)
        scenario = replace(
            scenario,
            table=without_unknown_properties(scenario.table),
            tables={n: without_unknown_properties(s) for n, s in scenario.tables.items()},
        )
        outcomes = Expectation(shape.expect.outcomes)
        try:
            scenario = in_the_models_names(with_clock(scenario, clock(shape.clock, scenario)))
            workloads = self._prepared(replace(scenario, expect=outcomes), profile, entries)
        except BadScenarios as error:
            raise BadScenarios(in_order((*problems, *error.problems))) from error
        except InvalidScenario as error:
            raise BadScenarios(in_order((*problems, *self._of(error, entries)))) from error
        except RecursionError:
            raise self._bad((), "a statement is nested too deeply") from None
        if problems:
            raise BadScenarios(in_order(problems))
        given = dict(zip(scenario.tables, shape.tables, strict=True))
        expect = self._expectation(shape.expect, scenario, workloads, given)
        scenario = replace(scenario, expect=expect)
        line = self.source.line(self.start)
        written = dict(shape.transactions)
        whole = Loaded(scenario, workloads[scenario.target], self.file, line, written)
        if len(workloads) == 1:
            return whole
        shown = {**given, scenario.target: self._target_name(shape)}
        return replace(
            whole,
            parts={
                shown[table]: Loaded(
                    part,
                    workloads[table],
                    self.file,
                    line,
                    {name: written[name] for name in part.transactions},
                )
                for table, part in parts(scenario).items()
            },
        )

    def _target_name(self, shape: ScenarioShape) -> str:
        """The target's name in the file: that of the statements that write no other table."""
        others = {name_of(key) for key in shape.tables}
        statements = (*shape.table.setup, *shape.transactions.values())
        names = (written_table(sql) for sql in statements)
        return next((".".join(n) for n in names if n is not None and n not in others), TARGET)

    def _prepared(
        self, scenario: Scenario, profile: Profile, entries: Sequence[tuple[int, Step]]
    ) -> dict[str, Workload]:
        """The scenario's parts by table, ready to run.

        A schedule that is wrong does not hide other problems.
        """
        try:
            check_schedule(scenario)
        except InvalidScenario as error:
            problems = self._of(error, entries)
            plain = (Step("begin", name) for name in scenario.transactions)
            ends = (Step("commit", name) for name in scenario.transactions)
            try:
                prepare_parts(replace(scenario, schedule=(*plain, *ends)), profile, opaque=True)
            except InvalidScenario as other:
                problems += self._of(other, entries)
            raise BadScenarios(problems) from error
        workloads = prepare_parts(scenario, profile, opaque=True)
        check_parts(workloads, scenario.schedule, profile)
        return workloads

    def _of(self, error: InvalidScenario, entries: Sequence[tuple[int, Step]]) -> list[Problem]:
        """The problems that an error of the model stands for."""
        if isinstance(error, SeveralProblems):
            return [problem for part in error.problems for problem in self._of(part, entries)]
        where = error.where
        if len(where) == 2 and where[0] == "schedule" and isinstance(where[1], int):
            # The model counts steps; `A` in the file is two of them.
            where = ("schedule", entries[where[1]][0])
        return [self._problem(where, str(error))]

    def _bad(self, place: Path, reason: str) -> BadScenarios:
        return BadScenarios([self._problem(place, reason)])

    def _problem(self, place: Path, reason: str) -> Problem:
        return Problem(
            self.file, self.source.line((*self.start, *place)), place_text(place), reason
        )

    def _problems(self, error: ValidationError) -> list[Problem]:
        return in_order(self._problem(place, reason) for place, reason in complaints(error))

    def _schedule(self, shape: ScenarioShape) -> tuple[list[tuple[int, Step]], list[Problem]]:
        entries: list[tuple[int, Step]] = []
        problems = []
        for index, text in enumerate(shape.schedule):
            try:
                entries += [(index, step) for step in steps(text)]
            except InvalidScenario as error:
                problems.append(self._problem(("schedule", index), str(error)))
        if problems:
            # Not to be complained about again, for the steps that it now lacks.
            entries = [(0, step) for name in shape.transactions for step in steps(name)]
        return entries, problems

    def _names(self, scenario: Scenario) -> Iterator[Problem]:
        for name in scenario.transactions:
            place = ("transactions", name)
            if not re.fullmatch(r"[\w.-]+", name):
                reason = f"{name!r} is not a name: use letters, digits, _, . and -"
                yield self._problem(place, reason)
            if re.fullmatch(r"setup\d*", name):
                reason = f"{name!r} is reserved for the commits of the set-up"
                yield self._problem(place, reason)

    def _specs(self, scenario: Scenario) -> Iterator[tuple[Path, TableSpec]]:
        yield ("table",), scenario.table
        for name, spec in scenario.tables.items():
            yield ("tables", name), spec

    def _properties(self, place: Path, spec: TableSpec) -> Iterator[Problem]:
        for key, reason in unknown_properties(spec):
            yield self._problem((*place, "properties", key), reason)

    def _expectation(
        self,
        shape: ExpectShape,
        scenario: Scenario,
        workloads: Mapping[str, Workload],
        given: Mapping[str, str],
    ) -> Expectation:
        """What the author expects; ``given`` has the file's names of tables, by the model's."""
        for name, outcome in shape.outcomes.items():
            place = ("expect", "outcomes", name)
            if name not in scenario.transactions:
                names = ", ".join(scenario.transactions)
                raise self._bad(place, f"there is no transaction {name!r} (known: {names})")
            named = (*SUCCEEDED, *CONFLICT_NAMES)
            if outcome not in named and not re.fullmatch(ERROR_CLASS, outcome):
                raise self._bad(
                    place,
                    f"{outcome!r} is not an outcome" + hint(outcome, named, "known: "),
                )
        own = self._of_table(shape, ("expect",), workloads[scenario.target])
        tables = {}
        written = {given[name]: name for name in workloads if name != scenario.target}
        for name, table in shape.tables.items():
            if name not in written:
                reason = f"no transaction writes a table {name!r} of those under tables"
                raise self._bad(("expect", "tables", name), reason)
            tables[written[name]] = self._of_table(
                table, ("expect", "tables", name), workloads[written[name]]
            )
        return replace(own, outcomes=shape.outcomes, tables=tables)

    def _of_table(self, shape: TableExpectShape, where: Path, workload: Workload) -> Expectation:
        for name in shape.levels:
            if name not in LEVELS:
                reason = f"there is no level {name!r}" + hint(name, tuple(LEVELS), "known: ")
                raise self._bad((*where, "levels", name), reason)
        rows = None
        if shape.rows is not None:
            rows = tuple(
                self._row((*where, "rows", index), row, workload)
                for index, row in enumerate(shape.rows)
            )
        return Expectation({}, rows, dict(shape.levels))

    def _row(self, place: Path, row: Sequence[object], workload: Workload) -> Row:
        existing = [table for table in definitions(workload) if not table.absent]
        possible = [t for t in existing if len(t.schema) == len(row)]
        if not possible:
            width = len(existing[0].schema) if existing else 0
            reason = f"{len(row)} values for the {width} columns of the table"
            raise self._bad(place, reason)
        wrong: list[str] = []
        for table in possible:
            try:
                return _typed_row(table, row)
            except ValueError as error:
                wrong.append(str(error))
        raise self._bad(place, wrong[0])


def _typed_row(table: Table, row: Sequence[object]) -> Row:
    """A row of the file, in the types of a table's columns. Raises ValueError."""
    values = []
    for name, column, value in zip(table.column_names, table.column_types, row, strict=True):
        try:
            values.append(typed(value, column))
        except ValueError as error:
            raise ValueError(f"column {name}: {error}") from error
    return tuple(values)


def unknown_properties(spec: TableSpec) -> Iterable[tuple[str, str]]:
    """The properties of a table that the model does not know, each with a reason."""
    for key in spec.properties:
        supported = canonical(key) in KNOWN or is_protocol_property(key)
        if not supported and key.lower().startswith("delta."):
            reason = f"table property {key!r} is not supported"
            yield key, reason + hint(key, tuple(KNOWN), "supported: ")


def without_unknown_properties(spec: TableSpec) -> TableSpec:
    """The table without the properties that the model does not know."""
    unknown = {key for key, _ in unknown_properties(spec)}
    kept = {key: value for key, value in spec.properties.items() if key not in unknown}
    return replace(spec, properties=kept)


def table_spec(shape: TableShape) -> TableSpec:
    """A table as the model describes it, from the keys of a scenario or workload file."""
    return TableSpec(
        columns=shape.columns,
        partition_by=tuple(shape.partition_by),
        cluster_by=tuple(shape.cluster_by),
        properties=shape.properties,
        setup=tuple(shape.setup),
    )
