"""Texts parsed as values of other types, as Spark's ANSI mode parses them.

Every function raises StatementFailure of the class CAST_INVALID_INPUT for a text that is not a
value of its type. Sources: UTF8String.java, SparkDateTimeUtils.scala, Cast.scala.
"""

from __future__ import annotations

import datetime
import math
import re
from decimal import Decimal

from model.errors import StatementFailure, UnsupportedSQL

_TRUE = frozenset({"t", "true", "y", "yes", "1"})
_FALSE = frozenset({"f", "false", "n", "no", "0"})
_WHOLE = re.compile(r"[+-]?\d+")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_NAMED = {
    "nan": math.nan,
    **dict.fromkeys(("inf", "+inf", "infinity", "+infinity"), math.inf),
    **dict.fromkeys(("-inf", "-infinity"), -math.inf),
}
_DATE = re.compile(r"(?P<y>\d{4})(-(?P<m>\d{1,2})(-(?P<d>\d{1,2})([ T].*)?)?)?")
_TIME = re.compile(
    r"(?P<date>[^ T]+)([ T](?P<h>\d{1,2}):(?P<m>\d{1,2})"
    r"(:(?P<s>\d{1,2})(\.(?P<f>\d{1,9})?)?\s*(?P<zone>[A-Za-z+-][\w:/+-]*)?)?)?"
)
_OFFSET = re.compile(
    r"(UTC|GMT|UT)?(?P<sign>[+-])"
    r"((?P<h>\d{1,2})(:(?P<m>\d{1,2})|:(?P<mm>\d\d):(?P<s>\d\d))?"
    r"|(?P<hh>\d\d)(?P<mmm>\d\d)(?P<ss>\d\d)?)"
)
_LARGEST_OFFSET = datetime.timedelta(hours=18)


def _invalid(text: str, what: str) -> StatementFailure:
    return StatementFailure("CAST_INVALID_INPUT", f"{text!r} is not a {what}")


def whole_of(text: str, bits: int) -> int:
    """A whole number of so many bits: digits and a sign, spaces around them."""
    trimmed = text.strip()
    if not _WHOLE.fullmatch(trimmed):
        raise _invalid(text, "whole number")
    value = int(trimmed)
    if not -(1 << (bits - 1)) <= value < (1 << (bits - 1)):
        raise _invalid(text, f"number of {bits} bits")
    return value


def double_of(text: str) -> float:
    """A double; NaN and Infinity by their names."""
    trimmed = text.strip()
    named = _NAMED.get(trimmed.lower())
    if named is not None:
        return named
    if not _NUMBER.fullmatch(trimmed):
        raise _invalid(text, "double")
    return float(trimmed)


def decimal_of(text: str) -> Decimal:
    """A decimal with all the digits that the text has."""
    trimmed = text.strip()
    if not _NUMBER.fullmatch(trimmed):
        raise _invalid(text, "decimal")
    return Decimal(trimmed)


def boolean_of(text: str) -> bool:
    """A truth value by one of its words, or by 1 and 0."""
    word = text.strip().lower()
    if word in _TRUE:
        return True
    if word in _FALSE:
        return False
    raise _invalid(text, "boolean")


def date_of(text: str) -> datetime.date:
    """A date: a year, a month or a day, with a time after it or none."""
    match = _DATE.fullmatch(text.strip())
    if match is None:
        raise _invalid(text, "date")
    try:
        return datetime.date(int(match["y"]), int(match["m"] or 1), int(match["d"] or 1))
    except ValueError as error:
        raise _invalid(text, "date") from error


def timestamp_of(text: str) -> datetime.datetime:
    """A moment in UTC; midnight where the text has no time.

    The text may say in which zone it counts, behind its seconds. Raises UnsupportedSQL for a zone
    that this machine has no rules for.
    """
    match = _TIME.fullmatch(text.strip())
    if match is None:
        raise _invalid(text, "timestamp")
    day = date_of(match["date"])
    hour, minute, second = (int(match[part] or 0) for part in ("h", "m", "s"))
    micros = int((match["f"] or "").ljust(6, "0")[:6])
    try:
        local = datetime.datetime.combine(day, datetime.time(hour, minute, second, micros))
    except ValueError as error:
        raise _invalid(text, "timestamp") from error
    zone = match["zone"]
    if zone in (None, "Z", "UTC", "GMT", "UT"):
        return local
    if offset := _OFFSET.fullmatch(zone):
        return local - _offset(offset, text)
    if not zone[0].isalpha():
        raise _invalid(text, "timestamp")
    import zoneinfo  # Few texts name a zone, and the import takes time.

    try:
        aware = local.replace(tzinfo=zoneinfo.ZoneInfo(zone))
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise UnsupportedSQL(f"{text!r}: there are no rules for the time zone {zone!r}") from error
    return aware.astimezone(datetime.UTC).replace(tzinfo=None)


def _offset(match: re.Match[str], text: str) -> datetime.timedelta:
    """The distance from UTC that ``+01:30`` and the like stand for (ZoneOffset.java, ``of``)."""
    hours = int(match["h"] or match["hh"])
    minutes, seconds = (
        int(match["m"] or match["mm"] or match["mmm"] or 0),
        match["s"] or match["ss"],
    )
    distance = datetime.timedelta(hours=hours, minutes=minutes, seconds=int(seconds or 0))
    if minutes > 59 or int(seconds or 0) > 59 or distance > _LARGEST_OFFSET:
        raise _invalid(text, "timestamp")
    return -distance if match["sign"] == "-" else distance
