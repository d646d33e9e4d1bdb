"""The scalar functions of Spark that the model supports: their meaning and treatment of NULL.

All are deterministic. Functions of the session or of the clock are not included; the time zone is
always UTC.
"""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_UP, Context, Decimal
from functools import lru_cache
from typing import Any

from model.errors import StatementFailure, UnsupportedSQL
from model.expressions import moments
from model.history import Value
from model.values.doubles import largest, smallest
from model.values.types import fits

_EXACT = Context(prec=400)


@dataclass(frozen=True, slots=True)
class Meaning:
    """A function's value for its operands' values.

    ``strict`` functions are NULL if an operand is NULL, and the optimizer knows it
    (``NullIntolerant``); ``null_for_null`` functions are too, but the optimizer does not know it;
    the others get the operands as they are, including None.
    """

    compute: Callable[..., Value]
    null_for_null: bool = True
    strict: bool = True


def _substring(text: str, start: int, length: int | None = None) -> str:
    """Characters from ``start``, counted from 1, or from the end where it is negative."""
    begin = start - 1 if start > 0 else len(text) + start if start < 0 else 0
    end = len(text) if length is None else begin + max(length, 0)
    return text[max(begin, 0) : max(end, 0)]


def _right(text: str, length: int) -> str:
    return "" if length <= 0 else text[-length:]


def _like(text: str, pattern: str) -> bool:
    return _pattern(pattern).fullmatch(text) is not None


@lru_cache(maxsize=1024)
def _pattern(pattern: str) -> re.Pattern[str]:
    parts = (".*" if c == "%" else "." if c == "_" else re.escape(c) for c in pattern)
    return re.compile("".join(parts), re.DOTALL)


_ENDS = "\n\r\u0085\u2028\u2029"
"""The characters that end a line in Java's patterns."""


@lru_cache(maxsize=1024)
def _java_pattern(pattern: str) -> re.Pattern[str]:
    """A pattern without escapes, with Java's meaning of ``.`` and ``$``."""
    parts = {".": f"[^{_ENDS}]", "$": f"(?=(\r\n|[{_ENDS}])?\\Z)"}
    return re.compile("".join(parts.get(sign, sign) for sign in pattern))


def _replace(text: str, old: str, new: str) -> str:
    return text.replace(old, new) if old else text


def _absolute(value: int, bits: int) -> int:
    if not fits(abs(value), bits):
        raise StatementFailure("ARITHMETIC_OVERFLOW", f"abs({value}) overflows")
    return abs(value)


def _negative(value: Decimal) -> Decimal:
    return -value if value else value


def _whole(value: Any, rounding: str) -> int:
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        # Java's conversion of a double cuts at the ends of the range, and makes NaN 0.
        if math.isnan(value):
            return 0
        if math.isinf(value) or not fits(int(value), 64):
            return (1 << 63) - 1 if value > 0 else -(1 << 63)
        return math.ceil(value) if rounding == ROUND_CEILING else math.floor(value)
    return int(Decimal(value).to_integral_value(rounding=rounding))


def _round(value: Any, digits: int = 0) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return value
    exact = Decimal(str(value)) if isinstance(value, float) else Decimal(value)
    unit = Decimal(1).scaleb(-digits)
    rounded = exact.quantize(unit, rounding=ROUND_HALF_UP, context=_EXACT)
    # A decimal has no negative zero, and none comes back from it.
    rounded = rounded or abs(rounded)
    return float(rounded) if isinstance(value, float) else rounded


def _date_add(day: datetime.date, days: int) -> datetime.date:
    try:
        return day + datetime.timedelta(days=days)
    except OverflowError as error:
        raise UnsupportedSQL(f"{day} + {days} days lies beyond the year 9999, or before 1") from (
            error
        )


def _plus_seconds(moment: datetime.datetime, seconds: int) -> datetime.datetime:
    return moment + datetime.timedelta(seconds=seconds)


def _pmod(a: Any, b: Any) -> Any:
    if b == 0:
        raise StatementFailure("REMAINDER_BY_ZERO", f"pmod({a}, 0)")
    rest = _rest(a, b)
    return rest if rest >= 0 else _rest(rest + b, b)


def _rest(a: int, b: int) -> int:
    return abs(a) % abs(b) * (-1 if a < 0 else 1)


