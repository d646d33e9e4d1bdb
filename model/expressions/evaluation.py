"""The meaning of expressions: SQL's three-valued logic and Spark's ANSI arithmetic.

NULL is None, and a condition gives True, False or None. Numbers fail as Spark's ANSI mode (its
default since 4.0) makes them fail: overflow and division by zero end the statement.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from decimal import Decimal
from functools import lru_cache
from typing import Any

from model.errors import StatementFailure
from model.expressions.functions import MEANINGS
from model.expressions.syntax import (
    TRUE,
    Aggregate,
    And,
    Arithmetic,
    Case,
    Cast,
    Coalesce,
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
from model.history import Row, Value
from model.values.arithmetic import checked_decimal, divided, operation
from model.values.casts import cast_function
from model.values.doubles import largest, smallest, sort_key
from model.values.types import DOUBLE, NULL, ColumnType, fits, widen

Evaluator = Callable[[Row], Any]

_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


@lru_cache(maxsize=4096)
def evaluator(expression: Expression) -> Evaluator:
    """A function from a row to the value of ``expression`` on it.

    The function raises StatementFailure where Spark fails the statement.
    """
    match expression:
        case Column(index=index):
            return lambda row: row[index]
        case Literal(value=value):
            return lambda row: value
        case Comparison():
            return _comparison(expression)
        case And():
            return _and(evaluator(expression.left), evaluator(expression.right))
        case Or():
            return _or(evaluator(expression.left), evaluator(expression.right))
        case Not():
            inner = evaluator(expression.operand)
            return lambda row: None if (value := inner(row)) is None else not value
        case IsNull():
            operand = evaluator(expression.operand)
            return lambda row: operand(row) is None
        case InList():
            return _in_list(expression)
        case Arithmetic():
            return _arithmetic(expression)
        case Cast():
            return _cast(expression)
        case Function():
            return _function(expression)
        case Coalesce():
            operands = tuple(_as_type(part, expression.type) for part in expression.operands)
            return lambda row: next((v for f in operands if (v := f(row)) is not None), None)
        case Case():
            return _case(expression)
        case Aggregate():
            raise TypeError("an aggregate has no value on a single row")


@lru_cache(maxsize=4096)
def matcher(condition: Expression) -> Callable[[Row], bool]:
    """A function that tells whether a row matches: only TRUE does, NULL does not."""
    if condition == Literal(True, condition.type):
        return lambda row: True
    evaluate = evaluator(condition)
    return lambda row: evaluate(row) is True


@lru_cache(maxsize=4096)
def row_test(condition: Expression, partition: Expression) -> Callable[[Row], bool]:
    """Whether a row matches, whatever file it is in, as ``matcher`` says for the rows of a file.

    ``partition`` is the condition's part over partition values. It is evaluated first, as it
    chooses the files: a part of the condition that fails on a row (a division by zero) is not
    evaluated on the rows of other partitions. The function raises StatementFailure if a part that
    is evaluated fails.
    """
    matches = matcher(condition)
    if partition == TRUE:
        return matches
    here = matcher(partition)
    return lambda row: here(row) and matches(row)


def _comparison(expression: Comparison) -> Evaluator:
    left, right = _alike(expression.left, expression.right)
    if expression.operator == "<=>":
        return lambda row: left(row) == right(row)
    compare = _COMPARE[expression.operator]

    def evaluate(row: Row) -> bool | None:
        a, b = left(row), right(row)
        return None if a is None or b is None else compare(a, b)

    return evaluate


def _alike(*expressions: Expression) -> tuple[Evaluator, ...]:
    """Evaluators whose values compare with each other as Spark compares them.

    Whole numbers and decimals compare exactly in Python. Only if a double is among them do all
    become doubles, which loses digits of large numbers.
    """
    if not any(expression.type is DOUBLE for expression in expressions):
        return tuple(map(evaluator, expressions))
    return tuple(_as_key(_as_type(expression, DOUBLE)) for expression in expressions)


def _as_key(evaluate: Evaluator) -> Evaluator:
    return lambda row: None if (value := evaluate(row)) is None else sort_key(value)


def _as_type(expression: Expression, target: ColumnType) -> Evaluator:
    """An evaluator of the value as one of a wider type."""
    evaluate = evaluator(expression)
    if expression.type in (target, NULL):
        return evaluate
    return lambda row: widen(evaluate(row), target)


def _and(left: Evaluator, right: Evaluator) -> Evaluator:
    def evaluate(row: Row) -> bool | None:
        a = left(row)
        if a is False:
            return False
        b = right(row)
        if b is False:
            return False
        return None if a is None or b is None else True

    return evaluate


def _or(left: Evaluator, right: Evaluator) -> Evaluator:
    def evaluate(row: Row) -> bool | None:
        a = left(row)
        if a is True:
            return True
        b = right(row)
        if b is True:
            return True
        return None if a is None or b is None else False

    return evaluate


def _in_list(expression: InList) -> Evaluator:
    operand, *options = _alike(expression.operand, *expression.options)

    def evaluate(row: Row) -> bool | None:
        value = operand(row)
        if value is None:
            return None
        unknown = False
        for option in options:
            other = option(row)
            if other is None:
                unknown = True
            elif other == value:
                return True
        return None if unknown else False

    return evaluate


def _case(expression: Case) -> Evaluator:
    branches = tuple((evaluator(c), _as_type(v, expression.type)) for c, v in expression.branches)
    otherwise = _as_type(expression.otherwise, expression.type)

    def evaluate(row: Row) -> Value:
        for condition, value in branches:
            if condition(row) is True:
                return value(row)
        return otherwise(row)

    return evaluate


def _arithmetic(expression: Arithmetic) -> Evaluator:
    left, right = evaluator(expression.left), evaluator(expression.right)
    compute = operation(expression.operator, expression.type)

    def evaluate(row: Row) -> Value:
        a, b = left(row), right(row)
        return None if a is None or b is None else compute(a, b)

    return evaluate


def _cast(expression: Cast) -> Evaluator:
    operand = evaluator(expression.operand)
    convert = cast_function(expression.operand.type, expression.type)
    return lambda row: None if (value := operand(row)) is None else convert(value)


def _function(expression: Function) -> Evaluator:
    operands = tuple(map(evaluator, expression.operands))
    meaning = MEANINGS[expression.name]
    compute = meaning.compute
    if not meaning.null_for_null:
        return lambda row: compute(*(operand(row) for operand in operands))

    def evaluate(row: Row) -> Value:
        values = []
        for operand in operands:
            value = operand(row)
            if value is None:
                return None
            values.append(value)
        return compute(*values)

    return evaluate


def aggregate(function: Aggregate, rows: list[Row]) -> Value:
    """The value of an aggregate over rows; NULLs are left out, as SQL does."""
    if function.operand is None:
        return len(rows)
    evaluate = evaluator(function.operand)
    values: list[Any] = [value for row in rows if (value := evaluate(row)) is not None]
    if function.distinct:
        values = list({sort_key(value): value for value in values}.values())
    if function.function == "count":
        return len(values)
    if not values:
        return None
    if function.function == "sum":
        return _sum(values, function)
    if function.function == "avg":
        if function.type.precision:
            return checked_decimal(divided(sum(values), Decimal(len(values))), function.type)
        return sum(map(float, values)) / len(values)
    return smallest(values) if function.function == "min" else largest(values)


def _sum(values: list[Any], function: Aggregate) -> Value:
    total = sum(values[1:], start=values[0])
    if function.type.precision:
        return checked_decimal(total, function.type)
    if function.type.bits and not fits(total, function.type.bits):
        raise StatementFailure("ARITHMETIC_OVERFLOW", f"sum {total} overflows")
    return total
