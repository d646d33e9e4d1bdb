"""Expressions in the SQL that delta-rs understands (DataFusion's), with their Spark meaning.

Where the two dialects read one text differently, the text is chosen so that the meaning stays:
a quotient is a double, names keep their case, a quote in a string is doubled. ``<=>`` is spelled
out, because delta-rs cannot evaluate IS NOT DISTINCT FROM on file statistics.
"""

from __future__ import annotations

import datetime
from decimal import Decimal

from model.expressions import (
    Aggregate,
    And,
    Arithmetic,
    Case,
    Coalesce,
    Column,
    Comparison,
    Expression,
    InList,
    IsNull,
    Literal,
    Not,
    Or,
)
from model.history import Value
from model.types import ColumnType


def datafusion_sql(expression: Expression) -> str:
    """The expression as DataFusion SQL. Raises TypeError for an aggregate."""
    match expression:
        case Column():
            return _name(expression.name)
        case Literal():
            return datafusion_literal(expression.value)
        case Comparison(operator="<=>"):
            return _null_safe(expression.left, expression.right)
        case Comparison():
            return _binary(expression.left, expression.operator, expression.right)
        case Arithmetic(operator="/"):
            left, right = datafusion_sql(expression.left), datafusion_sql(expression.right)
            return f"(CAST({left} AS DOUBLE) / CAST({right} AS DOUBLE))"
        case Arithmetic():
            return _binary(expression.left, expression.operator, expression.right)
        case And():
            return _binary(expression.left, "AND", expression.right)
        case Or():
            return _binary(expression.left, "OR", expression.right)
        case Not(operand=IsNull(operand=operand)):
            return f"({datafusion_sql(operand)} IS NOT NULL)"
        case Not():
            return f"(NOT {datafusion_sql(expression.operand)})"
        case IsNull():
            return f"({datafusion_sql(expression.operand)} IS NULL)"
        case InList():
            options = ", ".join(map(datafusion_sql, expression.options))
            return f"({datafusion_sql(expression.operand)} IN ({options}))"
        case Coalesce():
            return f"coalesce({', '.join(map(datafusion_sql, expression.operands))})"
        case Case():
            whens = " ".join(
                f"WHEN {datafusion_sql(c)} THEN {datafusion_sql(v)}" for c, v in expression.branches
            )
            return f"(CASE {whens} ELSE {datafusion_sql(expression.otherwise)} END)"
        case Aggregate():
            raise TypeError("an aggregate is no part of a condition or an assignment")


def assigned_sql(expression: Expression, target: ColumnType) -> str:
    """An assignment's value, cast where the types are numbers that differ."""
    text = datafusion_sql(expression)
    if target.family == "number" and expression.type.family == "number":
        return f"CAST({text} AS {target})"
    return text


def datafusion_literal(value: Value) -> str:
    """A SQL value as DataFusion writes it."""
    match value:
        case None:
            return "NULL"
        case bool():
            return "true" if value else "false"
        case str():
            return "'" + value.replace("'", "''") + "'"
        case datetime.datetime():
            # A TIMESTAMP literal has another type than the column, and no comparison takes both.
            text = value.isoformat()
            return f"arrow_cast('{text}Z', 'Timestamp(Microsecond, Some(\"UTC\"))')"
        case datetime.date():
            return f"DATE '{value.isoformat()}'"
        case Decimal():
            return format(value, "f")
        case float():
            return f"CAST({value!r} AS DOUBLE)"
        case _:
            return str(value)


def _name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _binary(left: Expression, operator: str, right: Expression) -> str:
    return f"({datafusion_sql(left)} {operator} {datafusion_sql(right)})"


def _null_safe(left: Expression, right: Expression) -> str:
    a, b = datafusion_sql(left), datafusion_sql(right)
    if b == "NULL":
        return f"({a} IS NULL)"
    if a == "NULL":
        return f"({b} IS NULL)"
    return (
        f"((({a} = {b}) AND ({a} IS NOT NULL) AND ({b} IS NOT NULL))"
        f" OR (({a} IS NULL) AND ({b} IS NULL)))"
    )
