"""Calls of the model's functions: put together, and computed at once where they are constant."""

from __future__ import annotations

from sqlglot import exp

from model.errors import InvalidScenario, StatementFailure, UnsupportedSQL
from model.expressions.syntax import Expression, Function, is_constant
from model.sql.expressions.coercion import constant
from model.values.types import ColumnType


def call(name: str, type_: ColumnType, *operands: Expression) -> Expression:
    """A call of a function of the model; one of constants is computed at once.

    Raises InvalidScenario for constants that it fails on.
    """
    result = Function(name, operands, type_)
    if not is_constant(result):
        return result
    try:
        return constant(result)
    except StatementFailure as error:
        raise InvalidScenario(f"{name} always fails: {error}") from error


def refused(node: exp.Expr, why: str) -> UnsupportedSQL:
    """The error of a call that is not supported."""
    return UnsupportedSQL(f"{node.sql(dialect='spark')!r}: {why}")


def part(node: exp.Expr, key: str) -> exp.Expr:
    """An argument of a call. Raises UnsupportedSQL if it is missing."""
    argument = node.args.get(key)
    if not isinstance(argument, exp.Expr):
        raise refused(node, f"{key} is missing")
    return argument
