"""Column types: their values, the SQL literals of those, and the types that each can store."""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Any, Literal, cast

from model.errors import InvalidScenario, StatementFailure, UnsupportedSQL
from model.history import Value
from model.values import texts
from model.values.doubles import canonical
from model.values.unknown import Unknown

Family = Literal["number", "string", "boolean", "date", "timestamp", "null", "opaque"]


@dataclass(frozen=True, slots=True)
class ColumnType:
    """A Spark SQL type: its name, its family, and for numbers its rank in widening order.

    Two values compare with each other when their families are equal. ``rank`` orders the
    numeric types as Spark widens them (int < bigint < decimal < double).
    """

    name: str
    family: Family
    rank: int = 0
    bits: int = 0
    precision: int = 0
    scale: int = 0

    def __str__(self) -> str:
        return self.name

    def holding(self, value: Any) -> Any:
        """A number of another numeric type that this one holds exactly, as a value of this one."""
        if self.family != "number" or value is None or isinstance(value, Unknown):
            return value
        if self.bits:
            return int(value)
        if not self.precision:
            return float(value)
        return Decimal(value).quantize(Decimal(1).scaleb(-self.scale), context=_EXACT)


INT = ColumnType("int", "number", rank=1, bits=32)
BIGINT = ColumnType("bigint", "number", rank=2, bits=64)
DOUBLE = ColumnType("double", "number", rank=4)
STRING = ColumnType("string", "string")
BOOLEAN = ColumnType("boolean", "boolean")
DATE = ColumnType("date", "date")
TIMESTAMP = ColumnType("timestamp", "timestamp")
NULL = ColumnType("void", "null")
OPAQUE = ColumnType("unknown", "opaque")
"""The type of an expression whose type the model cannot tell."""


def decimal(precision: int, scale: int) -> ColumnType:
    """The type decimal(precision, scale)."""
    return ColumnType(
        f"decimal({precision},{scale})", "number", rank=3, precision=precision, scale=scale
    )


_EXACT = Context(prec=400)
"""Enough digits for every double written out, so that rounding to a scale is the only loss."""

_SIMPLE = {t.name: t for t in (INT, BIGINT, DOUBLE, STRING, BOOLEAN, DATE, TIMESTAMP)}
_SIMPLE |= {"integer": INT, "long": BIGINT}
_DECIMAL = re.compile(r"decimal\(\s*(\d+)\s*,\s*(\d+)\s*\)")
_OPAQUE = re.compile(
    r"tinyint|byte|smallint|short|float|real|binary|timestamp_ntz|timestamp_ltz|variant|void"
    r"|interval( .+)?|(char|character|varchar)\s*\(\s*\d+\s*\)|(array|map|struct)\s*<.*>"
    r"|object|geometry.*|geography.*|time(\s*\(\d\))?",
    re.DOTALL,
)
"""Types of Spark whose values the model does not know: they are only told apart by identity."""


def parse_type(text: str) -> ColumnType:
    """The type that ``text`` names. Raises InvalidScenario for a type that is not known."""
    name = text.strip().lower()
    if name in _SIMPLE:
        return _SIMPLE[name]
    if match := _DECIMAL.fullmatch(name):
        precision, scale = int(match[1]), int(match[2])
        if 1 <= precision <= 38 and scale <= precision:
            return decimal(precision, scale)
    if name in ("decimal", "dec", "numeric"):
        return decimal(10, 0)
    if _OPAQUE.fullmatch(name):
        return ColumnType(" ".join(name.split()), "opaque")
    simple = ", ".join(sorted(set(_SIMPLE) - {"integer", "long"}))
    raise InvalidScenario(f"unknown column type {text!r} (known: {simple}, decimal(p,s))")


def wider(left: ColumnType, right: ColumnType) -> ColumnType:
    """The type in which two values of one family meet; either type may be NULL's.

    Source: DecimalPrecisionTypeCoercion.scala, ``widerDecimalType``. Raises InvalidScenario for
    two decimals that have no common type of 38 digits.
    """
    if left.family == "null":
        return right
    if right.family == "null" or left == right:
        return left
    if "opaque" in (left.family, right.family):
        raise InvalidScenario(f"{left} and {right} have no common type that is known")
    if DOUBLE in (left, right) or not (left.precision or right.precision):
        return left if left.rank >= right.rank else right
    one, other = _as_decimal(left), _as_decimal(right)
    scale = max(one.scale, other.scale)
    whole = max(one.precision - one.scale, other.precision - other.scale)
    if whole + scale > 38:
        raise InvalidScenario(f"{left} and {right} have no common type")
    return decimal(whole + scale, scale)


