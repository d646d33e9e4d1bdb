"""The reader of scenario files: from YAML to scenarios that are ready to run.

Reading checks everything, SQL and schedule included, and collects the problems of all files
before anything runs. Every problem is one line that names the file, the line, the place and
the reason.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path as FilePath

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from isodelta.exits import BadInput
from isodelta.files.clock import clock, with_clock
from isodelta.files.naming import in_the_models_names
from isodelta.files.scenario_schema import ERROR_CLASS, ExpectShape, ScenarioShape, TableShape
from isodelta.files.scenario_writer import scenario_mapping, scenario_yaml
from isodelta.files.values import typed
from isodelta.files.yaml_source import Number, Path, Source, SourceError, read_source
from model.errors import InvalidScenario, SeveralProblems
from model.history import Row
from model.levels import LEVELS
from model.outcomes import CONFLICT_NAMES, SUCCEEDED
from model.preparation import check_known, check_schedule, definitions, prepare, steps
from model.profiles import DEFAULT, Profile
from model.scenario import Expectation, Scenario, Step, TableSpec
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
    """

    scenario: Scenario
    workload: Workload
    file: str
    line: int
    written: Mapping[str, str] = field(default_factory=dict)

    @property
    def statements(self) -> Mapping[str, str]:
        """The transactions' statements as their author wrote them."""
        return self.written or self.scenario.transactions


def load_scenarios(*files: str | FilePath, profile: Profile = DEFAULT) -> list[Scenario]:
    """The scenarios of one or more files. Raises BadScenarios."""
    return [loaded.scenario for loaded in read_files(files, profile)]


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
    source = read_yaml(text, file)
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
            workload = self._prepared(replace(scenario, expect=outcomes), profile, entries)
        except BadScenarios as error:
            raise BadScenarios(in_order((*problems, *error.problems))) from error
        except InvalidScenario as error:
            raise BadScenarios(in_order((*problems, *self._of(error, entries)))) from error
        except RecursionError:
            raise self._bad((), "a statement is nested too deeply") from None
        if problems:
            raise BadScenarios(in_order(problems))
        expect = self._expectation(shape.expect, scenario, workload)
        line = self.source.line(self.start)
        written = dict(shape.transactions)
        return Loaded(replace(scenario, expect=expect), workload, self.file, line, written)

    def _prepared(
        self, scenario: Scenario, profile: Profile, entries: Sequence[tuple[int, Step]]
    ) -> Workload:
        """The scenario, ready to run. A schedule that is wrong does not hide other problems."""
        try:
            check_schedule(scenario)
        except InvalidScenario as error:
            problems = self._of(error, entries)
            plain = (Step("begin", name) for name in scenario.transactions)
            ends = (Step("commit", name) for name in scenario.transactions)
            try:
                prepare(replace(scenario, schedule=(*plain, *ends)), profile, opaque=True)
            except InvalidScenario as other:
                problems += self._of(other, entries)
            raise BadScenarios(problems) from error
        workload = prepare(scenario, profile, opaque=True)
        check_known(workload, scenario.schedule, profile)
        return workload

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
        self, shape: ExpectShape, scenario: Scenario, workload: Workload
    ) -> Expectation:
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
        for name in shape.levels:
            if name not in LEVELS:
                reason = f"there is no level {name!r}" + hint(name, tuple(LEVELS), "known: ")
                raise self._bad(("expect", "levels", name), reason)
        rows = None
        if shape.rows is not None:
            rows = tuple(self._row(index, row, workload) for index, row in enumerate(shape.rows))
        return Expectation(shape.outcomes, rows, dict(shape.levels))

    def _row(self, index: int, row: Sequence[object], workload: Workload) -> Row:
        place = ("expect", "rows", index)
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


def value_kind(value: object) -> str:
    """The kind of a YAML value, in words for a message."""
    match value:
        case None:
            return "nothing"
        case bool():
            return f"the boolean {str(value).lower()}"
        case Number():
            return f"the number {value.text}"
        case int():
            return f"the number {value}"
        case str():
            return "a string"
        case list():
            return "a list"
        case _:
            return "a mapping"


@dataclass(frozen=True, slots=True)
class Shapes:
    """The schema of a file, and the schemas of the mappings in it, by their key."""

    whole: type[BaseModel]
    parts: Mapping[str, type[BaseModel]]


SCENARIO = Shapes(ScenarioShape, {"table": TableShape, "expect": ExpectShape})

_WANTED = {
    "string_type": "a string",
    "list_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
}


def complaints(error: ValidationError, shape: Shapes = SCENARIO) -> list[tuple[Path, str]]:
    """pydantic's errors, each with its place, in this project's words."""
    errors = error.errors(include_url=False)
    # A misspelt key is unknown, and the right one is missing: one mistake, one line.
    meant = {
        (*details["loc"][:-1], near)
        for details in errors
        if details["type"] == "extra_forbidden"
        for near in nearest(str(details["loc"][-1]), keys_beside(details, shape))
    }
    return [
        (tuple(details["loc"]), reason_of(details, shape))
        for details in errors
        if details["type"] != "missing" or details["loc"] not in meant
    ]


def reason_of(error: ErrorDetails, shape: Shapes) -> str:
    """One of pydantic's errors in this project's words."""
    kind, value = error["type"], error["input"]
    last = error["loc"][-1] if error["loc"] else ""
    if kind == "extra_forbidden":
        return f"unknown key {last!r}" + hint(str(last), keys_beside(error, shape), "known: ")
    if kind == "missing":
        return f"the key {last!r} is missing"
    if kind in _WANTED:
        quote = ""
        if kind == "string_type" and isinstance(value, bool | int | float):
            quote = "; quote it if it is meant as one"
        elif value is None and str(last).endswith(")"):
            quote = "; between { and }, quote a type with a comma: 'decimal(10,2)'"
        return f"should be {_WANTED[kind]}, but is {value_kind(value)}{quote}"
    if kind in ("string_too_short", "too_short"):
        return "is empty"
    if kind == "literal_error":
        return f"should be {error['ctx']['expected']}, but is {value!r}"
    return error["msg"].removeprefix("Value error, ")


def keys_beside(error: ErrorDetails, shape: Shapes) -> tuple[str, ...]:
    """The valid keys at the place of an unknown one."""
    place = error["loc"][:-1]
    here = shape.whole
    if place:
        here = TableShape if place[0] == "tables" else shape.parts[str(place[0])]
    return tuple(here.model_fields)


def nearest(word: str, valid: Sequence[str]) -> list[str]:
    """The valid word that was probably meant, if any is close enough."""
    return difflib.get_close_matches(word, valid, 1)


def hint(word: str, valid: Sequence[str], prefix: str) -> str:
    """The end of a message about an unknown word: the closest valid one, or all of them."""
    for near in nearest(word, valid):
        return f", did you mean {near}?"
    return f" ({prefix}{', '.join(valid)})"
