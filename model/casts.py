"""CAST between types as Spark's ANSI mode does it: what is no value of the type fails.

Source: Cast.scala and the parsers that it calls (UTF8String, SparkDateTimeUtils).
"""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from typing import Any

from model.arithmetic import checked_decimal
from model.errors import StatementFailure
from model.history import Value
from model.types import DOUBLE, ColumnType, fits

_INVALID = "CAST_INVALID_INPUT"
_OVERFLOW = "CAST_OVERFLOW"

_TRUE = frozenset({"t", "true", "y", "yes", "1"})
_FALSE = frozenset({"f", "false", "n", "no", "0"})
_WHOLE = re.compile(r"[+-]?\d+")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_DATE = re.compile(r"(?P<y>\d{4})(-(?P<m>\d{1,2})(-(?P<d>\d{1,2})([ T].*)?)?)?")
_TIME = re.compile(
    r"(?P<date>[^ T]+)([ T](?P<h>\d{1,2}):(?P<m>\d{1,2})(:(?P<s>\d{1,2})(\.(?P<f>\d{1,9})?)?)?)?"
    r"\s*(Z|UTC|\+00:00)?"
)


def castable(source: ColumnType, target: ColumnType) -> bool:
    """Whether the model knows what a cast from one type to the other gives.

    Doubles are not made text (Java writes them in a way of its own), and truth values and moments
    in time are not made numbers.
    """
    if source.family in ("null", target.family, "string"):
        return True
    if target.family == "string":
        return source is not DOUBLE
    return (source.family, target.family) in {("date", "timestamp"), ("timestamp", "date")}


def cast_function(source: ColumnType, target: ColumnType) -> Callable[[Any], Value]:
    """The cast of a value that is not NULL, for two types that are ``castable``.

    The function raises StatementFailure where Spark fails the statement.
    """
    if source == target or source.family == "null":
        return lambda value: value
    if target.family == "number":
        if source.family == "string":
            return lambda text: _number_of(text, target)
        return lambda value: _to_number(value, target)
    if target.family == "string":
        return text_of
    if source.family == "string":
        return {"boolean": _boolean_of, "date": date_of, "timestamp": timestamp_of}[target.family]
    if target.family == "timestamp":
        return lambda day: datetime.datetime(day.year, day.month, day.day)
    return lambda moment: moment.date()


def text_of(value: Any) -> str:
    """A value as text; a decimal without an exponent, a timestamp without trailing zeros."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, datetime.datetime):
        text = value.isoformat(sep=" ")
        return text.rstrip("0") if value.microsecond else text
    return str(value)


def _invalid(text: str, what: str) -> StatementFailure:
    return StatementFailure(_INVALID, f"{text!r} is no {what}")


def _to_number(value: Any, target: ColumnType) -> Value:
    if target is DOUBLE:
        return float(value)
    failure = StatementFailure(_OVERFLOW, f"{value} is no {target}")
    if isinstance(value, float) and not math.isfinite(value):
        if target.precision:
            return None
        raise failure
    if target.precision:
        exact = Decimal(str(value)) if isinstance(value, float) else Decimal(value)
        return checked_decimal(exact, target)
    whole = int(value)
    if isinstance(value, float) and whole == 1 << 63 and target.bits == 64:
        return whole - 1  # The largest bigint is no double; its neighbour is cut back to it.
    if not fits(whole, target.bits):
        raise failure
    return whole


def _number_of(text: str, target: ColumnType) -> Value:
    trimmed = text.strip()
    if target.bits:
        if not _WHOLE.fullmatch(trimmed) or not fits(int(trimmed), target.bits):
            raise _invalid(text, str(target))
        return int(trimmed)
    if target is DOUBLE:
        named = _NAMED.get(trimmed.lower())
        if named is not None:
            return named
        if not _NUMBER.fullmatch(trimmed):
            raise _invalid(text, str(target))
        return float(trimmed)
    if not _NUMBER.fullmatch(trimmed):
        raise _invalid(text, str(target))
    try:
        return checked_decimal(Decimal(trimmed), target)
    except InvalidOperation as error:
        raise _invalid(text, str(target)) from error


_NAMED = {
    **dict.fromkeys(("nan",), math.nan),
    **dict.fromkeys(("inf", "+inf", "infinity", "+infinity"), math.inf),
    **dict.fromkeys(("-inf", "-infinity"), -math.inf),
}


def _boolean_of(text: str) -> bool:
    word = text.strip().lower()
    if word in _TRUE:
        return True
    if word in _FALSE:
        return False
    raise _invalid(text, "boolean")


def date_of(text: str) -> datetime.date:
    """The date that a text is: a year, a month or a day, with a time after it or none.

    Raises StatementFailure.
    """
    match = _DATE.fullmatch(text.strip())
    if match is None:
        raise _invalid(text, "date")
    try:
        return datetime.date(int(match["y"]), int(match["m"] or 1), int(match["d"] or 1))
    except ValueError as error:
        raise _invalid(text, "date") from error


def timestamp_of(text: str) -> datetime.datetime:
    """The moment that a text is, in UTC; midnight where it has no time. Raises StatementFailure."""
    match = _TIME.fullmatch(text.strip())
    if match is None:
        raise _invalid(text, "timestamp")
    day = date_of(match["date"])
    micros = int((match["f"] or "").ljust(6, "0")[:6])
    try:
        return datetime.datetime(
            day.year,
            day.month,
            day.day,
            int(match["h"] or 0),
            int(match["m"] or 0),
            int(match["s"] or 0),
            micros,
        )
    except ValueError as error:
        raise _invalid(text, "timestamp") from error