def _as_decimal(type_: ColumnType) -> ColumnType:
    if type_ is INT:
        return decimal(10, 0)
    return decimal(20, 0) if type_ is BIGINT else type_


def widenable(narrow: ColumnType, wide: ColumnType) -> bool:
    """Whether type widening leads from one type to the other: every value has a place there.

    Source: TypeWidening.scala, ``isTypeChangeSupported``; the types of the protocol's "Type
    Widening" that exist here.
    """
    if narrow is INT and wide in (BIGINT, DOUBLE):
        return True
    if not wide.precision or not (narrow.bits or narrow.precision) or narrow == wide:
        return False
    exact = _as_decimal(narrow)
    more = wide.scale - exact.scale
    return more >= 0 and wide.precision - exact.precision >= more


def upcasts(narrow: ColumnType, wide: ColumnType) -> bool:
    """Whether Spark casts one type to the other without loss (Cast.scala, ``canUpCast``)."""
    if narrow == wide or narrow.family == "null" or wide.family == "string":
        return True
    if (narrow.family, wide.family) == ("date", "timestamp"):
        return True
    return widenable(narrow, wide) or (narrow, wide) == (BIGINT, DOUBLE)


def literal_type(value: Value, type_: ColumnType) -> ColumnType:
    """The type as which a constant meets a decimal: a whole number has only its own digits."""
    if type_ in (INT, BIGINT) and isinstance(value, int):
        return decimal(len(str(abs(value))), 0)
    return type_


def widen(value: Value, target: ColumnType) -> Value:
    """``value`` of a narrower type as a value of ``target``, a type that ``wider`` gave."""
    if value is None or target.family != "number" or isinstance(value, Unknown):
        return value
    assert isinstance(value, int | float | Decimal)
    if target is DOUBLE:
        return float(value)
    if target.precision:
        return Decimal(value).quantize(Decimal(1).scaleb(-target.scale), context=_EXACT)
    return value


def fits(value: int, bits: int) -> bool:
    """Whether a whole number lies in the range of a signed integer of so many bits."""
    return -(1 << (bits - 1)) <= value < (1 << (bits - 1))


def storable(source: ColumnType, target: ColumnType) -> bool:
    """Whether Delta puts an expression of one type into a column of the other.

    It casts whatever ANSI mode can cast, texts among them, beyond Spark's store assignment
    (DeltaAnalysis.scala, ``castIfNeeded``). Doubles as text are not modelled.
    """
    if source.family in ("null", "string", "opaque", target.family):
        return True
    if target.family == "opaque":
        return True
    if target.family == "string":
        return source is not DOUBLE  # Java writes doubles in a way of its own.
    return {source.family, target.family} in _EXCHANGED


_EXCHANGED = ({"date", "timestamp"}, {"boolean", "number"}, {"number", "timestamp"})
"""Families whose values become values of each other."""

NOT_CAST: dict[tuple[Family, Family], str] = {
    ("boolean", "date"): "WITHOUT_SUGGESTION",
    ("boolean", "timestamp"): "WITH_CONF_SUGGESTION",
    ("date", "boolean"): "WITH_CONF_SUGGESTION",
    ("date", "number"): "WITH_FUNC_SUGGESTION",
    ("number", "date"): "WITH_FUNC_SUGGESTION",
    ("timestamp", "boolean"): "WITH_CONF_SUGGESTION",
}
"""Families between which ANSI mode has no cast, and how Spark's error ends."""


INSERT_OVERFLOW = "CAST_OVERFLOW_IN_TABLE_INSERT"
UPDATE_OVERFLOW = "DELTA_CAST_OVERFLOW_IN_TABLE_WRITE"


def store(value: Value, target: ColumnType, overflow: str = INSERT_OVERFLOW) -> Value:
    """``value`` as a column of type ``target`` holds it.

    The types must be ``storable``. Raises StatementFailure of the class ``overflow`` for a
    number that does not fit, and for a text that is no value of the type.
    """
    if value is None or isinstance(value, Unknown):
        return value
    if target.family == "opaque":
        because = f"values of type {target} are not modelled"
        return Unknown(f"CAST({sql_literal(value)} AS {target})", because)
    if target.family == "number":
        if isinstance(value, datetime.datetime):
            value = seconds_of(value, target)
        number = _number_of(value, target) if isinstance(value, str) else value
        return _store_number(number, target, overflow)
    return _STORE[target.family](value)


def _number_of(text: str, target: ColumnType) -> Value:
    if target.bits:
        return texts.whole_of(text, target.bits)
    return texts.double_of(text) if target is DOUBLE else texts.decimal_of(text)


