"""Optimizer rules for a query's WHERE only, where NULL and FALSE mean the same."""

from __future__ import annotations

from model.expressions import syntax as expressions
from model.expressions.simplification.comparisons import simplify_binary_comparison
from model.expressions.simplification.shape import among, everywhere, null_if_null, with_parts
from model.expressions.syntax import (
    And,
    Column,
    Comparison,
    Expression,
    IsNull,
    Literal,
    Not,
    Or,
    conjunction,
    conjuncts,
)


def constant_propagation(condition: Expression) -> Expression:
    """``k = 1 AND k > v`` is ``k = 1 AND 1 > v``: a column fixed by one conjunct is a constant.

    Comparisons are rewritten wherever they stand, also under OR and NOT. Each side of an OR
    fixes columns for itself; under NOT, where NULL is not FALSE, nothing is fixed.
    """
    if isinstance(condition, And | Or):
        condition = with_parts(condition, constant_propagation)
    if not isinstance(condition, And):
        return condition
    fixed: dict[Column, Literal] = {}
    origins: list[Expression] = []
    for part in conjuncts(condition):
        match part:
            case Comparison(
                operator="=" | "<=>", left=Column() as column, right=Literal() as literal
            ) if column.type == literal.type:
                pass
            case Comparison(
                operator="=" | "<=>", left=Literal() as literal, right=Column() as column
            ) if column.type == literal.type:
                pass
            case _:
                continue
        if column not in fixed:
            fixed[column] = literal
            origins.append(part)
    if not fixed:
        return condition

    def rewrite(expression: Expression) -> Expression:
        if isinstance(expression, Comparison) and expression not in origins:
            return _substitute(expression, fixed)
        return with_parts(expression, rewrite)

    return rewrite(condition)


def _substitute(expression: Expression, fixed: dict[Column, Literal]) -> Expression:
    if isinstance(expression, Column):
        return fixed.get(expression, expression)
    return with_parts(expression, lambda part: _substitute(part, fixed))


def simplify_known_comparisons(condition: Expression) -> Expression:
    """``a = a`` is TRUE, and ``a < a`` FALSE, if another conjunct says that a is not NULL."""
    not_null = tuple(
        part.operand.operand
        for part in conjuncts(condition)
        if isinstance(part, Not) and isinstance(part.operand, IsNull)
    )
    if not not_null:
        return condition
    return everywhere(condition, lambda part: simplify_binary_comparison(part, not_null))


def infer_filters(condition: Expression) -> Expression:
    """Adds implied conditions: columns that are not NULL, and conditions on equal columns.

    Source: InferFiltersFromConstraints and QueryPlanConstraints.scala.
    """
    given = conjuncts(condition)
    inferred: list[Expression] = []
    for equal in given:
        inferred += _on_equal_columns(equal, given)
    for part in (*given, *inferred):
        inferred += [Not(IsNull(column)) for column in _not_null(part)]
    added: list[Expression] = []
    for part in inferred:
        if expressions.columns(part) and not among(part, (*given, *added)):
            added.append(part)
    # The additions are a separate operand: rules look at neighbours in the condition's own form.
    return And(conjunction(tuple(added)), condition) if added else condition


def _on_equal_columns(equal: Expression, given: tuple[Expression, ...]) -> list[Expression]:
    """The other conditions, with a column replaced by one that it is equal to."""
    if not isinstance(equal, Comparison) or equal.operator != "=":
        return []
    left, right = equal.left, equal.right
    if not isinstance(left, Column) or not isinstance(right, Column):
        return []
    others = [
        part
        for part in given
        if part != equal
        and part != Comparison("<=>", left, right)
        and not (isinstance(part, Not) and isinstance(part.operand, IsNull))
    ]
    pairs = [(left, right), (right, left)]
    if left.type != right.type:
        # The narrower column is cast, and the cast can stand for the wider one, not vice versa.
        pairs = [pair for pair in pairs if pair[0].type.rank > pair[1].type.rank]
    inferred = []
    for old, new in pairs:
        inferred += [_renamed(part, old, new) for part in others]
    return [part for part in inferred if part not in others]


def _renamed(expression: Expression, old: Column, new: Column) -> Expression:
    if expression == old:
        return new
    return with_parts(expression, lambda part: _renamed(part, old, new))


def _not_null(condition: Expression) -> tuple[Column, ...]:
    """The columns that cannot be NULL where the condition is TRUE, by its form alone."""
    if isinstance(condition, Not) and isinstance(condition.operand, IsNull):
        return _not_null(condition.operand.operand)
    if isinstance(condition, Column):
        return (condition,)
    if not null_if_null(condition):
        return ()
    return tuple(column for part in expressions.children(condition) for column in _not_null(part))
