"""Functions of dates and timestamps: their meaning, on sessions whose time zone is UTC.

Formats are those of Spark's ``DateTimeFormatter`` patterns, with the letters in ``_LETTERS`` in
their full widths; a format is a text of those and of other signs (:func:`is_format`).
"""

from __future__ import annotations

import calendar
import datetime
import re
from collections.abc import Callable
from functools import lru_cache

from model.errors import StatementFailure, UnsupportedSQL

_DAY = datetime.timedelta(days=1)

_LETTERS = {
    "yyyy": "year",
    "MM": "month",
    "dd": "day",
    "HH": "hour",
    "mm": "minute",
    "ss": "second",
}
_TOKEN = re.compile(r"yyyy|MM|dd|HH|mm|ss|[^A-Za-z'\[\]{}#]")


def is_format(text: str) -> bool:
    """Whether a format has only parts that are modelled, each of them once."""
    parts = _TOKEN.findall(text)
    named = [part for part in parts if part in _LETTERS]
    return "".join(parts) == text and len(set(named)) == len(named)


@lru_cache(maxsize=256)
def _pattern(form: str) -> re.Pattern[str]:
    parts = (
        f"(?P<{_LETTERS[part]}>[0-9]{{{len(part)}}})" if part in _LETTERS else re.escape(part)
        for part in _TOKEN.findall(form)
    )
    return re.compile("".join(parts))


def parsed(text: str, form: str) -> datetime.datetime:
    """A text in a format; what the format leaves out is that of 1970-01-01 00:00:00."""
    match = _pattern(form).fullmatch(text)
    numbers = (
        {} if match is None else {name: int(value) for name, value in match.groupdict().items()}
    )
    try:
        if match is not None:
            return datetime.datetime(1970, 1, 1).replace(**numbers)  # type: ignore[arg-type]
    except ValueError:
        pass
    raise StatementFailure("CANNOT_PARSE_TIMESTAMP", f"{text!r} is not of the format {form!r}")


def parsed_day(text: str, form: str) -> datetime.date:
    """The day of a text in a format."""
    return parsed(text, form).date()


def formatted(moment: datetime.datetime, form: str) -> str:
    """A timestamp in a format."""
    parts = (
        f"{getattr(moment, _LETTERS[part]):0{len(part)}d}" if part in _LETTERS else part
        for part in _TOKEN.findall(form)
    )
    return "".join(parts)


def add_months(day: datetime.date, months: int) -> datetime.date:
    """The same day of another month, or its last one where it is shorter."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    if not 1 <= year <= datetime.MAXYEAR:
        raise UnsupportedSQL(f"{day} + {months} months lies beyond the year 9999, or before 1")
    last = calendar.monthrange(year, month + 1)[1]
    return day.replace(year, month + 1, min(day.day, last))


def last_day(day: datetime.date) -> datetime.date:
    """The last day of a day's month."""
    return day.replace(day=calendar.monthrange(day.year, day.month)[1])


_UNITS: dict[str, str] = {
    **dict.fromkeys(("YEAR", "YYYY", "YY"), "year"),
    "QUARTER": "quarter",
    **dict.fromkeys(("MONTH", "MM", "MON"), "month"),
    "WEEK": "week",
    **dict.fromkeys(("DAY", "DD"), "day"),
    "HOUR": "hour",
    "MINUTE": "minute",
    "SECOND": "second",
}
_OF_DAYS = frozenset({"year", "quarter", "month", "week"})


def is_unit(unit: str, of_days: bool = False) -> bool:
    """Whether date_trunc takes a unit; with ``of_days`` whether trunc does, which knows fewer."""
    name = _UNITS.get(unit.upper())
    return name is not None and (not of_days or name in _OF_DAYS)


def truncated_day(day: datetime.date, unit: str) -> datetime.date:
    """The first day of a day's year, quarter, month or week (from Monday)."""
    match _UNITS[unit.upper()]:
        case "year":
            return day.replace(month=1, day=1)
        case "quarter":
            return day.replace(month=(day.month - 1) // 3 * 3 + 1, day=1)
        case "month":
            return day.replace(day=1)
    return day - day.weekday() * _DAY


def truncated(moment: datetime.datetime, unit: str) -> datetime.datetime:
    """The beginning of a timestamp's unit."""
    name = _UNITS[unit.upper()]
    moment = moment.replace(microsecond=0)
    for smaller in ("second", "minute", "hour"):
        if name == smaller:
            return moment
        moment = moment.replace(**{smaller: 0})  # type: ignore[arg-type]
    if name == "day":
        return moment
    day = truncated_day(moment.date(), unit)
    return datetime.datetime(day.year, day.month, day.day)


EPOCH = datetime.datetime(1970, 1, 1)


def seconds(moment: datetime.datetime) -> int:
    """The whole seconds since 1970."""
    return (moment - EPOCH) // datetime.timedelta(seconds=1)


def from_seconds(number: int, form: str) -> str:
    """The moment so many seconds after 1970, in a format."""
    try:
        return formatted(EPOCH + datetime.timedelta(seconds=number), form)
    except OverflowError as error:
        raise UnsupportedSQL(f"{number} seconds since 1970 lie beyond the year 9999") from error


def moved(moment: datetime.datetime, months: int, micros: int) -> datetime.datetime:
    """A timestamp some months and then some microseconds later."""
    try:
        day = add_months(moment, months)
        assert isinstance(day, datetime.datetime)
        return day + datetime.timedelta(microseconds=micros)
    except OverflowError as error:
        raise UnsupportedSQL(f"{moment} is moved beyond the year 9999, or before 1") from error


FIELDS: dict[str, Callable[[datetime.datetime], int]] = {
    "hour": lambda moment: moment.hour,
    "minute": lambda moment: moment.minute,
    "second": lambda moment: moment.second,
}
"""Parts of a timestamp, by the name of their function."""

DAY_FIELDS: dict[str, Callable[[datetime.date], int]] = {
    "day": lambda day: day.day,
    "month": lambda day: day.month,
    "year": lambda day: day.year,
    "dayofweek": lambda day: day.isoweekday() % 7 + 1,
    "dayofyear": lambda day: day.timetuple().tm_yday,
    "quarter": lambda day: (day.month - 1) // 3 + 1,
    "weekday": lambda day: day.weekday(),
    "weekofyear": lambda day: day.isocalendar().week,
}
"""Parts of a date, likewise."""
