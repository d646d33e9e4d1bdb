"""The rows on which a condition fails: Spark aborts a statement that evaluates it on one.

A failure is a result, too: the presence of a row on which a statement fails changes the result of
the statement. So such a row counts as read (``checker.judging.dependencies``).
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from itertools import count
from typing import Any

import z3

from checker.robustness.symbolic.expressions import Reader
from model.expressions.syntax import (
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
    walk,
)
from model.values.types import DOUBLE

_names = count()
_SAFE = frozenset(
    {
        *("add_months", "date_add", "date_sub"),
        *("concat", "contains", "datediff", "day", "endswith", "greatest", "isnan", "least"),
        *("left", "length", "like", "lower", "ltrim", "month", "replace", "right", "rtrim"),
        *("startswith", "substring", "trim", "upper", "year"),
    }
)
"""Functions that never fail."""

_CASTS = frozenset({("timestamp", "date"), ("date", "timestamp")})
"""Casts that never fail, besides those to strings."""

_LARGEST_PRECISION = 38
"""The largest decimal precision; below it, a result type is wide enough for every value."""


def fails(over: Reader, expression: Expression) -> Any:
    """A formula that allows at least the rows on which an expression fails.

    AND and OR evaluate their second operand only if the first leaves the answer open.
    """
    match expression:
        case Column() | Literal():
            return z3.BoolVal(False)
        case And(left=left, right=right):
            open_ = z3.Not(over.truth(left).false)
            return _any(fails(over, left), _then(open_, over, right))
        case Or(left=left, right=right):
            open_ = z3.Not(over.truth(left).true)
            return _any(fails(over, left), _then(open_, over, right))
        case Not(operand=operand) | IsNull(operand=operand):
            return fails(over, operand)
        case Comparison(left=left, right=right):
            return _any(fails(over, left), fails(over, right))
        case InList(operand=operand, options=options):
            return _any(*(fails(over, part) for part in (operand, *options)))
        case Arithmetic(operator=operator, left=left, right=right, type=type_):
            below = [fails(over, left), fails(over, right)]
            if not _can_fail(expression):
                return _any(*below)
            if type_.bits and operator in "+-":
                cell = over.cell(expression)
                most = 2 ** (type_.bits - 1)
                beyond = z3.Or(cell.term >= most, cell.term < -most)
                return _any(*below, z3.And(z3.Not(cell.null), beyond))
            return _any(*below, _perhaps())
        case Function(name=name, operands=operands):
            below = [fails(over, part) for part in operands]
            return _any(*below) if name in _SAFE else _any(*below, _perhaps())
        case Coalesce(operands=operands):
            return _any(*(fails(over, part) for part in operands))
        case Case(branches=branches, otherwise=otherwise):
            parts = [part for branch in branches for part in branch]
            return _any(*(fails(over, part) for part in (*parts, otherwise)))
        case Cast(operand=operand) if not _can_fail(expression):
            return fails(over, operand)
    return _perhaps()


def order_matters(condition: Expression) -> bool:
    """Whether a part of AND or OR can fail: then the order of evaluation decides whether it does.

    The engine evaluates partitions and statistics first, so its record of the rows read may lack a
    row on which the condition fails as it is written.
    """
    if not can_fail(condition) or _any_of(condition):
        return False
    return any(isinstance(node, And | Or) for node in walk(condition))


def _any_of(condition: Expression) -> bool:
    """Whether OR alone joins the parts: no file is skipped then, since a part can fail anywhere.

    A file is skipped only if statistics rule out every part, which none does for one that fails.
    """
    if isinstance(condition, Or):
        return _any_of(condition.left) and _any_of(condition.right)
    parts = list(walk(condition))
    joined = any(isinstance(node, And | Or | Not | Case | Coalesce) for node in parts)
    return not joined and (not can_fail(condition) or _only_arithmetic(parts))


def _only_arithmetic(parts: Sequence[Expression]) -> bool:
    return not any(isinstance(node, Cast | Function) for node in parts)


def can_fail(condition: Expression) -> bool:
    """Whether any part of a condition fails on some values."""
    return any(map(_can_fail, walk(condition)))


def _can_fail(expression: Expression) -> bool:
    """Whether the outermost operation of an expression fails on some values."""
    match expression:
        case Arithmetic(operator="%", right=Literal(value=value)) if _is_number(value):
            return value == 0
        case Arithmetic(operator=operator, type=type_):
            widened = 0 < type_.precision < _LARGEST_PRECISION
            return operator not in "+-*" or not (type_ == DOUBLE or widened)
        case Function(name=name):
            return name not in _SAFE
        case Cast(operand=operand, type=type_):
            return type_.family != "string" and (operand.type.family, type_.family) not in _CASTS
    return False


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool)


def _then(when: Any, over: Reader, expression: Expression) -> Any:
    failure = fails(over, expression)
    return failure if z3.is_false(failure) else z3.And(when, failure)


def _any(*formulas: Any) -> Any:
    possible = [formula for formula in formulas if not z3.is_false(formula)]
    return z3.Or(*possible) if possible else z3.BoolVal(False)


def _perhaps() -> Any:
    return z3.Bool(f"failure{next(_names)}")
