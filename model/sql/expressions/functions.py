"""Calls of Spark's scalar functions, from sqlglot's tree to the model's expressions."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from sqlglot import exp

from model.errors import InvalidScenario, UnsupportedSQL
from model.expressions.syntax import Case, Expression, IsNull, Literal, Not
from model.sql.expressions.calls import call
from model.sql.expressions.calls import part as _part
from model.sql.expressions.calls import refused as _refused
from model.sql.expressions.coercion import as_string, cast, common_type, comparison, constant
from model.sql.expressions.moments import MOMENTS, day, whole
from model.values import types
from model.values.types import BIGINT, BOOLEAN, DATE, DOUBLE, INT, NULL, STRING, ColumnType

if TYPE_CHECKING:
    from model.sql.expressions.scalar import Scope

Resolver = Callable[["Scope", exp.Expr], Expression]


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
    return call(name, DATE, day(scope, node), count)


def _date_diff(scope: Scope, node: exp.Expr) -> Expression:
    _only(node, "this", "expression")
    return call("datediff", INT, day(scope, node), day(scope, node, "expression"))


def _concat_ws(scope: Scope, node: exp.Expr) -> Expression:
    if not node.expressions:
        raise _refused(node, "a separator is missing")
    texts = tuple(as_string(scope.resolve(part), node) for part in node.expressions)
    return call("concat_ws", STRING, *texts)


def _hash(name: str) -> Resolver:
    """A hash of a text; numbers and the like are not cast to what it takes."""

    def resolve(scope: Scope, node: exp.Expr) -> Expression:
        text = scope.resolve(_part(node, "this"))
        if text.type.family not in ("string", "null", "opaque"):
            raise InvalidScenario(
                f"{name} is of texts, not of {text.type}",
                error_class="DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
            )
        length = (whole(scope, node, "length"),) if name == "sha2" else ()
        return call(name, STRING, as_string(text, node), *length)

    return resolve


def _pad(scope: Scope, node: exp.Expr) -> Expression:
    name = "lpad" if node.args.get("is_left") else "rpad"
    fill = node.args.get("fill_pattern")
    pad = Literal(" ", STRING) if fill is None else as_string(scope.resolve(fill), node)
    return call(name, STRING, _text(scope, node, "this"), whole(scope, node, "expression"), pad)


def _repeat(scope: Scope, node: exp.Expr) -> Expression:
    return call("repeat", STRING, _text(scope, node, "this"), whole(scope, node, "times"))


def _position(scope: Scope, node: exp.Expr) -> Expression:
    _only(node, "this", "substr")
    return call("instr", INT, _text(scope, node, "this"), _text(scope, node, "substr"))


def _rlike(scope: Scope, node: exp.Expr) -> Expression:
    """RLIKE, for patterns that mean the same in Java and in Python."""
    _only(node, "this", "expression")
    text, pattern = _text(scope, node, "this"), _text(scope, node, "expression")
    if not isinstance(pattern, Literal) or not isinstance(pattern.value, str):
        raise _refused(node, "only a constant pattern is supported")
    if not _PLAIN_PATTERN.fullmatch(pattern.value):
        raise _refused(node, "only patterns of letters, digits, . * + ? ^ $ | and [a-z] are")
    return call("rlike", BOOLEAN, text, pattern)


_PLAIN_PATTERN = re.compile(r"\^?(([A-Za-z0-9 _,:/@-]|\[[A-Za-z0-9-]+\]|\.)[*+?]?|\|)*\$?")


def _ilike(scope: Scope, node: exp.Expr) -> Expression:
    """ILIKE: LIKE on both sides in lower case (``ILike`` in regexpExpressions.scala)."""
    lowered = exp.Like(
        this=exp.Lower(this=node.this.copy()), expression=exp.Lower(this=node.expression.copy())
    )
    return scope.resolve(lowered)


def _decode(scope: Scope, node: exp.Expr) -> Expression:
    """decode(value, search, result, ..., default), which takes NULL for equal to NULL."""
    value, *rest = node.expressions
    pairs = list(zip(rest[::2], rest[1::2], strict=False))
    default = rest[-1] if len(rest) % 2 else None
    if not pairs:
        raise _refused(node, "decode takes a value, then pairs")
    ifs = [
        exp.If(this=exp.NullSafeEQ(this=value.copy(), expression=search.copy()), true=then.copy())
        for search, then in pairs
    ]
    return scope.resolve(exp.Case(ifs=ifs, default=None if default is None else default.copy()))


def _anonymous(scope: Scope, node: exp.Expr) -> Expression:
    name = str(node.this).lower()
    operands = tuple(map(scope.resolve, node.expressions))
    match name, operands:
        case "isnull", (operand,):
            return IsNull(operand)
        case "weekday", (operand,):
            return call("weekday", INT, cast(operand, DATE, node))
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
    exp.ConcatWs: _concat_ws,
    exp.Contains: _of_text("contains", BOOLEAN, "expression"),
    exp.DateDiff: _date_diff,
    exp.DecodeCase: _decode,
    exp.DPipe: _concat,
    exp.EndsWith: _of_text("endswith", BOOLEAN, "expression"),
    exp.Floor: _whole("floor"),
    exp.Greatest: _extreme("greatest"),
    exp.If: _if,
    exp.IsNan: _is_nan,
    exp.ILike: _ilike,
    exp.Least: _extreme("least"),
    exp.Left: _end("left"),
    exp.Length: _of_text("length", INT),
    exp.Like: _like,
    exp.Lower: _of_text("lower", STRING),
    exp.NullSafeNEQ: _distinct_from,
    exp.MD5: _hash("md5"),
    exp.Nullif: _nullif,
    exp.Nvl2: _nvl2,
    exp.Pad: _pad,
    exp.RegexpLike: _rlike,
    exp.Repeat: _repeat,
    exp.Replace: _of_text("replace", STRING, "expression", "replacement"),
    exp.Reverse: _of_text("reverse", STRING),
    exp.Right: _end("right"),
    exp.Round: _round,
    exp.SHA: _hash("sha"),
    exp.SHA2: _hash("sha2"),
    exp.StartsWith: _of_text("startswith", BOOLEAN, "expression"),
    exp.StrPosition: _position,
    exp.Substring: _substring,
    exp.Trim: _trim,
    exp.TsOrDsAdd: _date_add,
    exp.Upper: _of_text("upper", STRING),
    **MOMENTS,
}
