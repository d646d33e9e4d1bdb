"""Parsing a template with values that stand out, so that parameters are found in what comes of it.

Each template is parsed twice, with two different values for each parameter. Where the two results
have the same constant, it is one of the template; where they have the two values of a parameter,
it is that parameter; any other pair was computed from parameters, and nothing is known of it.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from decimal import Decimal
from typing import Any

from checker.robustness.jobs.template import Parameter, Template
from checker.robustness.jobs.workload import Jobs
from model.errors import InvalidScenario
from model.history import Value
from model.statements import Statement
from model.values.types import ColumnType


@dataclass(frozen=True, slots=True)
class Hole:
    """Stands where a parsed template has a parameter; None where parameters were computed with."""

    parameter: str | None


def sentinels(parameters: tuple[Parameter, ...], round_: int) -> dict[str, Value]:
    """A value for each parameter, different in each round and for each parameter of a type."""
    return {p.name: _value(p.type, 2 * i + round_) for i, p in enumerate(parameters)}


def _value(type_: ColumnType, number: int) -> Value:
    match type_.family:
        case "boolean":
            return number % 2 == 0
        case "string":
            return f"the parameter {number}"
        case "date":
            return datetime.date(1871, 3, 1) + datetime.timedelta(days=number)
        case "timestamp":
            return datetime.datetime(1871, 3, 1, 4, 5) + datetime.timedelta(days=number)
    if type_.precision:
        largest = 10**type_.precision - 1 - 3 * number
        return Decimal(largest).scaleb(-type_.scale)
    if type_.bits:
        return 1_871_030_101 + 7 * number
    return 1_871_030_101.5 + 7 * number


@dataclass(frozen=True, slots=True)
class Parsed:
    """A template's statement, with which constants in it are parameters.

    ``statement`` is that of the first round. ``hole`` tells for a constant of it what it is.
    """

    statement: Statement
    holes: Mapping[Any, Hole]

    def hole(self, value: Value) -> Hole | None:
        """The hole that a constant of the statement is; None for a constant of the template."""
        return self.holes.get(_key(value))


def _key(value: Value) -> Any:
    if isinstance(value, bool):
        return ("boolean", value)
    if isinstance(value, int | float | Decimal):
        return ("number", Decimal(str(value)) if isinstance(value, float) else Decimal(value))
    return (type(value).__name__, value)


def parsed(jobs: Jobs, template: Template) -> Parsed | None:
    """The template with its parameters found; None where its shape depends on their values.

    Raises InvalidScenario for SQL that is wrong whatever the parameters are.
    """
    first, second = (sentinels(template.parameters, round_) for round_ in (0, 1))
    try:
        one = jobs.statement(template.filled(first))
        other = jobs.statement(template.filled(second))
    except InvalidScenario:
        return None
    pairs: list[tuple[Any, Any]] = []
    if not _walk(one, other, pairs):
        return None
    known: dict[tuple[Any, Any], str] = {}
    ambiguous: set[tuple[Any, Any]] = set()
    for name in first:
        pair = (_key(first[name]), _key(second[name]))
        if pair in known:
            ambiguous.add(pair)
        known[pair] = name
    holes: dict[Any, Hole] = {}
    constants = {_key(a) for a, b in pairs if _key(a) == _key(b)}
    for a, b in pairs:
        pair = (_key(a), _key(b))
        if pair[0] == pair[1]:
            continue
        found = Hole(None if pair in ambiguous else known.get(pair))
        before = holes.get(pair[0], found)
        holes[pair[0]] = found if before == found else Hole(None)
    for key in constants & holes.keys():
        # The same value as a constant and as a parameter: nothing is known of either.
        holes[key] = Hole(None)
    return Parsed(one, holes)


def _walk(one: Any, other: Any, pairs: list[tuple[Any, Any]]) -> bool:
    """Whether two results have the same shape; their constants go into ``pairs``."""
    if type(one) is not type(other):
        numbers = int | float | Decimal
        alike = isinstance(one, numbers) and isinstance(other, numbers)
        if not alike or isinstance(one, bool) or isinstance(other, bool):
            return False
    if is_dataclass(one):
        for field in fields(one):
            if field.name in ("text", "table", "type"):
                continue
            if not _walk(getattr(one, field.name), getattr(other, field.name), pairs):
                return False
        return True
    if isinstance(one, tuple):
        return len(one) == len(other) and all(
            _walk(a, b, pairs) for a, b in zip(one, other, strict=True)
        )
    if isinstance(one, frozenset):
        return bool(one == other)
    if one is None or isinstance(one, bool | int | float | Decimal | str | datetime.date):
        pairs.append((one, other))
        return True
    return bool(one == other)
