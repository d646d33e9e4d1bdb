"""Optimizer rules for AND, OR and NOT."""

from __future__ import annotations

from model.expressions.simplification.shape import (
    FALSE,
    UNKNOWN,
    among,
    flat,
    joined,
    nullable,
    same,
)
from model.expressions.syntax import TRUE, And, Comparison, Expression, IsNull, Not, Or

_NEGATED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}


def boolean_simplification(expression: Expression) -> Expression:
    """Constants, repetitions and opposites under AND and OR, De Morgan, negated comparisons."""
    match expression:
        case And():
            return _and(expression)
        case Or():
            return _or(expression)
        case Not(operand=operand):
            return _negation(expression, operand)
    return expression


def _and(expression: And) -> Expression:
    left, right = expression.left, expression.right
    if FALSE in (left, right):
        return FALSE
    if left == TRUE or right == TRUE:
        return right if left == TRUE else left
    if _opposites(left, right):
        return And(IsNull(_positive(left, right)), UNKNOWN)
    if same(left, right):
        return left
    for one, other in ((left, right), (right, left)):
        # Where the one can be NULL the other side's opposite of it decides between two answers.
        if isinstance(other, Or) and not nullable(one):
            if _opposites(one, other.left):
                return And(one, other.right)
            if _opposites(one, other.right):
                return And(one, other.left)
    return _common_factors(expression, Or, And)


def _or(expression: Or) -> Expression:
    left, right = expression.left, expression.right
    if TRUE in (left, right):
        return TRUE
    if left == FALSE or right == FALSE:
        return right if left == FALSE else left
    if _opposites(left, right):
        return Or(Not(IsNull(_positive(left, right))), UNKNOWN)
    if same(left, right):
        return left
    for one, other in ((left, right), (right, left)):
        if isinstance(other, And) and not nullable(one):
            if _opposites(one, other.left):
                return Or(one, other.right)
            if _opposites(one, other.right):
                return Or(one, other.left)
    return _common_factors(expression, And, Or)


def _opposites(one: Expression, other: Expression) -> bool:
    # Spark has a node of its own for IS NOT NULL, and does not see it as the opposite.
    if IsNull in (type(one), type(other)):
        return False
    return same(_negated(one), other) or same(one, _negated(other))


def _negated(expression: Expression) -> Expression:
    return boolean_simplification(Not(expression))


def _positive(one: Expression, other: Expression) -> Expression:
    return other if isinstance(one, Not) else one


def _common_factors(
    expression: And | Or, inner: type[And] | type[Or], outer: type[And] | type[Or]
) -> Expression:
    """Factors out the common part of both sides: (a OR b) AND (a OR c) is a OR (b AND c)."""
    left, right = flat(expression.left, inner), flat(expression.right, inner)
    common = tuple(part for part in left if among(part, right))
    if not common:
        return expression
    rest = [tuple(part for part in side if not among(part, common)) for side in (left, right)]
    if not all(rest):
        return joined(common, inner)
    return joined((*common, outer(joined(rest[0], inner), joined(rest[1], inner))), inner)


def _negation(expression: Not, operand: Expression) -> Expression:
    match operand:
        case Not():
            return operand.operand
        case And():
            return Or(Not(operand.left), Not(operand.right))
        case Or():
            return And(Not(operand.left), Not(operand.right))
        case Comparison(operator=op) if op in _NEGATED:
            return Comparison(_NEGATED[op], operand.left, operand.right)
    return expression
