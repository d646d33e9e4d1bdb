"""Templates parsed with their parameters in place, found by giving them sentinel values.

Each template is parsed several times, with values for its parameters that differ from one round to
the next. A constant of the statement that takes the values of a parameter is that parameter; one
that never changes is a constant of the template; any other was computed from parameters, and
its value is unknown.
"""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from decimal import Decimal
from typing import Any

from checker.robustness.jobs.constants import computes, written
from checker.robustness.jobs.template import Parameter, Template, Token, tokens
from checker.robustness.jobs.workload import Jobs
from model.errors import InvalidScenario
from model.history import Value
from model.statements import Statement
from model.tables.table import Table
from model.values.types import BIGINT, ColumnType

ROUNDS = 4

_INTS = (1_871_030_101, 917_364_208, 1_203_455_667, 411_999_034)
_DAYS = ((1871, 3, 1), (1874, 7, 16), (1902, 11, 29), (1950, 1, 8))
_TIMES = (datetime.time(4, 5), datetime.time(13, 0, 7), datetime.time(), datetime.time(23, 59))
_TRUTHS = (
    *((True, False, True, False), (True, True, False, False), (True, False, False, True)),
    *((True, False, False, False), (False, True, False, False)),
    *((False, False, True, False), (False, False, False, True)),
)
"""The values of boolean parameters by round: none has the opposite values of another."""


@dataclass(frozen=True, slots=True)
class Hole:
    """Stands for a parameter in a parsed template; None for a value computed from parameters."""

    parameter: str | None


def sentinels(
    parameters: Sequence[Parameter], round_: int, *, narrow: bool = True
) -> dict[str, Value]:
    """A value for each parameter, different in each round and for each parameter of a type.

    With ``narrow`` those of type bigint fit into an int column.
    """
    truths = [parameter.name for parameter in parameters if parameter.type.family == "boolean"]
    return {
        parameter.name: _TRUTHS[truths.index(parameter.name) % len(_TRUTHS)][round_]
        if parameter.name in truths
        else _value(parameter.type, number, round_, narrow)
        for number, parameter in enumerate(parameters)
    }


