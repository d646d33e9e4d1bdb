"""Arithmetic as Spark's ANSI mode (its default since 4.0) does it: on numbers of each type.

Overflow and division by zero end the statement. Decimals have the precision and scale that the
operands give them, cut to 38 digits (DecimalPrecisionTypeCoercion.scala).
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from decimal import ROUND_DOWN, ROUND_HALF_UP, Context, Decimal
from typing import Any

from model.errors import StatementFailure
from model.values.doubles import remainder
from model.values.types import BIGINT, DOUBLE, ColumnType, decimal, fits, rounded_decimal, wider

_EXACT = Context(prec=400)
_LONGEST = 38
_LEAST_SCALE = 6
"""The digits after the point that a result with too many digits keeps."""

DECIMAL_OVERFLOW = "NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION"


def result_type(symbol: str, left: ColumnType, right: ColumnType) -> ColumnType:
    """The type of ``left symbol right``, for the operators + - * / % div; a side may be NULL's.

    Decimals stand beside decimals: a whole number counts as one of its type's digits.
    """
    if symbol == "div":
        return BIGINT
    if DOUBLE in (left, right) or not (left.precision or right.precision):
        return DOUBLE if symbol == "/" else wider(left, right)
    one, other = as_decimal(left), as_decimal(right)
    if one is None or other is None:
        one = other = one or other
    assert one is not None
    assert other is not None
    p1, s1, p2, s2 = one.precision, one.scale, other.precision, other.scale
    if symbol in "+-":
        scale = max(s1, s2)
        return _cut(max(p1 - s1, p2 - s2) + scale + 1, scale)
    if symbol == "*":
        return _cut(p1 + p2 + 1, s1 + s2)
    if symbol == "/":
        scale = max(_LEAST_SCALE, s1 + p2 + 1)
        return _cut(p1 - s1 + s2 + scale, scale)
    scale = max(s1, s2)
    return _cut(min(p1 - s1, p2 - s2) + scale, scale)


def as_decimal(type_: ColumnType) -> ColumnType | None:
    """The decimal that a whole number's type stands for beside one; None for NULL's type."""
    if type_.family == "null":
        return None
    return decimal(10, 0) if type_.bits == 32 else decimal(20, 0) if type_.bits else type_


def _cut(precision: int, scale: int) -> ColumnType:
    """A decimal type of at most 38 digits; a longer one loses digits after the point."""
    if precision <= _LONGEST:
        return decimal(precision, scale)
    kept = max(_LONGEST - (precision - scale), min(scale, _LEAST_SCALE))
    return decimal(_LONGEST, kept)


def operation(symbol: str, type_: ColumnType) -> Callable[[Any, Any], Any]:
    """A function of two values, neither of them NULL, with a result of type ``type_``.

    Raises StatementFailure for overflow and for division by zero.
    """
    compute = _COMPUTE[symbol]
    if type_ is DOUBLE:
        return lambda a, b: compute(float(a), float(b))
    if type_.precision:
        return lambda a, b: _decimal(symbol, Decimal(a), Decimal(b), type_)
    bits = type_.bits

    def whole(a: Any, b: Any) -> Any:
        value = compute(a, b)
        if bits and not fits(value, bits):
            raise StatementFailure("ARITHMETIC_OVERFLOW", f"{a} {symbol} {b} overflows")
        return value

    return whole


def _decimal(symbol: str, a: Decimal, b: Decimal, type_: ColumnType) -> Decimal:
    exact: Decimal
    match symbol:
        case "+":
            exact = _EXACT.add(a, b)
        case "-":
            exact = _EXACT.subtract(a, b)
        case "*":
            exact = _EXACT.multiply(a, b)
        case "/":
            exact = divided(a, b)
        case _:
            if not b:
                raise StatementFailure("REMAINDER_BY_ZERO", f"{a} % 0")
            exact = _EXACT.remainder(a, b)
    return checked_decimal(exact, type_)


def divided(a: Decimal, b: Decimal) -> Decimal:
    """A quotient of decimals with the 38 digits after the point that Spark computes."""
    if not b:
        raise StatementFailure("DIVIDE_BY_ZERO", f"{a} / 0")
    unit = Decimal(1).scaleb(-_LONGEST)
    return _EXACT.divide(a, b).quantize(unit, rounding=ROUND_HALF_UP, context=_EXACT)


def checked_decimal(value: Decimal, type_: ColumnType) -> Decimal:
    """A decimal rounded to its type. Raises StatementFailure where it has too many digits."""
    rounded = rounded_decimal(value, type_)
    if rounded is None:
        raise StatementFailure(DECIMAL_OVERFLOW, f"{value} does not fit {type_}")
    return rounded


def _divide(a: Any, b: Any) -> Any:
    if b == 0:
        raise StatementFailure("DIVIDE_BY_ZERO", f"{a} / 0")
    return a / b


def _whole_quotient(a: Any, b: Any) -> int:
    # Towards zero, where Python's // goes down.
    if b == 0:
        raise StatementFailure("DIVIDE_BY_ZERO", f"{a} div 0")
    if isinstance(a, Decimal) or isinstance(b, Decimal):
        exact = _EXACT.divide(Decimal(a), Decimal(b))
        return int(exact.to_integral_value(rounding=ROUND_DOWN, context=_EXACT))
    quotient: int = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _remainder(a: Any, b: Any) -> Any:
    # SQL's remainder takes the sign of the dividend, Python's that of the divisor.
    if b == 0:
        raise StatementFailure("REMAINDER_BY_ZERO", f"{a} % 0")
    if isinstance(a, float):
        return remainder(a, b)
    result = abs(a) % abs(b)
    return -result if a < 0 else result


_COMPUTE: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": _divide,
    "%": _remainder,
    "div": _whole_quotient,
}
