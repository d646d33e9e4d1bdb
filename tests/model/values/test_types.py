"""Column types: their names, the types in which numbers meet, and what a column holds."""

from __future__ import annotations

import datetime
import math
from decimal import Decimal

import pytest

from model.errors import InvalidScenario, StatementFailure
from model.history import Value
from model.sql import parse_statement
from model.statements import InsertValues
from model.tables.table import Table
from model.values.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    INT,
    NULL,
    STRING,
    TIMESTAMP,
    UPDATE_OVERFLOW,
    ColumnType,
    decimal,
    literal_type,
    parse_type,
    sql_literal,
    storable,
    store,
    widen,
    wider,
)
from model.values.unknown import Unknown


@pytest.mark.parametrize(
    ("text", "type_"),
    [
        ("int", INT),
        ("INTEGER", INT),
        (" long ", BIGINT),
        ("bigint", BIGINT),
        ("double", DOUBLE),
        ("decimal(5, 2)", decimal(5, 2)),
        ("timestamp", TIMESTAMP),
    ],
)
def test_a_type_goes_by_its_sql_names(text: str, type_: ColumnType) -> None:
    assert parse_type(text) == type_


@pytest.mark.parametrize("text", ["flot", "decimal(39,0)", "decimal(2,3)", "array", "varchar(x)"])
def test_an_unknown_type_is_refused_with_the_known_ones(text: str) -> None:
    with pytest.raises(InvalidScenario, match=r"unknown column type .* bigint"):
        parse_type(text)


@pytest.mark.parametrize(
    ("one", "other", "met"),
    [
        (INT, BIGINT, BIGINT),
        (INT, DOUBLE, DOUBLE),
        (decimal(38, 0), DOUBLE, DOUBLE),
        (decimal(5, 2), decimal(3, 0), decimal(5, 2)),
        (decimal(5, 2), decimal(4, 3), decimal(6, 3)),
        (INT, decimal(5, 2), decimal(12, 2)),
        (BIGINT, decimal(3, 1), decimal(21, 1)),
        (NULL, INT, INT),
        (STRING, NULL, STRING),
    ],
)
def test_two_types_meet_in_one_that_holds_both(
    one: ColumnType, other: ColumnType, met: ColumnType
) -> None:
    assert wider(one, other) == wider(other, one) == met


def test_decimals_without_a_common_type_are_refused() -> None:
    with pytest.raises(InvalidScenario, match="no common type"):
        wider(decimal(38, 0), decimal(38, 38))


def test_a_whole_constant_meets_a_decimal_with_its_own_digits() -> None:
    assert literal_type(1, INT) == decimal(1, 0)
    assert literal_type(-120, BIGINT) == decimal(3, 0)
    assert literal_type(Decimal("1.50"), decimal(3, 2)) == decimal(3, 2)


@pytest.mark.parametrize(
    ("value", "type_", "wide"),
    [
        (9007199254740993, DOUBLE, 9007199254740992.0),
        (7, decimal(12, 2), Decimal("7.00")),
        (Decimal("1.5"), decimal(4, 3), Decimal("1.500")),
        (None, DOUBLE, None),
        ("a", STRING, "a"),
    ],
)
def test_a_value_is_widened_to_the_type_in_which_it_is_met(
    value: Value, type_: ColumnType, wide: Value
) -> None:
    assert repr(widen(value, type_)) == repr(wide)


@pytest.mark.parametrize(
    ("value", "type_", "stored"),
    [
        (1.9, INT, 1),
        (-1.9, INT, -1),
        (2147483647.9, INT, 2147483647),
        (float(1 << 63), BIGINT, (1 << 63) - 1),
        (1, DOUBLE, 1.0),
        (Decimal("1.555"), decimal(5, 2), Decimal("1.56")),
        (Decimal("-1.555"), decimal(5, 2), Decimal("-1.56")),
        (0.1, decimal(5, 2), Decimal("0.10")),
        (math.inf, decimal(5, 2), None),
        (math.nan, decimal(5, 2), None),
        (True, STRING, "true"),
        (12, STRING, "12"),
        (datetime.date(2024, 1, 31), STRING, "2024-01-31"),
        (datetime.date(2024, 1, 31), TIMESTAMP, datetime.datetime(2024, 1, 31)),
        (None, INT, None),
    ],
)
def test_a_column_holds_a_value_in_its_own_type(
    value: Value, type_: ColumnType, stored: Value
) -> None:
    assert repr(store(value, type_)) == repr(stored)


