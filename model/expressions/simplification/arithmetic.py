"""Optimizer rules for sums and products of whole numbers."""

from __future__ import annotations

from model.errors import StatementFailure
from model.expressions.evaluation import evaluator
from model.expressions.simplification.shape import flat_sum
from model.expressions.syntax import Arithmetic, Expression, Literal
from model.values.types import BIGINT, INT

_NEUTRAL = {"+": 0, "*": 1}


def reorder_associative_operator(expression: Expression) -> Expression:
    """Gathers the constants of a sum or product at its end; ``k + 0`` and ``k * 1`` are k."""
    if not isinstance(expression, Arithmetic) or expression.operator not in _NEUTRAL:
        return expression
    if expression.type not in (INT, BIGINT):
        return expression
    operator, type_ = expression.operator, expression.type
    parts = flat_sum(expression)
    constants = [part for part in parts if isinstance(part, Literal)]
    others = [part for part in parts if not isinstance(part, Literal)]
    neutral = len(constants) == 1 and constants[0].value == _NEUTRAL[operator]
    if not constants or not others or (len(constants) == 1 and not neutral):
        return expression
    constant: Expression = constants[0]
    for more in constants[1:]:
        constant = Arithmetic(operator, constant, more, type_)
    try:
        value = evaluator(constant)(())
    except StatementFailure:
        return expression
    result = others[0]
    for part in others[1:]:
        result = Arithmetic(operator, result, part, type_)
    if value == _NEUTRAL[operator] and result.type == type_:
        return result
    return Arithmetic(operator, result, Literal(value, type_), type_)
