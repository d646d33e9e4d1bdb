"""Column values in YAML and JSON: conversion in both directions."""

from __future__ import annotations

import datetime
import math
from decimal import Decimal, InvalidOperation

from isodelta.files.yaml_source import Number
from model.errors import StatementFailure
from model.history import Value
from model.values import types
from model.values.types import ColumnType
from model.values.unknown import Unknown

Plain = None | bool | int | float | str
"""A scalar of both YAML and JSON."""


def plain(value: Value) -> Plain:
    """A value as it is written in files and JSON objects.

    Dates, timestamps and decimals are strings (``2024-01-31``, ``2024-01-31 12:00:00``,
    ``1.50``), and so are the doubles that JSON has no number for (``NaN``, ``Infinity``), and
    values that are not known (``unknown: SQL``).
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
        case Unknown():
            return f"unknown: {value.text}"
    raise TypeError(f"{value!r} is not a column value")


def typed(value: object, column: ColumnType) -> Value:
    """A YAML scalar as a value of a column's type. Raises ValueError in one clear line."""
    if value is None:
        return None
    try:
        result = _TYPED[column.family](value, column)
    except (ValueError, InvalidOperation, StatementFailure):
        result = None
    if result is None:
        raise ValueError(f"{_shown(value)} is not a valid {column}")
    return result


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
        named = value in ("NaN", "Infinity", "-Infinity")
        return types.store(float(value), column) if named else None
    return types.store(value, column) if isinstance(value, int | float) else None


def _opaque(value: object, column: ColumnType) -> Value:
    return None


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
    # The model's timestamps have no zone: all sessions of a scenario share one.
    return moment if moment.tzinfo is None else None


_TYPED = {
    "number": _number,
    "string": _text,
    "boolean": _boolean,
    "date": _date,
    "timestamp": _timestamp,
    "opaque": _opaque,
}
