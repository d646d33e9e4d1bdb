"""Scalar functions, casts and arithmetic by value: what Spark gives, one fact each."""

from __future__ import annotations

import datetime
import math
from decimal import Decimal

import pytest

from model.errors import InvalidScenario, StatementFailure, UnsupportedSQL
from model.expressions.evaluation import evaluator
from model.history import Value
from model.queries.query import Query
from model.sql import parse_statement
from model.statements import Select
from tests.model.expressions.calls import CALLS, FAILING
from tests.model.expressions.random_values import ROWS, TABLE

NAMES = TABLE.names


def outputs(text: str) -> Query:
    statement = parse_statement(text, "t", {"t": TABLE})
    assert isinstance(statement, Select)
    return statement.query


def value(text: str, **values: Value) -> Value:
    (output,) = outputs(f"SELECT {text} FROM t").outputs
    return evaluator(output)(tuple(values.get(name) for name in NAMES))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("m + 1", "11.50"),
        ("m * 1.1", "11.550"),
        ("m / 3", "3.500000"),
        ("m % 0.4", "0.10"),
        ("k * 1.5", "3.0"),
        ("-m", "-10.50"),
        ("round(m)", "11"),
        ("m * n", "10.500000"),
        ("n / 3", "0.333333"),
        ("m / n / n / n / n", "10.5000000000000000000"),
        ("b + 0.5", "3.5"),
        ("-0.001 + 0.001", "0.000"),
        ("CAST(-0.001 AS DECIMAL(5,2))", "0.00"),
    ],
)
def test_decimals_have_the_digits_that_their_operands_give_them(text: str, expected: str) -> None:
    found = value(text, k=2, b=3, m=Decimal("10.50"), n=Decimal("1.0000"))
    assert repr(found) == f"Decimal('{expected}')"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("7 div 2", 3),
        ("-7 div 2", -3),
        ("k div 2.5", 2),
        ("pmod(-7, 3)", 2),
        ("pmod(-7, -3)", -1),
        ("floor(-1.5D)", -2),
        ("ceil(double('NaN'))", 0),
        ("round(2.5D)", 3.0),
        ("round(-0.5D)", -1.0),
        ("greatest(k, NULL, 2)", 5),
        ("nullif(k, 5)", None),
        ("nvl2(k, 1, 2)", 1),
        ("IF(k > 5, 1, 2)", 2),
        ("IF(NULL = 1, 1, 2)", 2),
        ("isnan(d)", False),
        ("isnull(d)", True),
    ],
)
def test_functions_of_numbers(text: str, expected: Value) -> None:
    assert repr(value(text, k=5)) == repr(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("substring(s, 2)", "bcd"),
        ("substring(s, 0, 2)", "ab"),
        ("substring(s, -2, 1)", "c"),
        ("substring(s, -9, 6)", "a"),
        ("substring(s, 2, -1)", ""),
        ("left(s, 2) || right(s, 1)", "abd"),
        ("right(s, -1)", ""),
        ("trim('  x\t ')", "x\t"),
        ("concat(s, 1, NULL)", None),
        ("concat(s, k, f)", "abcd5true"),
        ("upper('ß')", "SS"),
        ("replace(s, '', 'x')", "abcd"),
        ("length('é')", 1),
        ("s LIKE 'a%d'", True),
        ("s LIKE 'A%'", False),
        ("s LIKE '_bcd'", True),
        ("s NOT LIKE NULL", None),
        ("'' LIKE '%'", True),
        ("CAST(m AS STRING)", "0.10"),
        ("CAST(ts AS STRING)", "2024-01-01 00:00:00.5"),
    ],
)
def test_functions_of_texts(text: str, expected: Value) -> None:
    moment = datetime.datetime(2024, 1, 1, microsecond=500000)
    assert value(text, s="abcd", k=5, f=True, m=Decimal("0.10"), ts=moment) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("dt + 1", "2024-02-01"),
        ("dt - INTERVAL 1 DAY", "2024-01-30"),
        ("dt + INTERVAL 1 MONTH", "2024-02-29"),
        ("dt - INTERVAL 11 MONTHS", "2023-02-28"),
        ("dt + INTERVAL 1 YEAR", "2025-01-31"),
        ("date_sub(dt, 31)", "2023-12-31"),
        ("CAST('2024' AS DATE)", "2024-01-01"),
        ("to_date('2024-1-2 10:00:00')", "2024-01-02"),
        ("CAST(dt AS TIMESTAMP) + INTERVAL 90 MINUTES", "2024-01-31 01:30:00"),
    ],
)
def test_days_and_moments(text: str, expected: str) -> None:
    assert str(value(text, dt=datetime.date(2024, 1, 31))) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("k = '5'", True),
        ("u = 7", True),
        ("m = '1.5'", True),
        ("dt >= '2024-01-01'", True),
        ("dt = ts", True),
        ("ts < '2024-02-01 00:00:00.000001'", True),
        ("k IN (1, '5')", True),
        ("f = 'yes'", True),
        ("d = 'NaN'", True),
    ],
)
def test_a_text_is_read_as_what_it_is_compared_with(text: str, expected: bool) -> None:
    day = datetime.date(2024, 2, 1)
    found = value(
        text,
        k=5,
        u=" 7 ",
        m=Decimal("1.50"),
        dt=day,
        ts=datetime.datetime(2024, 2, 1),
        f=True,
        d=math.nan,
    )
    assert found is expected


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("CAST(u AS INT)", "CAST_INVALID_INPUT"),
        ("u = 1", "CAST_INVALID_INPUT"),
        ("CAST(b AS INT)", "CAST_OVERFLOW"),
        ("CAST(d AS BIGINT)", "CAST_OVERFLOW"),
        (
            "m * 10000000000000000000000000000000000000",
            "NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION",
        ),
        ("m / (m - m)", "DIVIDE_BY_ZERO"),
        ("k div (k - k)", "DIVIDE_BY_ZERO"),
        ("abs(k)", "ARITHMETIC_OVERFLOW"),
    ],
)
def test_what_has_no_value_fails_as_in_spark(text: str, error: str) -> None:
    with pytest.raises(StatementFailure) as failure:
        value(text, u="1.0", b=1 << 40, d=math.nan, m=Decimal("999.99"), k=-(1 << 31))
    assert failure.value.error_class == error


