"""Calls of Spark's scalar functions, from sqlglot's tree to the model's expressions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from sqlglot import exp

from model.errors import InvalidScenario, StatementFailure, UnsupportedSQL
from model.expressions.syntax import Case, Expression, Function, IsNull, Literal, Not, is_constant
from model.sql.expressions.coercion import as_string, cast, common_type, comparison, constant
from model.values import types
from model.values.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    INT,
    NULL,
    STRING,
    TIMESTAMP,
    ColumnType,
)

if TYPE_CHECKING:
    from model.sql.expressions.scalar import Scope

Resolver = Callable[["Scope", exp.Expr], Expression]


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


def _refused(node: exp.Expr, why: str) -> UnsupportedSQL:
    return UnsupportedSQL(f"{node.sql(dialect='spark')!r}: {why}")


def _part(node: exp.Expr, key: str) -> exp.Expr:
    part = node.args.get(key)
    if not isinstance(part, exp.Expr):
        raise _refused(node, f"{key} is missing")
    return part


def _only(node: exp.Expr, *allowed: str) -> None:
    extra = [key for key, value in node.args.items() if value and key not in allowed]
    if extra:
        raise _refused(node, f"{extra[0]} is not supported")


def _text(scope: Scope, node: exp.Expr, key: str) -> Expression:
    return as_string(scope.resolve(_part(node, key)), node)


def _count(scope: Scope, node: exp.Expr, key: str) -> Expression:
    """A number of characters or days: an int."""
    number = scope.resolve(_part(node, key))
    if number.type not in (INT, NULL):
        raise _refused(node, f"an int was expected, not {number.type}")
    return number if number.type is INT else Literal(None, INT)


def _day(scope: Scope, node: exp.Expr, key: str = "this") -> Expression:
    """A date: sqlglot wraps some in a conversion that Spark does anyway."""
    part = _part(node, key)
    if isinstance(part, exp.TsOrDsToDate):
        part = _part(part, "this")
    return cast(scope.resolve(part), DATE, node)


def _of_text(name: str, type_: ColumnType, *more: str) -> Resolver:
    """A function of texts, the first in the argument ``this``, others by their names."""

    def resolve(scope: Scope, node: exp.Expr) -> Expression:
        _only(node, "this", *more)
        return call(name, type_, *(_text(scope, node, key) for key in ("this", *more)))

    return resolve


def _trim(scope: Scope, node: exp.Expr) -> Expression:
    _only(node, "this", "position")
    names = {"LEADING": "ltrim", "TRAILING": "rtrim"}
    name = names.get(str(node.args.get("position") or "").upper(), "trim")
    return call(name, STRING, _text(scope, node, "this"))


def _substring(scope: Scope, node: exp.Expr) -> Expression:
    _only(node, "this", "start", "length")
    keys = [key for key in ("start", "length") if node.args.get(key) is not None]
    counts = (_count(scope, node, key) for key in keys)
    return call("substring", STRING, _text(scope, node, "this"), *counts)


def _end(name: str) -> Resolver:
    def resolve(scope: Scope, node: exp.Expr) -> Expression:
        return call(name, STRING, _text(scope, node, "this"), _count(scope, node, "expression"))

    return resolve


def _concat(scope: Scope, node: exp.Expr) -> Expression:
    parts = node.expressions or [node.args["this"], node.args["expression"]]
    texts = tuple(as_string(scope.resolve(part), node) for part in parts)
    return call("concat", STRING, *texts)


def _like(scope: Scope, node: exp.Expr) -> Expression:
    _only(node, "this", "expression", "negate")
    text, pattern = _text(scope, node, "this"), _text(scope, node, "expression")
    if not isinstance(pattern, Literal):
        raise _refused(node, "only a constant pattern is supported")
    if isinstance(pattern.value, str) and "\\" in pattern.value:
        raise _refused(node, "a backslash in a pattern is not supported")
    matches = call("like", BOOLEAN, text, pattern)
    return Not(matches) if node.args.get("negate") else matches


def _absolute(scope: Scope, node: exp.Expr) -> Expression:
    operand = scope.resolve(_part(node, "this"))
    if operand.type.family != "number":
        raise _refused(node, f"abs of {operand.type} is not supported")
    name = f"abs_{operand.type}" if operand.type.bits else "abs"
    return call(name, operand.type, operand)


def _whole(name: str) -> Resolver:
    def resolve(scope: Scope, node: exp.Expr) -> Expression:
        _only(node, "this")
        operand = scope.resolve(_part(node, "this"))
        if operand.type.family != "number" or operand.type.precision:
            raise _refused(node, f"{name} of {operand.type} is not supported")
        return call(name, BIGINT, operand)

    return resolve


def _round(scope: Scope, node: exp.Expr) -> Expression:
    _only(node, "this", "decimals")
    operand = scope.resolve(_part(node, "this"))
    digits = node.args.get("decimals")
    places = 0 if digits is None else constant(scope.resolve(digits)).value
    if not isinstance(places, int) or places < 0 or operand.type.family != "number":
        raise _refused(node, "only numbers are rounded, to a constant number of digits")
    type_ = operand.type
    if type_.bits:
        return operand
    if type_.precision:
        scale = min(places, type_.scale)
        whole = type_.precision - type_.scale + 1
        type_ = types.decimal(min(whole + scale, 38), scale)
        places = scale
    return call("round", type_, operand, Literal(places, INT))


def _extreme(name: str) -> Resolver:
    def resolve(scope: Scope, node: exp.Expr) -> Expression:
        operands = tuple(map(scope.resolve, (node.args["this"], *node.expressions)))
        if len(operands) < 2 or len({o.type.family for o in operands} - {"null"}) != 1:
            raise _refused(node, f"{name} takes two values or more, of one kind")
        type_ = common_type(tuple(operand.type for operand in operands), node)
        return call(name, type_, *(cast(operand, type_, node) for operand in operands))

    return resolve


def _if(scope: Scope, node: exp.Expr) -> Expression:
    condition = scope.boolean(_part(node, "this"))
    otherwise = node.args.get("false")
    return _choice(scope, node, condition, scope.resolve(_part(node, "true")), otherwise)


def _choice(
    scope: Scope, node: exp.Expr, condition: Expression, then: Expression, other: exp.Expr | None
) -> Expression:
    otherwise = Literal(None, NULL) if other is None else scope.resolve(other)
    if len({then.type.family, otherwise.type.family} - {"null"}) > 1:
        raise _refused(node, f"{then.type} and {otherwise.type} are not mixed")
    type_ = common_type((then.type, otherwise.type), node)
    return Case(((condition, then),), otherwise, type_)


def _nvl2(scope: Scope, node: exp.Expr) -> Expression:
    tested = Not(IsNull(scope.resolve(_part(node, "this"))))
    then = scope.resolve(_part(node, "true"))
    return _choice(scope, node, tested, then, node.args.get("false"))


def _nullif(scope: Scope, node: exp.Expr) -> Expression:
    left, right = scope.resolve(_part(node, "this")), scope.resolve(_part(node, "expression"))
    equal = comparison("=", left, right, node)
    return Case(((equal, Literal(None, left.type)),), left, left.type)


def _distinct_from(scope: Scope, node: exp.Expr) -> Expression:
    inner = exp.NullSafeEQ(this=node.args["this"].copy(), expression=node.args["expression"].copy())
    return Not(scope.resolve(inner))


def _is_nan(scope: Scope, node: exp.Expr) -> Expression:
    operand = scope.resolve(_part(node, "this"))
    if operand.type is not DOUBLE:
        raise _refused(node, f"isnan of {operand.type} is not supported")
    return call("isnan", BOOLEAN, operand)


def _field(name: str) -> Resolver:
    return lambda scope, node: call(name, INT, _day(scope, node))


def _to_date(scope: Scope, node: exp.Expr) -> Expression:
    _only(node, "this", "safe")
    return _day(scope, node)


def _date_add(scope: Scope, node: exp.Expr) -> Expression:
    """date_add, and date_sub: sqlglot turns the latter into the former with a product by -1."""
    if str(node.args.get("unit") or "DAY").upper() != "DAY":
        raise _refused(node, "only days are added")
    days = _part(node, "expression")
    name = "date_add"
    if isinstance(days, exp.Mul) and isinstance(days.expression, exp.Neg):
        name, days = "date_sub", days.this
        days = days.this if isinstance(days, exp.Paren) else days
    count = scope.resolve(days)
    if count.type is not INT:
        raise _refused(node, f"an int was expected, not {count.type}")
    return call(name, DATE, _day(scope, node), count)


def _date_diff(scope: Scope, node: exp.Expr) -> Expression:
    _only(node, "this", "expression")
    return call("datediff", INT, _day(scope, node), _day(scope, node, "expression"))


_SECONDS = {"SECOND": 1, "MINUTE": 60, "HOUR": 3600, "DAY": 86400}
_MONTHS = {"MONTH": 1, "YEAR": 12}


def moved(sign: int, moment: Expression, node: exp.Interval) -> Expression:
    """A date or timestamp with an interval of one unit added, or taken away. Raises likewise."""
    text = node.args["this"]
    unit = str(node.args.get("unit") or "").upper().rstrip("S")
    digits = text.this if isinstance(text, exp.Literal) else ""
    if not digits.lstrip("-").isdigit() or unit not in (*_SECONDS, *_MONTHS):
        raise _refused(node, "only intervals of one whole number and one unit are supported")
    amount = sign * int(digits)
    if moment.type is DATE and unit in _MONTHS:
        return call("add_months", DATE, moment, Literal(amount * _MONTHS[unit], INT))
    if moment.type is DATE and unit == "DAY":
        return call("date_add", DATE, moment, Literal(amount, INT))
    if moment.type is TIMESTAMP and unit in _SECONDS:
        return call("plus_seconds", TIMESTAMP, moment, Literal(amount * _SECONDS[unit], BIGINT))
    raise _refused(node, f"it is not added to a {moment.type}")


def day_arithmetic(symbol: str, left: Expression, right: Expression, node: exp.Expr) -> Expression:
    """``day + 1``, ``1 + day`` and ``day - 1``. Raises UnsupportedSQL for anything else."""
    if symbol == "+" and right.type is DATE:
        left, right = right, left
    if symbol not in ("+", "-") or left.type is not DATE or right.type is not INT:
        raise _refused(node, f"arithmetic on {left.type} and {right.type} is not supported")
    return call("date_add" if symbol == "+" else "date_sub", DATE, left, right)


def _anonymous(scope: Scope, node: exp.Expr) -> Expression:
    name = str(node.this).lower()
    operands = tuple(map(scope.resolve, node.expressions))
    match name, operands:
        case "isnull", (operand,):
            return IsNull(operand)
        case "isnotnull", (operand,):
            return Not(IsNull(operand))
        case "pmod", (one, other) if one.type.bits and other.type.bits:
            type_ = types.wider(one.type, other.type)
            return call("pmod", type_, one, other)
        case "bigint" | "decimal" | "boolean" | "timestamp", (operand,):
            target = types.decimal(10, 0) if name == "decimal" else types.parse_type(name)
            return cast(operand, target, node)
    raise UnsupportedSQL(f"{node.sql(dialect='spark')!r} is not supported (function {name})")


FUNCTIONS: dict[type[exp.Expr], Resolver] = {
    exp.Abs: _absolute,
    exp.Anonymous: _anonymous,
    exp.Ceil: _whole("ceil"),
    exp.Concat: _concat,
    exp.Contains: _of_text("contains", BOOLEAN, "expression"),
    exp.DateDiff: _date_diff,
    exp.Day: _field("day"),
    exp.DayOfMonth: _field("day"),
    exp.DPipe: _concat,
    exp.EndsWith: _of_text("endswith", BOOLEAN, "expression"),
    exp.Floor: _whole("floor"),
    exp.Greatest: _extreme("greatest"),
    exp.If: _if,
    exp.IsNan: _is_nan,
    exp.Least: _extreme("least"),
    exp.Left: _end("left"),
    exp.Length: _of_text("length", INT),
    exp.Like: _like,
    exp.Lower: _of_text("lower", STRING),
    exp.Month: _field("month"),
    exp.NullSafeNEQ: _distinct_from,
    exp.Nullif: _nullif,
    exp.Nvl2: _nvl2,
    exp.Replace: _of_text("replace", STRING, "expression", "replacement"),
    exp.Right: _end("right"),
    exp.Round: _round,
    exp.StartsWith: _of_text("startswith", BOOLEAN, "expression"),
    exp.Substring: _substring,
    exp.Trim: _trim,
    exp.TsOrDsAdd: _date_add,
    exp.TsOrDsToDate: _to_date,
    exp.Upper: _of_text("upper", STRING),
    exp.Year: _field("year"),
}