def _store_number(value: Value, target: ColumnType, overflow: str) -> Value:
    assert isinstance(value, int | float | Decimal)
    failure = StatementFailure(overflow, f"{value} does not fit a column of type {target}")
    if target is DOUBLE:
        return cast(Value, canonical(float(value)))
    finite = not isinstance(value, float) or math.isfinite(value)
    if target.bits:
        if not finite:
            raise failure
        whole = int(value)
        if value == float(1 << 63) and isinstance(value, float) and target is BIGINT:
            # As a double the largest bigint is 2**63: Spark lets it in, and cuts it back.
            whole -= 1
        if not fits(whole, target.bits):
            raise failure
        return whole
    if not finite:
        # Neither infinity nor NaN is a decimal; Spark stores NULL instead of failing.
        return None
    rounded = rounded_decimal(value, target)
    if rounded is None:
        raise failure
    return rounded


def rounded_decimal(value: int | float | Decimal, target: ColumnType) -> Decimal | None:
    """A number rounded half up to the scale of a decimal type; None where it has too many digits.

    A double is taken as the shortest text that names it, as Spark does.
    """
    exact = Decimal(str(value)) if isinstance(value, float) else Decimal(value)
    unit = Decimal(1).scaleb(-target.scale)
    rounded = exact.quantize(unit, rounding=ROUND_HALF_UP, context=_EXACT)
    if not rounded:
        return abs(rounded)  # No decimal of Spark's is a negative zero.
    return None if len(rounded.as_tuple().digits) > target.precision else rounded


def text_of(value: Value) -> str:
    """A value as text; a decimal without an exponent, a timestamp without trailing zeros."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, datetime.datetime):
        text = value.isoformat(sep=" ")
        return text.rstrip("0") if value.microsecond else text
    return str(value)


_EPOCH = datetime.datetime(1970, 1, 1)


def seconds_of(moment: datetime.datetime, target: ColumnType) -> Value:
    """A timestamp as a number: the seconds since 1970, whole ones for a whole number's type."""
    micros = (moment - _EPOCH) // datetime.timedelta(microseconds=1)
    if target.bits:
        return micros // 1_000_000
    return micros / 1_000_000 if target is DOUBLE else Decimal(micros).scaleb(-6, _EXACT)


def moment_of(seconds: int | float | Decimal) -> datetime.datetime:
    """A number of seconds since 1970 as a timestamp, cut to microseconds.

    Raises StatementFailure for NaN and infinity, UnsupportedSQL beyond the years 1 to 9999.
    """
    if isinstance(seconds, float) and not math.isfinite(seconds):
        raise StatementFailure("CAST_INVALID_INPUT", f"{seconds} is not a timestamp")
    try:
        return _EPOCH + datetime.timedelta(microseconds=int(seconds * 1_000_000))
    except OverflowError as error:
        raise UnsupportedSQL(
            f"{seconds} seconds since 1970 lie beyond the year 9999, or before 1"
        ) from error


def _store_timestamp(value: Value) -> Value:
    if isinstance(value, str):
        return texts.timestamp_of(value)
    if isinstance(value, datetime.datetime):
        return value
    if isinstance(value, int | float | Decimal):
        return moment_of(value)
    assert isinstance(value, datetime.date)
    return datetime.datetime(value.year, value.month, value.day)


def _store_date(value: Value) -> Value:
    if isinstance(value, str):
        return texts.date_of(value)
    return value.date() if isinstance(value, datetime.datetime) else value


def _store_boolean(value: Value) -> Value:
    return texts.boolean_of(value) if isinstance(value, str) else bool(value)


def _store_as_is(value: Value) -> Value:
    return value


_STORE: dict[Family, Callable[[Value], Value]] = {
    "string": text_of,
    "boolean": _store_boolean,
    "date": _store_date,
    "timestamp": _store_timestamp,
    "null": _store_as_is,
    "opaque": _store_as_is,
}


def sql_literal(value: Value) -> str:
    """``value`` as SQL writes it: NULL, 1, 'text', DATE '2024-01-31', ..."""
    match value:
        case None:
            return "NULL"
        case Unknown():
            return value.text
        case bool():
            return "TRUE" if value else "FALSE"
        case str():
            return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
        case datetime.datetime():
            return f"TIMESTAMP '{value.isoformat(sep=' ')}'"
        case datetime.date():
            return f"DATE '{value.isoformat()}'"
        case float():
            return f"{value!r}D" if math.isfinite(value) else f"double('{value}')"
        case _:
            return str(value)


def sql_row(row: tuple[Value, ...]) -> str:
    """A row as SQL writes it in VALUES: (1, NULL, 'a')."""
    return "(" + ", ".join(map(sql_literal, row)) + ")"
