"""CAST between types as in Spark's ANSI mode: a value that the type cannot hold fails.

Source: Cast.scala.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from model.errors import StatementFailure
from model.history import Value
from model.values import texts
from model.values.arithmetic import checked_decimal
from model.values.types import DOUBLE, ColumnType, fits, moment_of, seconds_of, text_of


def castable(source: ColumnType, target: ColumnType) -> bool:
    """Whether the model knows what a cast from one type to the other gives.

    Doubles are not cast to text (Java formats them in its own way), and truth values are not cast
    to numbers.
    """
    if "opaque" in (source.family, target.family):
        return False
    if source.family in ("null", target.family, "string"):
        return True
    if target.family == "string":
        return source is not DOUBLE
    return {source.family, target.family} in ({"date", "timestamp"}, {"number", "timestamp"})


def cast_function(source: ColumnType, target: ColumnType) -> Callable[[Any], Value]:
    """The cast of a value that is not NULL, for two types that are ``castable``.

    The function raises StatementFailure where Spark fails the statement.
    """
    if source == target or source.family == "null":
        return lambda value: value
    if target.family == "number":
        if source.family == "string":
            return lambda text: _number_of(text, target)
        if source.family == "timestamp":
            return lambda moment: _to_number(seconds_of(moment, target), target)
        return lambda value: _to_number(value, target)
    if target.family == "string":
        return text_of
    if source.family == "string":
        return _OF_TEXT[target.family]
    if source.family == "number":
        return moment_of
    if target.family == "timestamp":
        return lambda day: datetime.datetime(day.year, day.month, day.day)
    return lambda moment: moment.date()


_OF_TEXT: dict[str, Callable[[str], Value]] = {
    "boolean": texts.boolean_of,
    "date": texts.date_of,
    "timestamp": texts.timestamp_of,
}


def _to_number(value: Any, target: ColumnType) -> Value:
    if target is DOUBLE:
        return float(value)
    failure = StatementFailure("CAST_OVERFLOW", f"{value} does not fit {target}")
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
    if target.bits:
        return texts.whole_of(text, target.bits)
    if target is DOUBLE:
        return texts.double_of(text)
    return checked_decimal(texts.decimal_of(text), target)
