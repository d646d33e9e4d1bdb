"""Random SQL expressions of each type over one small table, for comparing their values.

``typed_sql`` makes statements; here single values are the subject: decimal arithmetic, casts,
texts, days, and comparisons between types, on rows with NULL, NaN and the ends of ranges.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable
from decimal import Decimal
from random import Random

from model.history import Row
from model.scenario import TableSpec
from model.tables.table import table_from_spec

_Date, _Time = datetime.date, datetime.datetime
_NAN, _INFINITY = float("nan"), float("inf")

COLUMNS = {
    "k": "int",
    "b": "bigint",
    "d": "double",
    "m": "decimal(5,2)",
    "n": "decimal(12,4)",
    "s": "string",
    "u": "string",
    "f": "boolean",
    "dt": "date",
    "ts": "timestamp",
}
TABLE = table_from_spec("t", TableSpec(COLUMNS, (), (), {}, ()))


def _row(*values: object) -> Row:
    *plain, m, n = values
    k, b, d, s, u, f, dt, ts = plain
    exact = tuple(None if text is None else Decimal(str(text)) for text in (m, n))
    return (k, b, d, *exact, s, u, f, dt, ts)  # type: ignore[return-value]


ROWS: tuple[Row, ...] = (
    _row(1, 1, 1.0, "a", "1", True, _Date(2024, 1, 1), _Time(2024, 1, 1), "1.00", "1.0000"),
    _row(
        *(2, -5, 0.5, "ab", " 2 ", False, _Date(2024, 1, 31)),
        *(_Time(2024, 1, 1, 1, 2, 3, 500000), "1.50", "-2.5000"),
    ),
    _row(*(None,) * 10),
    _row(
        *(0, 3000000000, -1.5, "", "3.5", None, _Date(1969, 12, 31)),
        *(_Time(1969, 12, 31, 23, 59, 59), "-2.25", "0.0001"),
    ),
    _row(
        *(-7, 0, 0.0, "a'b", "true", True, _Date(2024, 2, 29)),
        *(_Time(2024, 2, 29, 12, 0, 0, 1), "0.01", "12345678.9999"),
    ),
    _row(5, 7, -0.0, "a" * 40 + "b", "abc", None, None, None, "-0.01", "0.0000"),
    _row(
        *(-3, -2, _NAN, "  b ", "1e3", True, _Date(2000, 1, 1)),
        *(_Time(2000, 1, 1, 0, 0, 0, 123456), "-999.99", "-0.5000"),
    ),
    _row(
        10,
        12,
        _INFINITY,
        "éB",
        "NaN",
        False,
        _Date(2024, 3, 1),
        _Time(2024, 3, 1),
        "0.50",
        "2.0000",
    ),
)

_COMPARISONS = ("=", "<>", "<", ">", "<=", ">=", "<=>")
ONE, NO = "'1'", "'no'"
_PATTERNS = ("a%", "%b", "%a%", "a_", "%", "_", "a%b", "", "ab", "%%", "é%")


class Values:
    """Random expressions; equal generators give equal ones. ``depth`` bounds the nesting."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def pick(self, *options: str) -> str:
        return options[int(self.random.random() * len(options))]

    def one_of(self, *makers: Callable[[], str]) -> str:
        return makers[int(self.random.random() * len(makers))]()

    def any(self) -> str:
        return self.one_of(
            self.number, self.number, self.text, self.day, self.moment, self.condition
        )

    def number(self, depth: int = 2) -> str:
        if depth <= 0 or self.random.random() < 0.25:
            constants = (
                "1",
                "0",
                "-1",
                "3",
                "1.5",
                "0.25",
                "100.125",
                "3000000000",
                "0.5D",
                "NULL",
            )
            return self.pick("k", "k", "b", "d", "m", "m", "n", *constants)

        def inner() -> str:
            return self.number(depth - 1)

        return self.one_of(
            lambda: f"({inner()} {self.pick('+', '-', '*')} {inner()})",
            lambda: f"({inner()} {self.pick('+', '-', '*')} {inner()})",
            lambda: f"({inner()} {self.pick('/', '%', 'div')} {inner()})",
            lambda: f"-({inner()})",
            lambda: f"abs({inner()})",
            lambda: f"{self.pick('coalesce', 'greatest', 'least', 'nullif')}({inner()}, {inner()})",
            lambda: f"IF({self.condition(depth - 1)}, {inner()}, {inner()})",
            lambda: f"round({inner()}, {self.pick('0', '1', '2')})",
            lambda: f"length({self.text(depth - 1)})",
            lambda: f"CAST({inner()} AS {self.pick('int', 'bigint', 'double', 'decimal(6,1)')})",
            lambda: f"CAST({self.text(depth - 1)} AS {self.pick('int', 'double', 'decimal(6,1)')})",
            lambda: f"{self.pick('year', 'month', 'day')}({self.day(depth - 1)})",
            lambda: f"datediff({self.day(depth - 1)}, {self.day(depth - 1)})",
            lambda: f"pmod(k, {self.pick('3', '-3', 'b')})",
            lambda: f"{self.pick('floor', 'ceil')}({self.pick('k', 'd', 'd * 1.5D')})",
        )

    def text(self, depth: int = 2) -> str:
        if depth <= 0 or self.random.random() < 0.3:
            return self.pick("s", "u", "s", "'a'", "'ab'", "''", "'1'", "' x '", "NULL", "'é'")

        def inner() -> str:
            return self.text(depth - 1)

        return self.one_of(
            lambda: f"{self.pick('upper', 'lower', 'trim', 'ltrim', 'rtrim')}({inner()})",
            lambda: f"concat({inner()}, {self.pick('k', 'm', 'dt', 'f', inner())})",
            lambda: f"({inner()} || {inner()})",
            lambda: (
                f"substring({inner()}, {self.pick('0', '1', '-1', '-3')}, {self.pick('1', '9')})"
            ),
            lambda: f"{self.pick('left', 'right')}({inner()}, {self.pick('0', '1', '-1', '50')})",
            lambda: f"replace({inner()}, 'a', {inner()})",
            lambda: f"CAST({self.pick('k', 'b', 'm', 'n', 'dt', 'ts', 'f')} AS string)",
            lambda: f"{self.pick('coalesce', 'nullif', 'greatest')}({inner()}, {inner()})",
        )

    def day(self, depth: int = 2) -> str:
        if depth <= 0 or self.random.random() < 0.35:
            return self.pick("dt", "dt", "DATE '2024-01-31'", "DATE '2024-02-29'")

        def inner() -> str:
            return self.day(depth - 1)

        units = ("1 DAY", "1 MONTH", "1 YEAR", "13 MONTHS")
        return self.one_of(
            lambda: f"({inner()} {self.pick('+', '-')} {self.pick('1', 'k', '31')})",
            lambda: f"{self.pick('date_add', 'date_sub')}({inner()}, {self.pick('1', 'k', '365')})",
            lambda: f"({inner()} {self.pick('+', '-')} INTERVAL {self.pick(*units)})",
            lambda: f"CAST({self.pick('ts', 'u')} AS DATE)",
            lambda: f"to_date({self.pick('ts', 'u', 'dt')})",
            lambda: f"coalesce({inner()}, {inner()})",
        )

    def moment(self, depth: int = 1) -> str:
        units = ("1 DAY", "1 HOUR", "90 MINUTES", "1 SECOND")
        return self.one_of(
            lambda: f"(ts {self.pick('+', '-')} INTERVAL {self.pick(*units)})",
            lambda: f"CAST({self.day(depth - 1)} AS TIMESTAMP)",
            lambda: "coalesce(ts, TIMESTAMP '2024-01-01 00:00:00')",
        )

    def condition(self, depth: int = 2) -> str:
        def compare() -> str:
            return self.pick(*_COMPARISONS)

        below = depth - 1
        return self.one_of(
            lambda: f"{self.number(below)} {compare()} {self.number(below)}",
            lambda: f"{self.text(below)} {compare()} {self.text(below)}",
            lambda: f"{self.day(below)} {compare()} {self.day(below)}",
            lambda: f"ts {compare()} {self.moment()}",
            lambda: f"{self.text(below)} {self.pick('', 'NOT ')}LIKE '{self.pick(*_PATTERNS)}'",
            lambda: f"{self.pick('startswith', 'endswith', 'contains')}({self.text(below)}, u)",
            lambda: f"{self.pick('k', 'b', 'd', 'm')} {compare()} {self.pick(ONE, 'u')}",
            lambda: f"dt {compare()} '{self.pick('2024-01-01', '2024-1-31', '2024', '2024-02')}'",
            lambda: f"ts {compare()} '{self.pick('2024-01-01', '2024-01-01 01:02:03.5')}'",
            lambda: f"{self.pick('ts', 'dt')} {compare()} {self.pick('dt', 'ts')}",
            lambda: f"f {compare()} {self.pick(NO, 'TRUE')}",
            lambda: f"k IS {self.pick('', 'NOT ')}DISTINCT FROM {self.number(below)}",
            lambda: f"k IN (1, '2', {self.pick('NULL', '3', 'b')})",
            lambda: f"dt BETWEEN '2024-01-01' AND {self.day(below)}",
            lambda: "isnan(d)",
        )