@pytest.mark.parametrize(
    "text",
    [
        "s LIKE u",
        "s LIKE 'a\\\\%'",
        "CAST(d AS STRING)",
        "CAST(f AS INT)",
        "rand() > 0.5",
        "current_date() = dt",
        "dt - dt > 1",
        "count(k, b) > 1",
        "k + TRUE",
    ],
)
def test_what_is_not_known_to_mean_the_same_is_refused(text: str) -> None:
    with pytest.raises(UnsupportedSQL):
        outputs(f"SELECT {text} FROM t")


def test_a_day_past_the_calendar_is_refused_too() -> None:
    with pytest.raises(UnsupportedSQL, match="beyond the year"):
        value("dt + k", dt=datetime.date(2024, 1, 1), k=1 << 30)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("count(DISTINCT f)", [(2,)]),
        ("sum(m)", [(Decimal("-999.24"),)]),
        ("avg(m)", [(Decimal("-142.748571"),)]),
        ("DISTINCT f", [(True,), (False,), (None,)]),
        ("f, count(*) FROM t GROUP BY 1 ORDER BY f", [(True, 3), (False, 2), (None, 3)]),
    ],
)
def test_aggregates_and_groups(text: str, expected: list[tuple[Value, ...]]) -> None:
    read = outputs(f"SELECT {text}" if "FROM" in text else f"SELECT {text} FROM t")
    assert sorted(map(repr, read.result(ROWS))) == sorted(map(repr, expected))


def test_a_zero_with_a_sign_and_the_other_are_one_group() -> None:
    rows = [(None, None, zero, *(None,) * 7) for zero in (0.0, -0.0, math.nan, math.nan)]
    read = outputs("SELECT d, count(*) FROM t GROUP BY d")
    assert sorted(map(repr, read.result(rows))) == ["(0.0, 2)", "(nan, 2)"]


@pytest.mark.parametrize(
    ("text", "error"),
    [("GROUP BY 3", "GROUP_BY_POS_OUT_OF_RANGE"), ("GROUP BY 2", "GROUP_BY_POS_AGGREGATE")],
)
def test_positions_in_group_by_are_checked(text: str, error: str) -> None:
    with pytest.raises(InvalidScenario) as failure:
        outputs(f"SELECT f, count(*) FROM t {text}")
    assert failure.value.error_class == error


@pytest.mark.parametrize("text", CALLS)
def test_a_call_resolves_without_opaque_parts(text: str) -> None:
    assert parse_statement(f"SELECT {text} FROM t", "t", {"t": TABLE})


@pytest.mark.parametrize(("text", "error_class"), FAILING.items())
def test_a_call_fails_with_its_error_class(text: str, error_class: str) -> None:
    statement = parse_statement(f"SELECT {text} FROM t", "t", {"t": TABLE})
    with pytest.raises(StatementFailure) as failure:
        statement.rerun({"t": ROWS})
    assert failure.value.error_class == error_class
