"""Calls of functions of dates and timestamps, and arithmetic with intervals."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from sqlglot import exp

from model.errors import UnsupportedSQL
from model.expressions.moments import is_format, is_unit
from model.expressions.syntax import Expression, Literal
from model.sql.expressions.calls import call, part, refused
from model.sql.expressions.coercion import as_string, cast
from model.values.types import BIGINT, DATE, INT, STRING, TIMESTAMP

if TYPE_CHECKING:
    from model.sql.expressions.scalar import Scope

Resolver = Callable[["Scope", exp.Expr], Expression]


def day(scope: Scope, node: exp.Expr, key: str = "this") -> Expression:
    """An argument that is a date: sqlglot wraps some in a conversion that Spark does anyway."""
    given = part(node, key)
    if isinstance(given, exp.TsOrDsToDate):
        given = part(given, "this")
    return cast(scope.resolve(given), DATE, node)


def _moment(scope: Scope, node: exp.Expr, key: str = "this") -> Expression:
    """An argument that is a timestamp, likewise."""
    given = part(node, key)
    if isinstance(given, exp.TimeStrToTime):
        given = part(given, "this")
    return cast(scope.resolve(given), TIMESTAMP, node)


def day_field(name: str) -> Resolver:
    """A part of a date, by the name of its function."""
    return lambda scope, node: call(name, INT, day(scope, node))


def time_field(name: str) -> Resolver:
    """A part of a timestamp, likewise."""
    return lambda scope, node: call(name, INT, _moment(scope, node))


_FULL = {"Y": "yyyy", "mstrict": "MM", "dstrict": "dd", "Hstrict": "HH", "Mstrict": "mm"}
_FULL["Sstrict"] = "ss"


def _format(node: exp.Expr) -> Literal:
    """The format of a call, as Spark writes it. Raises UnsupportedSQL for parts not modelled.

    sqlglot spells it with percent signs.
    """
    given = node.args.get("format")
    if not isinstance(given, exp.Literal) or not given.is_string:
        raise refused(node, "only a constant format is supported")
    spelled = re.sub(r"%(Y|[mdHMS]strict)", lambda m: _FULL[m[1]], given.name)
    if "%" in spelled or not is_format(spelled):
        raise refused(node, "this format is not supported")
    return Literal(spelled, STRING)


def to_date(scope: Scope, node: exp.Expr) -> Expression:
    """to_date, with a format or without one."""
    if node.args.get("format") is None:
        return day(scope, node)
    return call("to_date", DATE, _text(scope, node), _format(node))


def to_timestamp(scope: Scope, node: exp.Expr) -> Expression:
    """to_timestamp with a format; without one sqlglot makes it a cast."""
    return call("to_timestamp", TIMESTAMP, _text(scope, node), _format(node))


def _text(scope: Scope, node: exp.Expr) -> Expression:
    given = scope.resolve(part(node, "this"))
    if given.type.family not in ("string", "null"):
        raise refused(node, f"a format for {given.type} is not supported")
    return as_string(given, node)


def date_format(scope: Scope, node: exp.Expr) -> Expression:
    """date_format."""
    return call("date_format", STRING, _moment(scope, node), _format(node))


def from_unixtime(scope: Scope, node: exp.Expr) -> Expression:
    """from_unixtime, whose format is that of a timestamp by default."""
    return call(
        "from_unixtime",
        STRING,
        cast(scope.resolve(part(node, "this")), BIGINT, node),
        _format(node),
    )


def unix_timestamp(scope: Scope, node: exp.Expr) -> Expression:
    """unix_timestamp of a date or a timestamp, or of a text in a format."""
    given = scope.resolve(part(node, "this"))
    if given.type.family == "string":
        given = call("to_timestamp", TIMESTAMP, given, _format(node))
    elif given.type not in (DATE, TIMESTAMP):
        raise refused(node, f"unix_timestamp of {given.type} is not supported")
    return call("unix_timestamp", BIGINT, cast(given, TIMESTAMP, node))


def add_months(scope: Scope, node: exp.Expr) -> Expression:
    """add_months."""
    return call("add_months", DATE, day(scope, node), whole(scope, node, "expression"))


def whole(scope: Scope, node: exp.Expr, key: str) -> Expression:
    """An argument that is an int. Raises UnsupportedSQL for other types."""
    number = scope.resolve(part(node, key))
    if number.type.family == "null":
        return Literal(None, INT)
    if number.type is not INT:
        raise refused(node, f"an int was expected, not {number.type}")
    return number


def last_day(scope: Scope, node: exp.Expr) -> Expression:
    """last_day."""
    return call("last_day", DATE, day(scope, node))


def date_trunc(scope: Scope, node: exp.Expr) -> Expression:
    """date_trunc: the beginning of a timestamp's unit."""
    return call("date_trunc", TIMESTAMP, _unit(node, False), _moment(scope, node))


