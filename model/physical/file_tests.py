"""Conditions as tests of a file's statistics.

A test is TRUE for every file that can hold a match; a file for which it is FALSE or NULL is
skipped. Source: Delta's DataFiltersBuilder.scala, ``constructDataFilters``. A part of a condition
that Delta cannot translate yields no test, and keeps every file.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable
from typing import Any

from model.expressions import syntax as expressions
from model.expressions.simplification.shape import FALSE, MIRRORED, is_null
from model.expressions.syntax import (
    And,
    Column,
    Comparison,
    Expression,
    Function,
    InList,
    IsNull,
    Literal,
    Not,
    Or,
)
from model.physical.files import ColumnStatistics, DataFile
from model.values import types
from model.values.doubles import largest, smallest, sort_key

FileTest = Callable[[DataFile], "bool | None"]
"""A test of whether a file's statistics allow a match; None stands for SQL's NULL."""

_NEGATED = {"=": "<>", "<>": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}
_DEEPEST = 4
"""The depth to which nested IS NULL over AND and OR are taken apart
(``stats.skipping.isNullPushdownExprs.maxDepth``)."""


def file_test(
    condition: Expression, without: frozenset[int] = frozenset(), depth: int = 0
) -> FileTest | None:
    """The test for one conjunct; None if statistics say nothing about it.

    ``without`` has the places of the columns that have no statistics: partition columns, and
    columns that the table excludes.
    """
    return _Translation(without)(condition, depth)


class _Translation:
    """Translates conditions over one table's columns."""

    def __init__(self, without: frozenset[int]) -> None:
        self.without = without

    def __call__(self, condition: Expression, depth: int) -> FileTest | None:
        parts = expressions.children(condition)
        if not isinstance(condition, Column) and not any(map(expressions.columns, parts)):
            return None
        match condition:
            case And():
                return _both(self(condition.left, depth), self(condition.right, depth))
            case Or():
                return _either(self(condition.left, depth), self(condition.right, depth))
            case Not():
                return self._negation(condition.operand, depth)
            case IsNull():
                return self._is_null(condition.operand, depth)
            case Comparison(operator=op, left=left, right=right):
                if isinstance(left, Literal):
                    op, left, right = MIRRORED[op], right, left
                if isinstance(right, Literal):
                    return self._comparison(op, left, right, depth)
            case InList(operand=operand, options=options):
                return self._in_list(operand, options)
            case Function(
                name="startswith",
                operands=(Column(index=index), Literal(value=str() as prefix)),
            ) if index not in self.without:
                return _starts(index, prefix)
        return None

    def _negation(self, operand: Expression, depth: int) -> FileTest | None:
        match operand:
            case Not():
                return self(operand.operand, depth)
            case And():
                return self(Or(Not(operand.left), Not(operand.right)), depth)
            case Or():
                return self(And(Not(operand.left), Not(operand.right)), depth)
            case IsNull(operand=Column(index=index)) if index not in self.without:
                return lambda file: file.statistics[index].nulls < file.records
            case Comparison(operator="<=>", left=left, right=right):
                if isinstance(left, Literal):
                    left, right = right, left
                if isinstance(right, Literal):
                    return self(Not(_null_safe(left, right)), depth)
            case Comparison(operator=op) if op in _NEGATED:
                return self(Comparison(_NEGATED[op], operand.left, operand.right), depth)
        return None

    def _is_null(self, operand: Expression, depth: int) -> FileTest | None:
        match operand:
            case Column(index=index):
                if index in self.without:
                    return None
                return lambda file: file.statistics[index].nulls > 0
            case Comparison(operator=op) if op != "<=>":
                return self._any_null((operand.left, operand.right), depth)
            case Not():
                return self._any_null((operand.operand,), depth)
            case And() | Or() if depth <= _DEEPEST:
                # NULL as a whole: one side is NULL, and the other does not decide the result.
                deciding = FALSE if isinstance(operand, And) else expressions.TRUE
                sides = (operand.left, operand.right)
                decided = [Comparison("<=>", side, deciding) for side in sides]
                unknown = Or(IsNull(operand.left), IsNull(operand.right))
                return self(And(unknown, Not(Or(*decided))), depth + 1)
        return None

    def _any_null(self, parts: tuple[Expression, ...], depth: int) -> FileTest | None:
        tests: list[FileTest | None] = []
        for part in parts:
            if isinstance(part, Literal):
                tests.append(_always if is_null(part) else _never)
            else:
                tests.append(self(IsNull(part), depth))
        result = tests[0]
        for test in tests[1:]:
            result = _either(result, test)
        return result

    def _comparison(
        self, op: str, operand: Expression, literal: Literal, depth: int
    ) -> FileTest | None:
        if op == "<=>":
            return self(_null_safe(operand, literal), depth)
        # A constant of another type means that the column is cast, and casts have no statistics.
        if not isinstance(operand, Column) or operand.type != literal.type or is_null(literal):
            return None
        index, value = operand.index, literal.value
        if index in self.without or operand.type is types.BOOLEAN:
            return None
        compare, bounds = _COMPARE[op], _BOUNDS.get(operand.type.family, _exact_bounds)
        if operand.type is types.DOUBLE:
            value, bounds = sort_key(value), _double_bounds

        def test(file: DataFile) -> bool | None:
            statistics = file.statistics[index]
            return None if statistics.minimum is None else compare(*bounds(statistics), value)

        return test

    def _in_list(self, operand: Expression, options: tuple[Expression, ...]) -> FileTest | None:
        if not all(isinstance(option, Literal) for option in options):
            return None
        constants = [o for o in options if isinstance(o, Literal) and not is_null(o)]
        if not constants:
            return _never
        values: list[Any] = [option.value for option in constants]
        least, most = (Literal(edge(values), constants[0].type) for edge in (smallest, largest))
        return self(And(Comparison("<=", operand, most), Comparison(">=", operand, least)), depth=0)


