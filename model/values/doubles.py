"""Doubles as SQL orders them: NaN is equal to itself and larger than any other number."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any


def sort_key(value: Any) -> tuple[bool, Any]:
    """A key that orders NaN last; every other value is its own."""
    return (True, 0.0) if value != value else (False, value)


def canonical(value: Any) -> Any:
    """The value, with one object for every NaN: to Python, rows that share it are equal."""
    return math.nan if value != value else value


def smallest(values: Iterable[Any]) -> Any:
    """The least of some values, at least one."""
    return min(values, key=sort_key)


def largest(values: Iterable[Any]) -> Any:
    """The greatest of some values, at least one."""
    return max(values, key=sort_key)


def remainder(dividend: float, divisor: float) -> float:
    """The remainder with the dividend's sign, NaN of an infinite dividend."""
    if math.isinf(dividend) or dividend != dividend or divisor != divisor:
        return math.nan
    return math.fmod(dividend, divisor)
