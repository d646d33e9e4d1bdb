"""Expressions in the SQL that delta-rs understands (DataFusion's), with their Spark meaning.

Where the two dialects read the same text differently, the printed text keeps Spark's meaning:
a quotient is a double, names keep their case, a quote in a string is doubled. ``<=>`` is spelled
out, because delta-rs cannot evaluate IS NOT DISTINCT FROM on file statistics.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable
from decimal import Decimal

from model.expressions.syntax import (
    Aggregate,
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
    Opaque,
    Or,
)
from model.history import Value
from model.values.types import ColumnType

Naming = Callable[[Column], str]
"""Prints a column."""


def quoted(name: str) -> str:
    """A quoted name, so that it keeps its case."""
    return '"' + name.replace('"', '""') + '"'


def own_name(column: Column) -> str:
    """A column of the only table in scope."""
    return quoted(column.name)


def datafusion_sql(expression: Expression, naming: Naming = own_name) -> str:
    """The expression as DataFusion SQL. Raises TypeError where delta-rs has no equivalent."""

    def sql(part: Expression) -> str:
        return datafusion_sql(part, naming)

    match expression:
        case Column():
            return naming(expression)
        case Literal():
            return datafusion_literal(expression.value)
        case Comparison(operator="<=>"):
            return _null_safe(sql(expression.left), sql(expression.right))
        case Comparison(left=Literal(value=None), right=Literal()):
            return "CAST(NULL AS BOOLEAN)"  # NULL without a type compares with no string.
        case Comparison():
            return f"({sql(expression.left)} {expression.operator} {sql(expression.right)})"
        case Arithmetic(operator="/"):
            left, right = sql(expression.left), sql(expression.right)
            return f"(CAST({left} AS DOUBLE) / CAST({right} AS DOUBLE))"
        case Arithmetic():
            return f"({sql(expression.left)} {expression.operator} {sql(expression.right)})"
        case And():
            return f"({sql(expression.left)} AND {sql(expression.right)})"
        case Or():
            return f"({sql(expression.left)} OR {sql(expression.right)})"
        case Not(operand=IsNull(operand=operand)):
            return f"({sql(operand)} IS NOT NULL)"
        case Not():
            return f"(NOT {sql(expression.operand)})"
        case IsNull():
            return f"({sql(expression.operand)} IS NULL)"
        case InList():
            options = ", ".join(map(sql, expression.options))
            return f"({sql(expression.operand)} IN ({options}))"
        case Coalesce():
            return f"coalesce({', '.join(map(sql, expression.operands))})"
        case Case():
            whens = " ".join(f"WHEN {sql(c)} THEN {sql(v)}" for c, v in expression.branches)
            return f"(CASE {whens} ELSE {sql(expression.otherwise)} END)"
        case Aggregate():
            raise TypeError("an aggregate cannot be part of a condition or an assignment")
        case Cast() | Function() | Opaque():
            raise TypeError(f"{expression} is not in the profile's SQL")


def assigned_sql(expression: Expression, target: ColumnType, naming: Naming = own_name) -> str:
    """An assignment's value, cast if it is a number of another type than the column."""
    text = datafusion_sql(expression, naming)
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
            # A TIMESTAMP literal has another type than the column, and comparisons reject the mix.
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


def _null_safe(a: str, b: str) -> str:
    if b == "NULL":
        return f"({a} IS NULL)"
    if a == "NULL":
        return f"({b} IS NULL)"
    return (
        f"((({a} = {b}) AND ({a} IS NOT NULL) AND ({b} IS NOT NULL))"
        f" OR (({a} IS NULL) AND ({b} IS NULL)))"
    )
