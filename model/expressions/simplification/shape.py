"""Views of expressions for the rules: their parts, equality up to spelling, nullability."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

from model.expressions.functions import MEANINGS
from model.expressions.syntax import (
    And,
    Arithmetic,
    Case,
    Cast,
    Coalesce,
    Comparison,
    Expression,
    Function,
    InList,
    IsNull,
    Literal,
    Not,
    Opaque,
    Or,
)
from model.values import types

FALSE = Literal(False, types.BOOLEAN)
UNKNOWN = Literal(None, types.BOOLEAN)

MIRRORED = {"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<=", "<=>": "<=>"}
"""Each comparison with its sides exchanged."""

Rule = Callable[[Expression], Expression]


def everywhere(expression: Expression, rule: Rule) -> Expression:
    """The expression with a rule applied to its parts and then to itself."""
    return rule(with_parts(expression, lambda part: everywhere(part, rule)))


def with_parts(expression: Expression, change: Rule) -> Expression:
    """The expression with each of its direct parts changed."""
    match expression:
        case And():
            return And(change(expression.left), change(expression.right))
        case Or():
            return Or(change(expression.left), change(expression.right))
        case Not():
            return Not(change(expression.operand))
        case IsNull():
            return IsNull(change(expression.operand))
        case Comparison():
            return Comparison(
                expression.operator, change(expression.left), change(expression.right)
            )
        case Arithmetic():
            return Arithmetic(
                expression.operator,
                change(expression.left),
                change(expression.right),
                expression.type,
            )
        case InList():
            return InList(change(expression.operand), tuple(map(change, expression.options)))
        case Coalesce():
            return Coalesce(tuple(map(change, expression.operands)), expression.type)
        case Cast():
            return Cast(change(expression.operand), expression.type)
        case Opaque():
            return replace(expression, operands=tuple(map(change, expression.operands)))
        case Function():
            operands = tuple(map(change, expression.operands))
            return Function(expression.name, operands, expression.type)
        case Case():
            branches = tuple((change(when), change(then)) for when, then in expression.branches)
            return Case(branches, change(expression.otherwise), expression.type)
    return expression


def plain_negations(expression: Expression) -> Expression:
    """``a <> b`` as ``NOT a = b``, the only form that Spark has for it."""
    if isinstance(expression, Comparison) and expression.operator == "<>":
        return Not(Comparison("=", expression.left, expression.right))
    return expression


def same(one: Expression, other: Expression) -> bool:
    """Whether two expressions are equal up to the order of commutative operands.

    Source: Canonicalize.scala.
    """
    return one == other or _canonical(one) == _canonical(other)


def among(expression: Expression, others: tuple[Expression, ...]) -> bool:
    """Whether one of the others is the same expression."""
    return any(same(expression, other) for other in others)


@lru_cache(maxsize=16384)
def _canonical(expression: Expression) -> tuple[object, ...]:
    match expression:
        case And() | Or():
            kind = type(expression)
            return (kind.__name__, *sorted(map(repr, map(_canonical, flat(expression, kind)))))
        case Comparison(operator=operator, left=left, right=right):
            one, other = _canonical(left), _canonical(right)
            if repr(other) < repr(one):
                one, other, operator = other, one, MIRRORED[operator]
            return (operator, one, other)
        case Arithmetic(operator="+" | "*" as operator):
            parts = sorted(repr(_canonical(part)) for part in flat_sum(expression))
            return (operator, str(expression.type), *parts)
        case InList(operand=operand, options=options):
            return ("in", _canonical(operand), *sorted(repr(_canonical(o)) for o in options))
        case Literal(value=value, type=type_):
            return ("literal", repr(value), str(type_))
        case Not(operand=operand):
            return ("not", _canonical(operand))
        case Cast(operand=operand, type=type_):
            return ("cast", _canonical(operand), str(type_))
        case Function(name=name, operands=operands):
            return (name, *map(_canonical, operands))
    return ("other", repr(expression))


def flat(expression: Expression, kind: type[And] | type[Or]) -> tuple[Expression, ...]:
    """The operands of AND (or OR) at the top of a condition."""
    if isinstance(expression, kind):
        return flat(expression.left, kind) + flat(expression.right, kind)
    return (expression,)


def joined(parts: tuple[Expression, ...], kind: type[And] | type[Or]) -> Expression:
    """The parts, at least one, joined by AND (or OR)."""
    result = parts[0]
    for part in parts[1:]:
        result = kind(result, part)
    return result


def flat_sum(expression: Expression) -> tuple[Expression, ...]:
    """The terms of a sum, or the factors of a product; an expression that is neither alone."""
    if not isinstance(expression, Arithmetic):
        return (expression,)
    terms: tuple[Expression, ...] = ()
    for part in (expression.left, expression.right):
        alike = (
            isinstance(part, Arithmetic)
            and part.operator == expression.operator
            and part.type == expression.type
        )
        terms += flat_sum(part) if alike else (part,)
    return terms


def nullable(expression: Expression) -> bool:
    """Whether an expression can be NULL, as far as its form tells. Columns always can."""
    match expression:
        case Literal(value=value):
            return value is None
        case IsNull() | Comparison(operator="<=>"):
            return False
        case And() | Or() | Comparison() | Arithmetic():
            return nullable(expression.left) or nullable(expression.right)
        case Not(operand=operand) | Cast(operand=operand):
            return nullable(operand)
        case Function(name=name, operands=operands):
            if name in ("greatest", "least"):
                return all(map(nullable, operands))
            return name != "isnan" and any(map(nullable, operands))
        case InList(operand=operand, options=options):
            return nullable(operand) or any(map(nullable, options))
        case Coalesce(operands=operands):
            return all(map(nullable, operands))
        case Case():
            values = (*(then for _, then in expression.branches), expression.otherwise)
            return any(map(nullable, values))
    return True


def null_if_null(expression: Expression) -> bool:
    """Whether one NULL among its direct parts makes the expression NULL (``NullIntolerant``)."""
    match expression:
        case Comparison(operator=operator):
            return operator != "<=>"
        case Arithmetic() | Not() | Cast():
            return True
        case Function(name=name):
            return MEANINGS[name].strict
    return False


def is_null(expression: Expression) -> bool:
    """Whether an expression is the constant NULL."""
    return isinstance(expression, Literal) and expression.value is None


def falsely(expression: Expression) -> Expression:
    """FALSE where the expression is known, NULL where it is not."""
    return And(IsNull(expression), UNKNOWN)


def truly(expression: Expression) -> Expression:
    """TRUE where the expression is known, NULL where it is not."""
    return Or(Not(IsNull(expression)), UNKNOWN)