def trunc(scope: Scope, node: exp.Expr) -> Expression:
    """trunc: the first day of a date's unit."""
    return call("trunc", DATE, day(scope, node), _unit(node, True))


def _unit(node: exp.Expr, of_days: bool) -> Literal:
    given = node.args.get("unit")
    name = given.name if isinstance(given, exp.Literal | exp.Var) else ""
    if not is_unit(name, of_days):
        raise refused(node, "only a constant unit that Spark knows is supported")
    return Literal(name.upper(), STRING)


_SECONDS = {"SECOND": 1, "MINUTE": 60, "HOUR": 3600, "DAY": 86400, "WEEK": 7 * 86400}
_DAYS = {"DAY": 1, "WEEK": 7}
_MONTHS = {"MONTH": 1, "QUARTER": 3, "YEAR": 12}


def moved(sign: int, moment: Expression, node: exp.Interval) -> Expression:
    """A date or timestamp with an interval of one unit added, or taken away. Raises likewise."""
    text = node.args["this"]
    unit = str(node.args.get("unit") or "").upper().rstrip("S")
    digits = text.this if isinstance(text, exp.Literal) else ""
    known = unit in _SECONDS or (unit in _MONTHS and unit != "QUARTER")
    if not digits.lstrip("-").isdigit() or not known:
        raise refused(node, "only intervals of one whole number and one unit are supported")
    amount = sign * int(digits)
    if moment.type is DATE and unit in _MONTHS:
        return call("add_months", DATE, moment, Literal(amount * _MONTHS[unit], INT))
    if moment.type is DATE and unit in _DAYS:
        return call("date_add", DATE, moment, Literal(amount * _DAYS[unit], INT))
    if moment.type is TIMESTAMP and unit in _SECONDS:
        return call("plus_seconds", TIMESTAMP, moment, Literal(amount * _SECONDS[unit], BIGINT))
    if moment.type is TIMESTAMP:
        months = Literal(amount * _MONTHS[unit], INT)
        return call("moved", TIMESTAMP, moment, months, Literal(0, BIGINT))
    raise refused(node, f"it is not added to a {moment.type}")


def timestamp_add(scope: Scope, node: exp.Expr) -> Expression:
    """timestampadd and dateadd with a unit: a timestamp, also of a date."""
    unit = node.args["unit"].name.upper()
    amount = scope.resolve(part(node, "expression"))
    if not isinstance(amount, Literal) or not isinstance(amount.value, int):
        raise refused(node, "only a constant number of units is supported")
    if unit not in _SECONDS and unit not in _MONTHS:
        raise refused(node, f"the unit {unit} is not supported")
    months = amount.value * _MONTHS.get(unit, 0)
    micros = amount.value * _SECONDS.get(unit, 0) * 1_000_000
    moment = _moment(scope, node)
    return call("moved", TIMESTAMP, moment, Literal(months, INT), Literal(micros, BIGINT))


def day_arithmetic(symbol: str, left: Expression, right: Expression, node: exp.Expr) -> Expression:
    """``day + 1``, ``1 + day`` and ``day - 1``. Raises UnsupportedSQL for anything else."""
    if symbol == "+" and right.type is DATE:
        left, right = right, left
    if symbol not in ("+", "-") or left.type is not DATE or right.type is not INT:
        raise UnsupportedSQL(
            f"{node.sql(dialect='spark')!r}: arithmetic on {left.type} and {right.type} is not "
            "supported"
        )
    return call("date_add" if symbol == "+" else "date_sub", DATE, left, right)


MOMENTS: dict[type[exp.Expr], Resolver] = {
    exp.AddMonths: add_months,
    exp.DateTrunc: trunc,
    exp.Day: day_field("day"),
    exp.DayOfMonth: day_field("day"),
    exp.DayOfWeek: day_field("dayofweek"),
    exp.DayOfYear: day_field("dayofyear"),
    exp.Hour: time_field("hour"),
    exp.LastDay: last_day,
    exp.Minute: time_field("minute"),
    exp.Month: day_field("month"),
    exp.Quarter: day_field("quarter"),
    exp.Second: time_field("second"),
    exp.StrToTime: to_timestamp,
    exp.StrToUnix: unix_timestamp,
    exp.TimestampAdd: timestamp_add,
    exp.TimestampTrunc: date_trunc,
    exp.TimeToStr: date_format,
    exp.TsOrDsToDate: to_date,
    exp.UnixToStr: from_unixtime,
    exp.WeekOfYear: day_field("weekofyear"),
    exp.Year: day_field("year"),
}
"""The functions, by sqlglot's nodes."""
