"""Optimizer rules for constants and NULLs."""

from __future__ import annotations

from model.errors import StatementFailure
from model.expressions import syntax as expressions
from model.expressions.evaluation import evaluator
from model.expressions.simplification.shape import FALSE, UNKNOWN, is_null, null_if_null, nullable
from model.expressions.syntax import Coalesce, Comparison, Expression, InList, IsNull, Literal
from model.values import types


def constant_folding(expression: Expression) -> Expression:
    """An expression without columns is replaced by its value, unless computing it fails."""
    if isinstance(expression, Literal) or not expressions.is_constant(expression):
        return expression
    try:
        return Literal(evaluator(expression)(()), expression.type)
    except StatementFailure:
        return expression


def null_propagation(expression: Expression) -> Expression:
    """Folds expressions that a NULL makes NULL, IS NULL of non-NULLs, and NULLs in coalesce."""
    match expression:
        case IsNull(operand=operand) if not nullable(operand):
            return FALSE
        case Comparison(operator="<=>", left=left, right=right) if is_null(right):
            return IsNull(left)
        case Comparison(operator="<=>", left=left, right=right) if is_null(left):
            return IsNull(right)
        case InList(operand=operand) if is_null(operand):
            return UNKNOWN
        case Coalesce(operands=operands):
            return _coalesce(expression, operands)
    if null_if_null(expression) and any(map(is_null, expressions.children(expression))):
        return Literal(None, expression.type)
    return expression


def _coalesce(expression: Coalesce, operands: tuple[Expression, ...]) -> Expression:
    kept = tuple(operand for operand in operands if not is_null(operand))
    for index, operand in enumerate(kept):
        if not nullable(operand):
            kept = kept[: index + 1]
            break
    if not kept:
        return Literal(None, expression.type)
    if len(kept) == 1 and kept[0].type == expression.type:
        return kept[0]
    return Coalesce(kept, expression.type)


def optimize_in(expression: Expression) -> Expression:
    """IN with one option is a comparison; options that repeat are dropped."""
    if not isinstance(expression, InList):
        return expression
    if not all(isinstance(option, Literal) for option in expression.options):
        return expression
    options = tuple(dict.fromkeys(expression.options))
    if len(options) == 1:
        if is_null(options[0]):
            return Literal(None, types.BOOLEAN)
        return Comparison("=", expression.operand, options[0])
    return InList(expression.operand, options)
