"""Comparisons of dates with timestamps: what statistics are asked, and that the meaning stays."""

from __future__ import annotations

import datetime

import pytest

from model.expressions.evaluation import evaluator
from model.expressions.simplification import simplify
from model.expressions.syntax import Cast, Column, Comparison, Expression, Literal, sql
from model.values.types import DATE, TIMESTAMP

DAY, MOMENT = Column(0, "dt", DATE), Column(0, "ts", TIMESTAMP)
NEW_YEAR, NOON = datetime.datetime(2024, 1, 1), datetime.datetime(2024, 1, 1, 12)


@pytest.mark.parametrize(
    ("operator", "moment", "expected"),
    [
        ("=", NEW_YEAR, "dt = DATE '2024-01-01'"),
        (">", NOON, "dt > DATE '2024-01-01'"),
        (">=", NOON, "dt > DATE '2024-01-01'"),
        (">=", NEW_YEAR, "dt >= DATE '2024-01-01'"),
        ("<", NOON, "dt <= DATE '2024-01-01'"),
        ("<", NEW_YEAR, "dt < DATE '2024-01-01'"),
        ("<=>", NOON, "FALSE"),
    ],
)
def test_a_date_made_a_timestamp_is_compared_as_a_date(
    operator: str, moment: datetime.datetime, expected: str
) -> None:
    condition = Comparison(operator, Cast(DAY, TIMESTAMP), Literal(moment, TIMESTAMP))
    assert sql(simplify(condition)) == expected


@pytest.mark.parametrize(
    ("operator", "expected"),
    [
        (">", "ts >= TIMESTAMP '2024-01-02 00:00:00'"),
        ("<=", "ts < TIMESTAMP '2024-01-02 00:00:00'"),
        ("<", "ts < TIMESTAMP '2024-01-01 00:00:00'"),
        (
            "=",
            "ts >= TIMESTAMP '2024-01-01 00:00:00' AND ts < TIMESTAMP '2024-01-02 00:00:00'",
        ),
        ("<=>", "CAST(ts AS date) <=> (DATE '2024-01-01')"),
    ],
)
def test_a_timestamp_made_a_date_is_compared_as_a_range(operator: str, expected: str) -> None:
    condition = Comparison(operator, Cast(MOMENT, DATE), Literal(NEW_YEAR.date(), DATE))
    assert sql(simplify(condition)).replace("(", "").replace(")", "") == expected.replace(
        "(", ""
    ).replace(")", "")


@pytest.mark.parametrize("mirrored", [True, False])
@pytest.mark.parametrize("operator", ["=", "<>", "<", "<=", ">", ">=", "<=>"])
def test_the_meaning_stays(operator: str, mirrored: bool) -> None:
    moments = (None, NEW_YEAR, NOON, NEW_YEAR - datetime.timedelta(microseconds=1))
    cases: list[tuple[Expression, Literal, tuple[object, ...]]] = [
        (Cast(MOMENT, DATE), Literal(NEW_YEAR.date(), DATE), moments),
        *(
            (Cast(DAY, TIMESTAMP), Literal(moment, TIMESTAMP), (None, NEW_YEAR.date()))
            for moment in (NEW_YEAR, NOON)
        ),
    ]
    for cast, literal, values in cases:
        sides = (literal, cast) if mirrored else (cast, literal)
        condition = Comparison(operator, *sides)
        for value in values:
            row = (value,)
            assert evaluator(simplify(condition))(row) == evaluator(condition)(row)  # type: ignore[arg-type]
