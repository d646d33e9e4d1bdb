"""The values of parameters in a search: a few that can make a difference.

For each column that a parameter meets: the constants that any job compares it with, the values
in the set-up, and one value that is in neither. Two instances may share values or not.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from itertools import islice
from typing import Any

from checker.robustness.jobs.sentinels import sentinels
from checker.robustness.jobs.template import Parameter, Template
from checker.robustness.jobs.workload import Instance, Jobs
from model.errors import InvalidScenario
from model.expressions.syntax import Column, Comparison, InList, Literal, walk
from model.history import Value
from model.preparation import prepare
from model.scenario import Step
from model.values.types import ColumnType

MOST_VALUES = 4
"""The most values that one parameter takes."""

MOST_INSTANCES = 24
"""The most instances that one job is tried with."""


def instances(jobs: Jobs) -> dict[str, tuple[Instance, ...]]:
    """The instances that a search tries, by job.

    Raises InvalidScenario with the place of a job whose SQL is wrong.
    """
    by_job: dict[str, tuple[Instance, ...]] = {}
    for job, template in jobs.templates.items():
        where = ("jobs", job)
        try:
            by_job[job] = tuple(_instances(jobs, job, template))
        except InvalidScenario as error:
            raise InvalidScenario(str(error), where, error.error_class) from error
    _check_together(jobs, {job: candidates[0].sql for job, candidates in by_job.items()})
    return by_job


def _check_together(jobs: Jobs, sql: Mapping[str, str]) -> None:
    """Raises InvalidScenario if these jobs are not allowed together in a scenario."""
    if not sql:
        return
    names = {f"job{place}": job for place, job in enumerate(sql)}
    steps = [Step(action, name) for name in names for action in ("begin", "commit")]
    scenario = jobs.scenario("all jobs", {name: sql[job] for name, job in names.items()}, steps)
    try:
        prepare(scenario, jobs.profile, jobs.level)
    except InvalidScenario as error:
        where = error.where
        if len(where) > 1 and where[0] == "transactions":
            where = ("jobs", names[str(where[1])])
        raise InvalidScenario(str(error), where, error.error_class) from error


def _instances(jobs: Jobs, job: str, template: Template) -> Iterator[Instance]:
    """The instances whose SQL is valid. Raises InvalidScenario if none is."""
    choices = [values(jobs, parameter) for parameter in template.parameters]
    names = [parameter.name for parameter in template.parameters]
    wrong: InvalidScenario | None = None
    good = False
    for chosen in islice(_combinations(choices), MOST_INSTANCES):
        given = dict(zip(names, chosen, strict=True))
        sql = template.filled(given)
        try:
            jobs.statement(sql)
        except InvalidScenario as error:
            wrong = wrong or error
            continue
        good = True
        yield Instance(job, given, sql)
        later = _later(sql, jobs.widening.later)
        if later != sql:
            yield Instance(job, given, later)
    if wrong is not None and not good:
        raise wrong


def _later(sql: str, tables: Mapping[str, str]) -> str:
    """A run at another time, when the other tables have other rows."""
    for name, other in tables.items():
        sql = re.sub(rf"\b(FROM|JOIN|USING|,)\s+{name}\b(?!\.)", rf"\1 {other}", sql)
    return sql


def _combinations(choices: list[tuple[Value, ...]]) -> Iterator[tuple[Value, ...]]:
    """All combinations, starting with those of first choices."""
    sizes = [len(values) for values in choices]
    for total in range(sum(sizes) - len(sizes) + 1):
        for places in _places(sizes, total):
            yield tuple(c[i] for c, i in zip(choices, places, strict=True))


def _places(sizes: list[int], total: int) -> Iterator[tuple[int, ...]]:
    """Positions in lists of these sizes that add up to a total."""
    if not sizes:
        if total == 0:
            yield ()
        return
    for place in range(min(total, sizes[0] - 1) + 1):
        for rest in _places(sizes[1:], total - place):
            yield (place, *rest)


def values(jobs: Jobs, parameter: Parameter) -> tuple[Value, ...]:
    """The values that a parameter is tried with, the most informative ones first."""
    if parameter.type.family == "boolean":
        return (True, False)
    met: dict[Value, None] = {}
    for column in parameter.columns:
        met |= dict.fromkeys(_met(jobs, column))
    fitting = [value for value in met if _fits(value, parameter.type)]
    fresh = _fresh(fitting, parameter.type)
    kept = fitting[: MOST_VALUES - 1]
    chosen = (*kept, *islice(fresh, max(1, 2 - len(kept))), *beyond(jobs, parameter))
    return (*chosen, "") if _of_partition(jobs, parameter) and "" not in chosen else chosen


def usual_values(jobs: Jobs, column: str, type_: ColumnType) -> tuple[Value, ...]:
    """Values for a column of a row: those that it meets, or else a fresh one."""
    if type_.family == "boolean":
        return (True, False)
    fitting = [value for value in dict.fromkeys(_met(jobs, column)) if _fits(value, type_)]
    return (*fitting[:MOST_VALUES], *islice(_fresh(fitting, type_), max(1, 2 - len(fitting))))


def beyond(jobs: Jobs, parameter: Parameter) -> tuple[Value, ...]:
    """A value outside the range of a narrower column: the optimizer folds comparisons with it."""
    given = parameter.type
    met = [
        table.types[names.index(column)]
        for table in jobs.definitions.values()
        for names in ([name.lower() for name in table.names],)
        for column in parameter.columns
        if column in names
    ]
    if given.bits and any(type_.bits and type_.bits < given.bits for type_ in met):
        return (3_000_000_000,)
    fractions = given.family == "number" and not given.bits and (given.scale or not given.precision)
    if fractions and any(type_.bits for type_ in met):
        return (Decimal("0.5"),) if given.precision else (0.5,)
    return ()


def _of_partition(jobs: Jobs, parameter: Parameter) -> bool:
    """Whether a parameter meets a string partition column, where '' is stored as NULL."""
    table = jobs.target
    partitions = {table.names[place].lower() for place in table.partitions}
    return parameter.type.family == "string" and not partitions.isdisjoint(parameter.columns)


def _met(jobs: Jobs, column: str) -> Iterator[Value]:
    """Values that a column of this name has in the set-up, or is compared with."""
    for name, table in jobs.definitions.items():
        rows = jobs.base.rows() if name == jobs.target.name else jobs.others[name]
        names = [column_name.lower() for column_name in table.names]
        if column in names:
            place = names.index(column)
            yield from sorted({row[place] for row in rows if row[place] is not None})  # type: ignore[type-var]
    for template in jobs.templates.values():
        standing_out = sentinels(template.parameters, 0)
        compared = _constants(jobs, template.filled(standing_out), column)
        yield from (value for value in compared if value not in standing_out.values())


def _constants(jobs: Jobs, text: str, column: str) -> Iterator[Value]:
    try:
        statement = jobs.statement(text)
    except InvalidScenario:
        return  # The job with this SQL reports the error.
    names = [name.lower() for name in statement.table.names]
    if column in names:
        values = (row[names.index(column)] for row in statement.constant_rows)
        yield from (value for value in values if value is not None)
    for part in expressions_of(statement):
        for node in walk(part):
            match node:
                case Comparison(left=Column(name=name), right=Literal(value=value)):
                    met = [(name, value)]
                case Comparison(left=Literal(value=value), right=Column(name=name)):
                    met = [(name, value)]
                case InList(operand=Column(name=name), options=options):
                    met = [(name, o.value) for o in options if isinstance(o, Literal)]
                case _:
                    met = []
            yield from (v for name, v in met if name.lower() == column and v is not None)


def expressions_of(value: Any) -> Iterator[Any]:
    """The expressions in the fields of a statement."""
    for name in getattr(value, "__dataclass_fields__", ()):
        part = getattr(value, name)
        if name == "table":
            continue
        for node in part if isinstance(part, tuple) else (part,):
            if hasattr(node, "type") and not isinstance(node, ColumnType):
                yield node
            elif hasattr(node, "__dataclass_fields__"):
                yield from expressions_of(node)


def _fits(value: Value, type_: ColumnType) -> bool:
    match type_.family:
        case "number" if type_.bits:
            return isinstance(value, int) and not isinstance(value, bool)
        case "number" if type_.precision:
            return isinstance(value, int | Decimal) and not isinstance(value, bool)
        case "number":
            return isinstance(value, int | float | Decimal) and not isinstance(value, bool)
        case "string":
            return isinstance(value, str)
        case "date":
            return isinstance(value, datetime.date) and not isinstance(value, datetime.datetime)
        case "timestamp":
            return isinstance(value, datetime.datetime)
    return False


def _fresh(used: Iterable[Value], type_: ColumnType) -> Iterator[Value]:
    """Values that are not among the known ones, the shortest to write first."""
    taken = set(used)
    return (value for value in _all(type_) if value not in taken)


def _all(type_: ColumnType) -> Iterator[Value]:
    candidates: Mapping[str, Any] = {
        "number": lambda i: float(i) if not (type_.bits or type_.precision) else i,
        "string": lambda i: chr(ord("a") + i % 26) * (1 + i // 26),
        "date": lambda i: datetime.date(2026, 1, 1) + datetime.timedelta(days=i),
        "timestamp": lambda i: datetime.datetime(2026, 1, 1) + datetime.timedelta(days=i),
    }
    make = candidates[type_.family]
    for i in range(1, 1000):
        value = make(i)
        yield Decimal(value) if type_.precision else value