def _null_safe(operand: Expression, literal: Literal) -> Expression:
    if is_null(literal):
        return IsNull(operand)
    return And(Not(IsNull(operand)), Comparison("=", operand, literal))


def _starts(index: int, prefix: str) -> FileTest:
    """The prefix lies between the bounds once those are cut to its length."""

    def test(file: DataFile) -> bool | None:
        statistics = file.statistics[index]
        if statistics.minimum is None:
            return None
        low, high = _string_bounds(statistics)
        return bool(low[: len(prefix)] <= prefix <= high[: len(prefix)])

    return test


def _always(file: DataFile) -> bool | None:
    return True


def _never(file: DataFile) -> bool | None:
    return False


def _both(left: FileTest | None, right: FileTest | None) -> FileTest | None:
    if left is None or right is None:
        return left or right

    def test(file: DataFile) -> bool | None:
        results = (left(file), right(file))
        return False if False in results else None if None in results else True

    return test


def _either(left: FileTest | None, right: FileTest | None) -> FileTest | None:
    if left is None or right is None:
        return None

    def test(file: DataFile) -> bool | None:
        results = (left(file), right(file))
        return True if True in results else None if None in results else False

    return test


_COMPARE: dict[str, Callable[[Any, Any, Any], bool]] = {
    "=": lambda low, high, v: bool(low <= v <= high),
    "<>": lambda low, high, v: bool(low != v or high != v),
    "<": lambda low, high, v: bool(low < v),
    "<=": lambda low, high, v: bool(low <= v),
    ">": lambda low, high, v: bool(high > v),
    ">=": lambda low, high, v: bool(high >= v),
}


def _exact_bounds(statistics: ColumnStatistics) -> tuple[Any, Any]:
    return statistics.minimum, statistics.maximum


def _double_bounds(statistics: ColumnStatistics) -> tuple[Any, Any]:
    return sort_key(statistics.minimum), sort_key(statistics.maximum)


_PREFIX = 32
_LAST = chr(0x10FFFF)


def _string_bounds(statistics: ColumnStatistics) -> tuple[str, str]:
    """Statistics keep the first 32 characters; a longer maximum is rounded up.

    Source: StatisticsCollection.scala, ``truncateMinStringAgg`` and ``truncateMaxStringAgg``.
    """
    low, high = statistics.minimum, statistics.maximum
    return low[:_PREFIX], high if len(high) <= _PREFIX else high[:_PREFIX] + _LAST


_MILLISECOND = datetime.timedelta(milliseconds=1)


def _timestamp_bounds(
    statistics: ColumnStatistics,
) -> tuple[datetime.datetime, datetime.datetime]:
    """Statistics keep milliseconds; the maximum counts as up to a millisecond later."""
    low, high = (
        moment.replace(microsecond=moment.microsecond // 1000 * 1000)
        for moment in (statistics.minimum, statistics.maximum)
    )
    return low, high + _MILLISECOND


_BOUNDS: dict[str, Callable[[ColumnStatistics], tuple[Any, Any]]] = {
    "string": _string_bounds,
    "timestamp": _timestamp_bounds,
}
