"""Conditions as Spark's optimizer leaves them, as far as that shows in a footprint.

The engine splits a condition into what partition values decide and the rest only after the
optimizer has been at it, so ``NOT (p = 1 OR v = 2)`` does name a partition, and ``v = NULL``
reads no file at all. Each function is one optimizer rule, named as in Spark's source
(optimizer/expressions.scala); all keep the meaning of the condition.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from model import expressions, types
from model.errors import StatementFailure
from model.evaluation import evaluator
from model.expressions import (
    Aggregate,
    And,
    Arithmetic,
    Column,
    Comparison,
    Expression,
    InList,
    IsNull,
    Literal,
    Not,
    Or,
    conjunction,
    conjuncts,
)

_TRUE, _FALSE = Literal(True, types.BOOLEAN), Literal(False, types.BOOLEAN)
_NEGATED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}


@lru_cache(maxsize=4096)
def simplify(condition: Expression) -> Expression:
    """The condition as the optimizer leaves it in any statement."""
    while True:
        simpler = _everywhere(condition, _rules)
        if simpler == condition:
            return condition
        condition = simpler


@lru_cache(maxsize=4096)
def simplify_filter(condition: Expression) -> Expression:
    """The condition as the optimizer leaves it in a query's WHERE, where it does more."""
    while True:
        simpler = simplify(constant_propagation(simplify(condition)))
        if simpler == condition:
            return condition
        condition = simpler


def _rules(expression: Expression) -> Expression:
    for rule in (
        constant_folding,
        null_propagation,
        optimize_in,
        boolean_simplification,
        common_factors,
    ):
        expression = rule(expression)
    return expression


def _everywhere(expression: Expression, rule: Callable[[Expression], Expression]) -> Expression:
    """The expression with a rule applied to its parts and then to itself."""
    match expression:
        case And():
            inner: Expression = And(
                _everywhere(expression.left, rule), _everywhere(expression.right, rule)
            )
        case Or():
            inner = Or(_everywhere(expression.left, rule), _everywhere(expression.right, rule))
        case Not():
            inner = Not(_everywhere(expression.operand, rule))
        case _:
            inner = expression
    return rule(inner)


def constant_folding(expression: Expression) -> Expression:
    """An expression without columns is its value, unless computing it fails."""
    if isinstance(expression, Literal | Column | Aggregate) or expressions.columns(expression):
        return expression
    if any(isinstance(part, Aggregate) for part in expressions.walk(expression)):
        return expression
    try:
        return Literal(evaluator(expression)(()), expression.type)
    except StatementFailure:
        return expression


def null_propagation(expression: Expression) -> Expression:
    """A comparison with NULL is NULL; so is NULL IN (...)."""
    match expression:
        case Comparison(operator=op, left=left, right=right) if op != "<=>":
            if any(isinstance(side, Literal) and side.value is None for side in (left, right)):
                return Literal(None, types.BOOLEAN)
        case Comparison(operator="<=>", left=left, right=Literal(value=None)):
            return IsNull(left)
        case Comparison(operator="<=>", left=Literal(value=None), right=right):
            return IsNull(right)
        case InList(options=options) if all(
            isinstance(o, Literal) and o.value is None for o in options
        ):
            return Literal(None, types.BOOLEAN)
    return expression


def optimize_in(expression: Expression) -> Expression:
    """IN with one option is a comparison; options that repeat are dropped."""
    if not isinstance(expression, InList):
        return expression
    options = tuple(dict.fromkeys(expression.options))
    if len(options) == 1:
        return Comparison("=", expression.operand, options[0])
    return InList(expression.operand, options)


def boolean_simplification(expression: Expression) -> Expression:
    """Constants in AND and OR, double negation, De Morgan, negated order comparisons."""
    match expression:
        case And(left=left, right=right):
            if _FALSE in (left, right):
                return _FALSE
            if left == _TRUE:
                return right
            if right == _TRUE or left == right:
                return left
        case Or(left=left, right=right):
            if _TRUE in (left, right):
                return _TRUE
            if left == _FALSE:
                return right
            if right == _FALSE or left == right:
                return left
        case Not(operand=operand):
            return _negation(expression, operand)
    return expression


def _negation(expression: Expression, operand: Expression) -> Expression:
    match operand:
        case Not():
            return operand.operand
        case And():
            return Or(Not(operand.left), Not(operand.right))
        case Or():
            return And(Not(operand.left), Not(operand.right))
        case Comparison(operator=op) if op in _NEGATED:
            return Comparison(_NEGATED[op], operand.left, operand.right)
        case Comparison(operator="<>"):
            # Spark has no node for <>: it is the negation of =.
            return Comparison("=", operand.left, operand.right)
    return expression


def common_factors(expression: Expression) -> Expression:
    """Takes what all sides of an OR have in common out of it: (a AND b) OR (a AND c)."""
    if not isinstance(expression, Or):
        return expression
    left, right = conjuncts(expression.left), conjuncts(expression.right)
    common = tuple(part for part in left if part in right)
    if not common:
        return expression
    rest = [tuple(part for part in side if part not in common) for side in (left, right)]
    if not all(rest):
        return conjunction(common)
    return conjunction((*common, Or(conjunction(rest[0]), conjunction(rest[1]))))


def constant_propagation(condition: Expression) -> Expression:
    """``k = 1 AND k > v`` is ``k = 1 AND 1 > v``: a column fixed by one conjunct is a constant."""
    parts = conjuncts(condition)
    fixed: dict[Expression, Literal] = {}
    origins: set[int] = set()
    for index, part in enumerate(parts):
        match part:
            case Comparison(operator="=", left=Column() as column, right=Literal() as literal):
                pass
            case Comparison(operator="=", left=Literal() as literal, right=Column() as column):
                pass
            case _:
                continue
        if column not in fixed:
            fixed[column] = literal
            origins.add(index)
    if not fixed:
        return condition
    return conjunction(
        tuple(
            part if index in origins else _substitute(part, fixed)
            for index, part in enumerate(parts)
        )
    )


def _substitute(expression: Expression, fixed: dict[Expression, Literal]) -> Expression:
    if expression in fixed:
        return fixed[expression]
    match expression:
        case And():
            return And(_substitute(expression.left, fixed), _substitute(expression.right, fixed))
        case Or():
            return Or(_substitute(expression.left, fixed), _substitute(expression.right, fixed))
        case Not():
            return Not(_substitute(expression.operand, fixed))
        case Comparison():
            return Comparison(
                expression.operator,
                _substitute(expression.left, fixed),
                _substitute(expression.right, fixed),
            )
        case Arithmetic():
            return Arithmetic(
                expression.operator,
                _substitute(expression.left, fixed),
                _substitute(expression.right, fixed),
                expression.type,
            )
        case InList():
            return InList(_substitute(expression.operand, fixed), expression.options)
    return expression