def _value(type_: ColumnType, number: int, round_: int, narrow: bool) -> Value:
    match type_.family:
        case "string":
            return f"the parameter {number}" + "~" * round_
        case "date":
            return datetime.date(*_DAYS[round_]) + datetime.timedelta(days=number)
        case "timestamp":
            day = datetime.date(*_DAYS[round_]) + datetime.timedelta(days=number)
            return datetime.datetime.combine(day, _TIMES[round_])
    if type_.precision:
        step = max(1, 10**type_.precision // 97)
        digits = (10**type_.precision - 1 - (ROUNDS * number + round_) * step) % 10**type_.precision
        return Decimal(digits).scaleb(-type_.scale)
    if type_.bits:
        beyond = 0 if narrow or type_ != BIGINT else 1 << 40
        return beyond + _INTS[round_] + 7919 * number
    return _INTS[round_] + 7919 * number + 0.5


@dataclass(frozen=True, slots=True)
class Parsed:
    """A template's statement, with a :class:`Hole` as the value where it has a parameter.

    ``types`` are those of the parameters, ``tables`` the definitions of all tables, the target
    among them. ``sources_change`` and ``guessed`` are those of the workload's widening.
    """

    statement: Statement
    types: Mapping[str, ColumnType]
    tables: Mapping[str, Table] = field(default_factory=dict)
    sources_change: bool = False
    guessed: bool = False


def parsed(jobs: Jobs, template: Template) -> Parsed | None:
    """The template with its parameters in place; None if its shape depends on their values."""
    results = _results(jobs, template, narrow=False) or _results(jobs, template, narrow=True)
    if results is None:
        return None
    constants: list[tuple[Any, ...]] = []
    if not _alike(results, constants):
        return None
    if _may_be_null(template):
        return None
    given = [sentinels(template.parameters, round_) for round_ in range(ROUNDS)]
    wide = [sentinels(template.parameters, round_, narrow=False) for round_ in range(ROUNDS)]
    holes: dict[tuple[Any, ...], Hole] = {}
    for parameter in template.parameters:
        name = parameter.name
        for values in (given, wide):
            key = tuple(_key(filled[name]) for filled in values)
            before = holes.get(key, Hole(name))
            holes[key] = before if before == Hole(name) else Hole(None)
    doubtful = _doubtful(template, constants, holes)

    def constant(values: tuple[Any, ...]) -> Any:
        key = tuple(map(_key, values))
        if key in doubtful:
            return Hole(None)
        if len(set(key)) == 1:
            return values[0]
        return holes.get(key, Hole(None))

    statement = _merged(results, constant)
    return Parsed(
        statement,
        {parameter.name: parameter.type for parameter in template.parameters},
        jobs.definitions,
        jobs.widening.sources_change,
        jobs.widening.guessed,
    )


def _results(jobs: Jobs, template: Template, *, narrow: bool) -> list[Statement] | None:
    """The statement of each round; None if one of them is invalid."""
    try:
        return [
            jobs.statement(template.filled(sentinels(template.parameters, round_, narrow=narrow)))
            for round_ in range(ROUNDS)
        ]
    except InvalidScenario:
        return None


def _doubtful(
    template: Template, constants: Iterable[tuple[Any, ...]], holes: Mapping[tuple[Any, ...], Hole]
) -> frozenset[tuple[Any, ...]]:
    """The constants that may have been computed from parameters although they look plain.

    ``length(:n)`` may have the same value in each round, or that of another parameter. So where
    the template computes with parameters, a value that the statement has more often than the
    text may have been computed.
    """
    words = _words(template)
    if not computes(words, _booleans(template)):
        return frozenset()
    seen = Counter(tuple(map(_key, values)) for values in constants)
    literals = Counter(_key(value) for value in written(words))
    places = Counter(token.text[1:] for token in words if token.kind == "parameter")
    doubtful = set()
    for key, count in seen.items():
        hole = holes.get(key)
        expected = literals[key[0]] if len(set(key)) == 1 else 0
        if hole is not None:
            expected = places[hole.parameter] if hole.parameter else 0
        if count > expected:
            doubtful.add(key)
    return frozenset(doubtful)


def _may_be_null(template: Template) -> bool:
    """Whether a constant may be NULL for some parameters, and the statement's shape tells.

    A comparison by IS NULL or <=> is parsed as what it comes to for a constant that is not NULL.
    """
    words = _words(template)
    tested = any(word.upper == "IS" or word.text == "<=>" for word in words)
    return tested and computes(words, _booleans(template))


def _words(template: Template) -> list[Token]:
    return [token for token in tokens(template.text) if token.kind not in ("space", "comment")]


def _booleans(template: Template) -> frozenset[str]:
    return frozenset(
        parameter.name for parameter in template.parameters if parameter.type.family == "boolean"
    )


def _key(value: Any) -> Any:
    if isinstance(value, bool):
        return ("boolean", value)
    if isinstance(value, int | float | Decimal):
        return ("number", Decimal(str(value)) if isinstance(value, float) else Decimal(value))
    return (type(value).__name__, value)


_LEFT_ALONE = frozenset({"text", "table", "type", "after", "application", "version"})
"""Fields that the values of parameters may change without changing what is known of them."""

_VALUES = frozenset({"value", "rows", "constants"})
"""Fields that hold values of columns: of literals, and of the rows of constants."""


def _is_constant(value: Any) -> bool:
    return value is None or isinstance(value, bool | int | float | Decimal | str | datetime.date)


def _alike(results: Sequence[Any], constants: list[tuple[Any, ...]], values: bool = False) -> bool:
    """Whether results have the same shape; the values in them go into ``constants``."""
    one = results[0]
    if values and all(map(_is_constant, results)):
        constants.append(tuple(results))
        return len({_key(value)[0] for value in results}) == 1
    if any(type(other) is not type(one) for other in results):
        return False
    if is_dataclass(one):
        return all(
            _alike([getattr(result, field.name) for result in results], constants, in_values)
            for field in fields(one)
            if field.name not in _LEFT_ALONE
            for in_values in (field.name in _VALUES,)
        )
    if isinstance(one, tuple):
        return len({len(result) for result in results}) == 1 and all(
            _alike(parts, constants, values) for parts in zip(*results, strict=True)
        )
    return all(result == one for result in results)


def _merged(results: Sequence[Any], constant: Any, values: bool = False) -> Any:
    """One result for all rounds, with the values that ``constant`` makes of theirs."""
    one = results[0]
    if values and all(map(_is_constant, results)):
        return constant(tuple(results))
    if is_dataclass(one) and not isinstance(one, type):
        changes = {
            field.name: _merged(
                [getattr(result, field.name) for result in results], constant, field.name in _VALUES
            )
            for field in fields(one)
            if field.name not in _LEFT_ALONE and field.init
        }
        return replace(one, **changes)
    if isinstance(one, tuple):
        return tuple(_merged(parts, constant, values) for parts in zip(*results, strict=True))
    return one
