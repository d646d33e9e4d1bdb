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
    Opaque,
    Or,
    sql,
)
from model.history import Row, Value
from model.values.arithmetic import checked_decimal, divided, operation
from model.values.casts import cast_function
from model.values.doubles import largest, smallest, sort_key
from model.values.types import DOUBLE, NULL, ColumnType, fits, widen
from model.values.unknown import Unknown, any_unknown

Evaluator = Callable[[Row], Any]


def _equal(a: Any, b: Any) -> bool:
    """Whether two values are equal; NotPredicted even for one unknown value: it may be NULL."""
    if a == b:
        if a.__class__ is Unknown:
            a.needed()
        return True
    return False


_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "=": _equal,
    "<>": lambda a, b: not _equal(a, b),
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
            return _is_null(evaluator(expression.operand))
        case InList():
            return _in_list(expression)
        case Arithmetic():
            return _arithmetic(expression)
        case Cast():
            return _cast(expression)
        case Function():
            return _function(expression)
        case Coalesce():
            return _coalesce(expression)
        case Case():
            return _case(expression)
        case Opaque():
            return _opaque(expression)
        case Aggregate():
            raise TypeError("an aggregate has no value on a single row")


@lru_cache(maxsize=4096)
def matcher(condition: Expression) -> Callable[[Row], bool]:
    """A function that tells whether a row matches: only TRUE does, NULL does not."""
    if condition == Literal(True, condition.type):
        return lambda row: True
    return _holds(evaluator(condition))


def _holds(evaluate: Evaluator) -> Callable[[Row], bool]:
    """Whether a condition is TRUE. The function raises NotPredicted if its value is unknown."""

    def test(row: Row) -> bool:
        value = evaluate(row)
        if value is True:
            return True
        return value is not None and value is not False and bool(value)

    return test


def _is_null(operand: Evaluator) -> Evaluator:
    def evaluate(row: Row) -> bool:
        value = operand(row)
        if value.__class__ is Unknown:
            value.needed()
        return value is None

    return evaluate


def _coalesce(expression: Coalesce) -> Evaluator:
    operands = tuple(_as_type(part, expression.type) for part in expression.operands)
    last = operands[-1]

    def evaluate(row: Row) -> Value:
        for operand in operands:
            value = operand(row)
            if value is not None:
                if value.__class__ is Unknown and operand is not last:
                    value.needed()
                return value
        return None

    return evaluate


def _opaque(expression: Opaque) -> Evaluator:
    operands = tuple(map(evaluator, expression.operands))
    text, because, settled = expression.text, expression.because, expression.settled
    return lambda row: Unknown(text, because, tuple(f(row) for f in operands), settled)


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
    def evaluate(row: Row) -> Any:
        a = left(row)
        if a is False:
            return False
        b = right(row)
        if b is False or a is True:
            return b
        return a if b is True or a is b else _either(a, b)

    return evaluate


def _either(a: Any, b: Any) -> Any:
    """One of a NULL and an unknown value, or of two unknown values: the one that is unknown."""
    return (a if a.__class__ is Unknown else b).needed()


def _or(left: Evaluator, right: Evaluator) -> Evaluator:
    def evaluate(row: Row) -> Any:
        a = left(row)
        if a is True:
            return True
        b = right(row)
        if b is True or a is False:
            return b
        return a if b is False or a is b else _either(a, b)

    return evaluate


def _in_list(expression: InList) -> Evaluator:
    operand, *options = _alike(expression.operand, *expression.options)

    def evaluate(row: Row) -> bool | None:
        value = operand(row)
        if value is None:
            return None
        if value.__class__ is Unknown:
            value.needed()
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
    branches = tuple(
        (_holds(evaluator(c)), _as_type(v, expression.type)) for c, v in expression.branches
    )
    otherwise = _as_type(expression.otherwise, expression.type)

    def evaluate(row: Row) -> Value:
        for condition, value in branches:
            if condition(row):
                return value(row)
        return otherwise(row)

    return evaluate


def _arithmetic(expression: Arithmetic) -> Evaluator:
    left, right = evaluator(expression.left), evaluator(expression.right)
    compute = operation(expression.operator, expression.type)

    def evaluate(row: Row) -> Value:
        a, b = left(row), right(row)
        if a is None or b is None:
            return None
        if a.__class__ is Unknown or b.__class__ is Unknown:
            return _unknown(expression, (a, b))
        return compute(a, b)

    return evaluate


def _unknown(expression: Expression, values: tuple[Any, ...]) -> Unknown:
    """The value of an expression whose parts have these values, one of which is unknown."""
    first = any_unknown(values)
    assert first is not None
    settled = all(v.settled for v in values if isinstance(v, Unknown))
    return Unknown(sql(expression), first.because, values, settled)


def _cast(expression: Cast) -> Evaluator:
    operand = evaluator(expression.operand)
    convert = cast_function(expression.operand.type, expression.type)

    def evaluate(row: Row) -> Value:
        value = operand(row)
        if value is None:
            return None
        return _unknown(expression, (value,)) if value.__class__ is Unknown else convert(value)

    return evaluate


def _function(expression: Function) -> Evaluator:
    operands = tuple(map(evaluator, expression.operands))
    meaning = MEANINGS[expression.name]
    compute = meaning.compute
    strict = meaning.null_for_null

    def evaluate(row: Row) -> Value:
        values = []
        for operand in operands:
            value = operand(row)
            if value is None and strict:
                return None
            values.append(value)
        if any_unknown(values) is not None:
            return _unknown(expression, tuple(values))
        return compute(*values)

    return evaluate


def aggregate(function: Aggregate, rows: list[Row]) -> Value:
    """The value of an aggregate over rows; NULLs are left out, as SQL does."""
    if function.operand is None:
        return len(rows)
    evaluate = evaluator(function.operand)
    values: list[Any] = [value for row in rows if (value := evaluate(row)) is not None]
    if any_unknown(values) is not None:
        return _unknown(function, tuple(values))
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