@pytest.mark.parametrize(
    ("value", "type_"),
    [
        (1 << 31, INT),
        (-(1 << 31) - 1, INT),
        (1e300, BIGINT),
        (math.inf, INT),
        (math.nan, BIGINT),
        (Decimal("999.995"), decimal(5, 2)),
        (1000, decimal(5, 2)),
        (1e300, decimal(38, 0)),
    ],
)
def test_a_number_that_does_not_fit_fails_by_the_statement_s_name_for_it(
    value: Value, type_: ColumnType
) -> None:
    with pytest.raises(StatementFailure) as inserted:
        store(value, type_)
    assert inserted.value.error_class == "CAST_OVERFLOW_IN_TABLE_INSERT"
    with pytest.raises(StatementFailure) as updated:
        store(value, type_, UPDATE_OVERFLOW)
    assert updated.value.error_class == "DELTA_CAST_OVERFLOW_IN_TABLE_WRITE"


@pytest.mark.parametrize(
    ("source", "target", "goes"),
    [
        (INT, BIGINT, True),
        (DOUBLE, INT, True),
        (NULL, DATE, True),
        (INT, STRING, True),
        (DATE, TIMESTAMP, True),
        (TIMESTAMP, DATE, True),
        (STRING, INT, True),
        (BOOLEAN, INT, True),
        (INT, BOOLEAN, True),
        (DOUBLE, STRING, False),
        (TIMESTAMP, BIGINT, True),
        (DOUBLE, TIMESTAMP, True),
        (BOOLEAN, TIMESTAMP, False),
        (DATE, INT, False),
    ],
)
def test_only_some_types_go_into_a_column(
    source: ColumnType, target: ColumnType, goes: bool
) -> None:
    assert storable(source, target) is goes


@pytest.mark.parametrize(
    ("value", "type_", "expected"),
    [
        (" 7 ", INT, 7),
        ("1.505", decimal(5, 2), Decimal("1.51")),
        ("2024-1-2", DATE, datetime.date(2024, 1, 2)),
        ("2024-01-02", TIMESTAMP, datetime.datetime(2024, 1, 2)),
        ("no", BOOLEAN, False),
        (2, BOOLEAN, True),
        (True, BIGINT, 1),
        (Decimal("1.50"), STRING, "1.50"),
        (datetime.datetime(2024, 1, 2, 3), DATE, datetime.date(2024, 1, 2)),
        (datetime.datetime(2024, 1, 2, 3), STRING, "2024-01-02 03:00:00"),
    ],
)
def test_a_value_of_another_type_is_cast_where_it_is_stored(
    value: Value, type_: ColumnType, expected: Value
) -> None:
    assert repr(store(value, type_)) == repr(expected)


@pytest.mark.parametrize(
    ("value", "type_", "error"),
    [
        ("1.0", INT, "CAST_INVALID_INPUT"),
        ("99999999999", INT, "CAST_INVALID_INPUT"),
        ("2024-02-30", DATE, "CAST_INVALID_INPUT"),
        ("1000.5", decimal(5, 2), "CAST_OVERFLOW_IN_TABLE_INSERT"),
    ],
)
def test_a_text_that_is_no_value_of_the_column_fails(
    value: Value, type_: ColumnType, error: str
) -> None:
    with pytest.raises(StatementFailure) as failure:
        store(value, type_)
    assert failure.value.error_class == error


VALUES: list[tuple[Value, ColumnType]] = [
    (None, INT),
    (-2147483648, INT),
    (-9223372036854775808, BIGINT),
    (0.1, DOUBLE),
    (1e300, DOUBLE),
    (-1.5, DOUBLE),
    (Decimal("-0.05"), decimal(5, 2)),
    (Decimal("99999999999999999999"), decimal(20, 0)),
    (True, BOOLEAN),
    ("it's \\ here", STRING),
    ("", STRING),
    (datetime.date(1969, 12, 31), DATE),
    (datetime.datetime(2024, 1, 1, 1, 2, 3, 500400), TIMESTAMP),
    (datetime.datetime(2024, 1, 1), TIMESTAMP),
]


@pytest.mark.parametrize(("value", "type_"), VALUES, ids=repr)
def test_a_literal_is_read_back_as_the_value_it_was_written_for(
    value: Value, type_: ColumnType
) -> None:
    table = Table("t", ("k",), (type_,))
    statement = parse_statement(f"INSERT INTO t VALUES ({sql_literal(value)})", "t", {"t": table})
    assert isinstance(statement, InsertValues)
    assert repr(statement.rows) == repr(((value,),))


@pytest.mark.parametrize("text", ["tinyint", "binary", "char(3)", "ARRAY<int>", "map<int, string>"])
def test_a_type_that_is_not_modelled_holds_unknown_values(text: str) -> None:
    type_ = parse_type(text)
    assert type_.family == "opaque"
    assert storable(INT, type_)
    assert store(None, type_) is None
    value = store(1, type_)
    assert isinstance(value, Unknown)
    assert value == store(1, type_)
    assert store(value, INT) is value


def test_a_decimal_without_digits_has_ten() -> None:
    assert parse_type("decimal") == parse_type("decimal(10,0)")
