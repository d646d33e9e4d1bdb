"""Values that go into columns: what Spark converts, and what it refuses before it runs."""

from __future__ import annotations

from model.errors import InvalidScenario, UnsupportedSQL
from model.expressions.syntax import Arithmetic, Column, Expression, Literal, is_constant
from model.sql.expressions.coercion import constant
from model.values import types


def check_storable(
    value: Expression, column: Column, overflow: str = types.INSERT_OVERFLOW
) -> None:
    """Refuses what the column cannot hold: a type, or a constant that is too large.

    Spark converts constants before it looks at any row, so they fail on every table.
    """
    if not types.storable(value.type, column.type):
        problem = f"column {column.name!r} is of type {column.type}, the value of type {value.type}"
        if value.type.family == "date":
            raise InvalidScenario(
                problem, error_class="DATATYPE_MISMATCH.CAST_WITH_FUNC_SUGGESTION"
            )
        raise UnsupportedSQL(problem)
    if isinstance(value, Literal | Arithmetic) and is_constant(value):
        types.store(constant(value).value, column.type, overflow)


def check_width(width: int, positions: tuple[int, ...], listed: bool = False) -> None:
    """Refuses a row of values that is wider or narrower than the columns it is for.

    ``listed`` tells that the statement names the columns: Spark has other errors then.
    """
    if width == len(positions):
        return
    if listed:
        many = "TOO_MANY" if width > len(positions) else "NOT_ENOUGH"
        error_class = f"INSERT_COLUMN_ARITY_MISMATCH.{many}_DATA_COLUMNS"
    elif width > len(positions):
        error_class = "DELTA_METADATA_MISMATCH"
    else:
        error_class = "DELTA_INSERT_COLUMN_ARITY_MISMATCH"
    raise InvalidScenario(f"{width} values for {len(positions)} columns", error_class=error_class)
