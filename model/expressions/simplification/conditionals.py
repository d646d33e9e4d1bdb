"""Optimizer rules for CASE expressions."""

from __future__ import annotations

from collections.abc import Callable

from model.expressions.simplification.shape import FALSE, is_null, nullable, same, with_parts
from model.expressions.syntax import (
    TRUE,
    And,
    Case,
    Comparison,
    Expression,
    InList,
    Literal,
    Not,
    Or,
)
from model.values.types import BOOLEAN


def simplify_conditionals(expression: Expression) -> Expression:
    """Branches that are never or always taken; a CASE that chooses between TRUE and FALSE."""
    if not isinstance(expression, Case):
        return expression
    branches = []
    otherwise = expression.otherwise
    for condition, then in expression.branches:
        when = false_where_not_true(condition)
        if when == FALSE:
            continue
        if when == TRUE:
            otherwise = then
            break
        branches.append((when, then))
    if not branches or all(same(then, otherwise) for _, then in branches):
        # A value of a narrower type would need the cast that CASE has hidden so far.
        return otherwise if otherwise.type == expression.type else expression
    if len(branches) == 1:
        ((when, then),) = branches
        truth = Comparison("<=>", when, TRUE) if nullable(when) else when
        if (then, otherwise) == (TRUE, FALSE):
            return truth
        if (then, otherwise) == (FALSE, TRUE):
            return Not(truth)
    return Case(tuple(branches), otherwise, expression.type)


def push_foldable_into_branches(expression: Expression) -> Expression:
    """``CASE ... THEN 1 ELSE k END = 1`` compares in each branch, if all but one are constant."""
    match expression:
        case Comparison(left=Case() as case, right=Literal() as literal):
            return _pushed(
                expression, case, lambda value: Comparison(expression.operator, value, literal)
            )
        case Comparison(left=Literal() as literal, right=Case() as case):
            return _pushed(
                expression, case, lambda value: Comparison(expression.operator, literal, value)
            )
    return expression


def _pushed(
    expression: Comparison, case: Case, compare: Callable[[Expression], Expression]
) -> Expression:
    values = (*(then for _, then in case.branches), case.otherwise)
    if sum(not isinstance(value, Literal) for value in values) > 1:
        return expression
    branches = tuple((when, compare(then)) for when, then in case.branches)
    if is_null(case.otherwise) and expression.operator != "<=>":
        return Case(branches, Literal(None, BOOLEAN), BOOLEAN)
    return Case(branches, compare(case.otherwise), BOOLEAN)


def false_where_not_true(condition: Expression) -> Expression:
    """NULL becomes FALSE wherever it can only keep the condition from being TRUE.

    Source: ReplaceNullWithFalseInPredicate.scala. Not so under NOT; but ``NOT IN`` with a NULL
    among the options is never TRUE.
    """
    match condition:
        case And() | Or():
            return with_parts(condition, false_where_not_true)
        case Case():
            branches = tuple(
                (false_where_not_true(when), false_where_not_true(then))
                for when, then in condition.branches
            )
            return Case(branches, false_where_not_true(condition.otherwise), condition.type)
        case Not(operand=InList(options=options)) if any(map(is_null, options)):
            return FALSE
    return FALSE if is_null(condition) else condition