def _concat_ws(separator: Any, *parts: Any) -> Any:
    """Texts joined, those that are NULL left out; NULL if the separator is."""
    if separator is None:
        return None
    return separator.join(part for part in parts if part is not None)


def _padding(text: str, length: int, pad: str) -> str:
    """The characters that fill a text up to a length."""
    missing = max(length - len(text), 0)
    return (pad * missing)[:missing]


def _digest(name: str, text: str) -> str:
    """A text's hash by an algorithm, in hexadecimal digits."""
    import hashlib  # Few statements hash, and the import takes time.

    return hashlib.new(name, text.encode()).hexdigest()


def _sha2(text: str, bits: int) -> str | None:
    return _digest(f"sha{bits or 256}", text) if bits in (0, 224, 256, 384, 512) else None


def _greatest(*values: Any) -> Any:
    present = [value for value in values if value is not None]
    return largest(present) if present else None


def _least(*values: Any) -> Any:
    present = [value for value in values if value is not None]
    return smallest(present) if present else None


MEANINGS: dict[str, Meaning] = {
    "abs": Meaning(abs),
    "abs_bigint": Meaning(lambda value: _absolute(value, 64)),
    "abs_int": Meaning(lambda value: _absolute(value, 32)),
    "add_months": Meaning(moments.add_months),
    "ceil": Meaning(lambda value: _whole(value, ROUND_CEILING)),
    "concat_ws": Meaning(_concat_ws, null_for_null=False, strict=False),
    "concat": Meaning(lambda *parts: "".join(parts), strict=False),
    "contains": Meaning(lambda text, part: part in text),
    "date_add": Meaning(_date_add),
    "date_sub": Meaning(lambda day, days: _date_add(day, -days)),
    "date_format": Meaning(moments.formatted),
    "date_trunc": Meaning(lambda unit, moment: moments.truncated(moment, unit), strict=False),
    "datediff": Meaning(lambda end, start: (end - start).days),
    "endswith": Meaning(lambda text, part: text.endswith(part)),
    "from_unixtime": Meaning(moments.from_seconds),
    "instr": Meaning(lambda text, part: text.find(part) + 1),
    "last_day": Meaning(moments.last_day),
    "lpad": Meaning(lambda text, length, pad: _padding(text, length, pad) + text[: max(length, 0)]),
    "md5": Meaning(lambda text: _digest("md5", text)),
    "moved": Meaning(moments.moved),
    "repeat": Meaning(lambda text, count: text * max(count, 0)),
    "reverse": Meaning(lambda text: text[::-1]),
    "rlike": Meaning(lambda text, pattern: _java_pattern(pattern).search(text) is not None),
    "rpad": Meaning(lambda text, length, pad: text[: max(length, 0)] + _padding(text, length, pad)),
    "sha": Meaning(lambda text: _digest("sha1", text)),
    "sha2": Meaning(_sha2, strict=False),
    "to_date": Meaning(moments.parsed_day, strict=False),
    "to_timestamp": Meaning(moments.parsed, strict=False),
    "trunc": Meaning(moments.truncated_day, strict=False),
    "unix_timestamp": Meaning(moments.seconds, strict=False),
    "floor": Meaning(lambda value: _whole(value, ROUND_FLOOR)),
    "greatest": Meaning(_greatest, null_for_null=False, strict=False),
    "isnan": Meaning(
        lambda value: value is not None and value != value, null_for_null=False, strict=False
    ),
    "least": Meaning(_least, null_for_null=False, strict=False),
    "left": Meaning(lambda text, length: text[: max(length, 0)]),
    "length": Meaning(len),
    "like": Meaning(_like),
    "lower": Meaning(lambda text: text.lower()),
    "ltrim": Meaning(lambda text: text.lstrip(" "), strict=False),
    "negative": Meaning(_negative),
    "pmod": Meaning(_pmod),
    "plus_seconds": Meaning(_plus_seconds),
    "replace": Meaning(_replace),
    "right": Meaning(_right),
    "round": Meaning(_round, strict=False),
    "rtrim": Meaning(lambda text: text.rstrip(" "), strict=False),
    "startswith": Meaning(lambda text, part: text.startswith(part)),
    "substring": Meaning(_substring),
    "trim": Meaning(lambda text: text.strip(" "), strict=False),
    "upper": Meaning(lambda text: text.upper()),
    **{name: Meaning(field) for name, field in moments.DAY_FIELDS.items()},
    **{name: Meaning(field) for name, field in moments.FIELDS.items()},
}
