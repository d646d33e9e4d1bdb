"""Optimizer rules for comparisons: with itself, with a truth value, and across number types."""

from __future__ import annotations

import math
from dataclasses import replace
from decimal import Decimal

from model.expressions.simplification.shape import (
    FALSE,
    MIRRORED,
    falsely,
    is_null,
    joined,
    nullable,
    same,
    truly,
)
from model.expressions.syntax import TRUE, Cast, Comparison, Expression, InList, Literal, Not, Or
from model.values.types import (
    BIGINT,
    BOOLEAN,
    DOUBLE,
    INT,
    ColumnType,
    literal_type,
    rounded_decimal,
    widen,
    wider,
)

_OF_EQUALS = {"=": TRUE, "<=>": TRUE, "<=": TRUE, ">=": TRUE, "<": FALSE, ">": FALSE}


def simplify_binary_comparison(
    expression: Expression, not_null: tuple[Expression, ...] = ()
) -> Expression:
    """``a <=> a`` is TRUE, and so is ``a = a`` for what is not NULL; ``b = TRUE`` is b.

    ``not_null`` lists expressions that other conditions keep from being NULL.
    """
    if not isinstance(expression, Comparison) or expression.operator not in _OF_EQUALS:
        return expression
    operator, left, right = expression.operator, expression.left, expression.right
    if same(left, right):
        never_null = not nullable(left) or any(same(left, other) for other in not_null)
        if operator == "<=>" or never_null:
            return _OF_EQUALS[operator]
    for value, other in ((left, right), (right, left)):
        certain = operator == "=" or (operator == "<=>" and not nullable(other))
        if certain and value in (TRUE, FALSE) and other.type is BOOLEAN:
            return other if value == TRUE else Not(other)
    return expression


def unwrap_cast(expression: Expression) -> Expression:
    """A comparison with a constant of a wider type, as one in the narrower type.

    Source: UnwrapCastInBinaryComparison.scala. If the constant has no equal in the narrower type,
    the comparison is with the value next to it, or is decided except for NULL.
    """
    match expression:
        case Comparison(left=Literal() as literal, right=other) if not isinstance(other, Literal):
            turned = Comparison(MIRRORED[expression.operator], other, literal)
            unwrapped = unwrap_cast(turned)
            if isinstance(unwrapped, Comparison):
                operator = MIRRORED[unwrapped.operator]
                return Comparison(operator, unwrapped.right, unwrapped.left)
            return unwrapped
        case Comparison(
            left=Cast(operand=inner, type=wide), right=Literal(value=value) as literal
        ) if wide == literal.type and value is not None and _unwraps(inner.type, wide):
            return _unwrapped(expression, inner, literal)
        case Comparison(left=other, right=Literal(value=value) as literal):
            if value is None or other.type == literal.type:
                return expression
            if _unwraps(other.type, literal.type):
                return _unwrapped(expression, other, literal)
            if other.type.family == "number" and _narrower(literal, other.type):
                widened = Literal(widen(value, other.type), other.type)
                return Comparison(expression.operator, other, widened)
        case InList() if all(isinstance(option, Literal) for option in expression.options):
            operand = expression.operand
            if isinstance(operand, Cast) and _unwraps(operand.operand.type, operand.type):
                return _unwrapped_in(InList(operand.operand, expression.options))
            return _unwrapped_in(expression)
    return expression


def _unwraps(narrow: ColumnType, wide: ColumnType) -> bool:
    """Whether a cast from one type to the other loses nothing (``Cast.canUpCast``)."""
    if narrow == wide or narrow.family != "number" or wide.family != "number":
        return False
    if wide is DOUBLE:
        return narrow is INT
    return bool(wide.precision) or wide is BIGINT


def _narrower(literal: Literal, target: ColumnType) -> bool:
    return wider(literal_type(literal.value, literal.type), target) == target


def _unwrapped(expression: Comparison, other: Expression, literal: Literal) -> Expression:
    value, narrow = literal.value, other.type
    assert isinstance(value, int | float | Decimal)
    if narrow.bits:
        least, most = -(1 << (narrow.bits - 1)), (1 << (narrow.bits - 1)) - 1
        if value != value:
            value = math.inf  # NaN is above every number.
        if value >= most or value <= least:
            return _at_the_edge(expression.operator, other, value, least, most)
        near: int | Decimal = int(value)
    else:
        rounded = rounded_decimal(value, narrow)
        if rounded is None:
            return expression
        near = rounded
    return _moved(expression.operator, other, Literal(near, narrow), value)


def _moved(
    operator: str, other: Expression, near: Literal, value: int | float | Decimal
) -> Expression:
    """``other operator value``, where ``near`` is the value as rounded to the other's type."""
    assert isinstance(near.value, int | float | Decimal)
    if near.value == value:
        return Comparison(operator, other, near)
    if operator == "=":
        return falsely(other)
    if operator == "<=>":
        return FALSE
    if near.value > value:
        return Comparison(">=" if operator in (">", ">=") else "<", other, near)
    return Comparison(">" if operator in (">", ">=") else "<=", other, near)


def _at_the_edge(
    operator: str, other: Expression, value: int | float | Decimal, least: int, most: int
) -> Expression:
    """A comparison with the largest or smallest value of the narrower type, or one beyond."""
    above = value >= most
    edge = most if above else least
    beyond = value != edge
    if operator == "<=>":
        return FALSE if beyond else Comparison("<=>", other, Literal(edge, other.type))
    short_of, up_to, from_there = ("<", "<=", ">=") if above else (">", ">=", "<=")
    if beyond or operator not in ("=", short_of, from_there):
        return truly(other) if operator in (short_of, up_to) else falsely(other)
    at_edge = Comparison("=", other, Literal(edge, other.type))
    return Not(at_edge) if operator == short_of else at_edge


def _unwrapped_in(expression: InList) -> Expression:
    narrow = expression.operand.type
    if not any(_unwraps(narrow, option.type) for option in expression.options):
        return expression
    kept: list[Expression] = []
    decided: list[Expression] = []
    for option in expression.options:
        assert isinstance(option, Literal)
        if is_null(option):
            kept.append(replace(option, type=narrow))
            continue
        match unwrap_cast(Comparison("=", expression.operand, option)):
            case Comparison(operator="=", right=Literal() as literal) if literal.type == narrow:
                kept.append(literal)
            case Comparison():
                return expression
            case never:
                decided.append(never)
    found_in: Expression = InList(expression.operand, tuple(kept)) if kept else FALSE
    return joined((decided[0], found_in), Or) if decided else found_in
