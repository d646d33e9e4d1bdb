"""The types in which values of different types meet, as Spark's ANSI coercion finds them.

Source: AnsiTypeCoercion.scala. A string beside a value of another type is cast to that type, to
bigint beside any whole number and to double beside other numbers; a date beside a timestamp
becomes one.
"""

from __future__ import annotations

from functools import reduce

from sqlglot import exp

from model.errors import InvalidScenario, StatementFailure, UnsupportedSQL
from model.expressions.evaluation import evaluator
from model.expressions.syntax import (
    Arithmetic,
    Cast,
    Column,
    Comparison,
    Expression,
    Literal,
    Opaque,
    is_constant,
)
from model.values import types
from model.values.casts import castable
from model.values.types import BIGINT, DOUBLE, STRING, TIMESTAMP, ColumnType


def constant(expression: Expression) -> Literal:
    """The literal that an expression without columns comes to. Raises StatementFailure."""
    if isinstance(expression, Literal):
        return expression
    if isinstance(expression, Opaque) and expression.operands:
        raise UnsupportedSQL(f"{expression.text!r} is not a constant")
    return Literal(evaluator(expression)(()), expression.type)


def cast(expression: Expression, target: ColumnType, node: exp.Expr) -> Expression:
    """The expression as one of another type; a constant is cast at once.

    Raises UnsupportedSQL for a cast that the model does not know, InvalidScenario for a constant
    that is no value of the type: Spark fails the statement wherever there is a row.
    """
    if expression.type == target:
        return expression
    if expression.type.family == "null":
        return Literal(None, target) if isinstance(expression, Literal) else expression
    text = node.sql(dialect="spark")
    if not castable(expression.type, target):
        raise UnsupportedSQL(f"{text!r}: a cast from {expression.type} to {target} is unsupported")
    converted = Cast(expression, target)
    if not is_constant(expression):
        return converted
    try:
        return constant(converted)
    except StatementFailure as error:
        raise InvalidScenario(f"{text!r} always fails: {error} ({error.error_class})") from error


def comparison(operator: str, left: Expression, right: Expression, node: exp.Expr) -> Expression:
    """Two sides compared, constants taken to the type in which the sides meet.

    Raises UnsupportedSQL for two sides that Spark does not compare.
    """
    left, right = met((left, right), node)
    return Comparison(operator, left, right)


def met(sides: tuple[Expression, ...], node: exp.Expr) -> tuple[Expression, ...]:
    """The sides of a comparison as they compare with each other. Raises UnsupportedSQL."""
    if len({side.type for side in sides}) == 1:
        return sides
    families = {side.type.family for side in sides} - {"null"}
    if len(families) > 1:
        family = _shared(tuple(side.type for side in sides), node)
        sides = tuple(_into(side, family, node) for side in sides)
        if len({side.type for side in sides}) == 1:
            return sides
    sides = tuple(constant(side) if is_constant(side) else side for side in sides)
    common = common_type(tuple(_type_when_met(side, sides) for side in sides), node)
    return tuple(
        Literal(types.widen(side.value, common), common) if isinstance(side, Literal) else side
        for side in sides
    )


def _shared(kinds: tuple[ColumnType, ...], node: exp.Expr) -> ColumnType:
    """The type that values of several families are cast to where they meet."""
    families = {type_.family for type_ in kinds} - {"null"}
    if families == {"date", "timestamp"}:
        return TIMESTAMP
    others = families - {"string"}
    if "string" in families and len(others) == 1:
        (other,) = (
            (type_ for type_ in kinds if type_.family in others)
            if len(kinds) == 2
            else (reduce(types.wider, (type_ for type_ in kinds if type_.family in others)),)
        )
        if other.family != "number":
            return other
        return BIGINT if other.bits else DOUBLE
    names = " with ".join(str(type_) for type_ in kinds)
    raise UnsupportedSQL(
        f"{node.sql(dialect='spark')!r} compares {names}: "
        "Spark would cast one of them, the model does not"
    )


def _into(side: Expression, target: ColumnType, node: exp.Expr) -> Expression:
    """A side of another family cast; numbers stay as they are until they are compared."""
    if side.type.family in ("null", target.family):
        return side
    return cast(side, target, node)


def _type_when_met(side: Expression, sides: tuple[Expression, ...]) -> ColumnType:
    """A side's type; a whole constant in company of a decimal has only its own digits."""
    pair = len(sides) == 2 and any(other.type.precision for other in sides)
    if pair and isinstance(side, Literal):
        return types.literal_type(side.value, side.type)
    return side.type


def common_type(kinds: tuple[ColumnType, ...], node: exp.Expr) -> ColumnType:
    """The widest of some types of one family. Raises UnsupportedSQL where there is none."""
    try:
        return reduce(types.wider, kinds)
    except InvalidScenario as error:
        raise UnsupportedSQL(f"{node.sql(dialect='spark')!r}: {error}") from error


def as_string(expression: Expression, node: exp.Expr) -> Expression:
    """An argument where Spark takes text: values of other types are written out."""
    return cast(expression, STRING, node)


def check_storable(
    value: Expression, column: Column, overflow: str = types.INSERT_OVERFLOW
) -> None:
    """Refuses what the column cannot hold: a type, or a constant that is too large.

    Spark converts constants before it looks at any row, so they fail on every table.
    """
    if not types.storable(value.type, column.type):
        problem = f"column {column.name!r} is of type {column.type}, the value of type {value.type}"
        refused = types.NOT_CAST.get((value.type.family, column.type.family))
        if refused is not None:
            raise InvalidScenario(problem, error_class=f"DATATYPE_MISMATCH.CAST_{refused}")
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
