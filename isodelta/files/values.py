"""Column values as YAML and JSON have them, and back."""

from __future__ import annotations

import datetime
import math
from decimal import Decimal, InvalidOperation

from isodelta.files.yaml_source import Number
from model.errors import StatementFailure
from model.history import Value
from model.values import types
from model.values.types import ColumnType

Plain = None | bool | int | float | str
"""A scalar that YAML and JSON both know."""


def plain(value: Value) -> Plain:
    """A value as files and JSON objects write it.

    Dates, timestamps and decimals are texts (``2024-01-31``, ``2024-01-31 12:00:00``, ``1.50``),
    and so are the doubles that JSON has no number for (``NaN``, ``Infinity``).
    """
    match value:
        case None | bool() | int() | str():
            return value
        case float() if math.isfinite(value):
            return float(value)
        case float():
            return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
        case datetime.datetime():
            return value.isoformat(sep=" ")
        case datetime.date():
            return value.isoformat()
        case Decimal():
            return format(value, "f")
    raise TypeError(f"{value!r} is no column value")


def typed(value: object, column: ColumnType) -> Value:
    """A YAML scalar as a value of a column's type. Raises ValueError in one clear line."""
    if value is None:
        return None
    try:
        found = _TYPED[column.family](value, column)
    except (ValueError, InvalidOperation, StatementFailure):
        found = None
    if found is None:
        raise ValueError(f"{_shown(value)} is no {column}")
    return found


def _shown(value: object) -> str:
    return value.text if isinstance(value, Number) else repr(value)


def _number(value: object, column: ColumnType) -> Value:
    if isinstance(value, bool):
        return None
    if column.bits:
        whole = isinstance(value, int) and types.fits(value, column.bits)
        return value if whole else None
    if column.precision:
        if not isinstance(value, int | float | str):
            return None
        exact = Decimal(value.text if isinstance(value, Number) else str(value))
        stored = types.store(exact, column)
        return stored if stored == exact else None
    if isinstance(value, str):
        known = value in ("NaN", "Infinity", "-Infinity")
        return types.store(float(value), column) if known else None
    return types.store(value, column) if isinstance(value, int | float) else None


def _text(value: object, column: ColumnType) -> Value:
    return value if isinstance(value, str) else None


def _boolean(value: object, column: ColumnType) -> Value:
    return value if isinstance(value, bool) else None


def _date(value: object, column: ColumnType) -> Value:
    return datetime.date.fromisoformat(value) if isinstance(value, str) else None


def _timestamp(value: object, column: ColumnType) -> Value:
    if not isinstance(value, str):
        return None
    moment = datetime.datetime.fromisoformat(value)
    # The model's timestamps have no zone: a session has one, and all of a scenario share it.
    return moment if moment.tzinfo is None else None


_TYPED = {
    "number": _number,
    "string": _text,
    "boolean": _boolean,
    "date": _date,
    "timestamp": _timestamp,
}
