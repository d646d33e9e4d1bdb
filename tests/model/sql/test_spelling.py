"""Spellings that Spark reads in a way of its own: partition values, names of casts, zones."""

from __future__ import annotations

import datetime
from decimal import Decimal

import pytest

from model.errors import InvalidScenario, StatementFailure
from model.expressions.evaluation import evaluator
from model.history import Value
from model.sql import parse_statement
from model.statements import InsertSelect, InsertValues, Overwrite
from model.tables.table import Table
from model.values import texts
from model.values.types import (
    BOOLEAN,
    DATE,
    INT,
    NOT_CAST,
    STRING,
    TIMESTAMP,
    ColumnType,
    decimal,
)

TYPES = (INT, decimal(5, 2), STRING, BOOLEAN, DATE, TIMESTAMP)


def partitioned(type_: ColumnType) -> Table:
    return Table("t", ("k", "p"), (INT, type_), (1,))


@pytest.mark.parametrize(
    ("type_", "written", "value"),
    [
        (DATE, "'2026-03-01'", datetime.date(2026, 3, 1)),
        (DATE, "TIMESTAMP '2024-01-01 10:00:00'", datetime.date(2024, 1, 1)),
        (INT, "' 1 '", 1),
        (STRING, "1.50", "1.50"),
        (STRING, "true", "true"),
        (BOOLEAN, "'yes'", True),
        (decimal(5, 2), "'1.234'", Decimal("1.23")),
        (TIMESTAMP, "'2024-01-01'", datetime.datetime(2024, 1, 1)),
        (INT, "NULL", None),
    ],
)
def test_a_static_partition_value_is_cast_from_its_text(
    type_: ColumnType, written: str, value: Value
) -> None:
    table = partitioned(type_)
    text = f"INSERT INTO t PARTITION (p = {written}) VALUES (1)"
    insert = parse_statement(text, "t", {"t": table})
    assert isinstance(insert, InsertValues)
    assert insert.rows == ((1, value),)
    overwrite = parse_statement(text.replace("INTO", "OVERWRITE"), "t", {"t": table})
    assert isinstance(overwrite, Overwrite)
    assert evaluator(overwrite.replaced)((1, value)) is True
    assert (overwrite.refused is None) == (type_ is not BOOLEAN)


@pytest.mark.parametrize(
    ("type_", "written", "error_class"),
    [
        (INT, "1.5", "CAST_INVALID_INPUT"),
        (INT, "3000000000", "CAST_INVALID_INPUT"),
        (INT, "true", "CAST_INVALID_INPUT"),
        (DATE, "1", "CAST_INVALID_INPUT"),
        (decimal(5, 2), "1000", "NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION"),
    ],
)
def test_a_static_partition_value_that_is_not_one_of_the_type_fails(
    type_: ColumnType, written: str, error_class: str
) -> None:
    text = f"INSERT INTO t PARTITION (p = {written}) VALUES (1)"
    with pytest.raises(InvalidScenario) as error:
        parse_statement(text, "t", {"t": partitioned(type_)})
    assert error.value.error_class == error_class


def test_a_cast_column_keeps_its_name() -> None:
    tables = {
        "t": Table("t", ("k", "v"), (INT, STRING)),
        "s": Table("s", ("v", "k"), (INT, STRING)),
    }
    text = "INSERT INTO t BY NAME SELECT s.k::int, CAST(v AS STRING) FROM s"
    statement = parse_statement(text, "t", tables)
    assert isinstance(statement, InsertSelect)
    assert statement.positions == (0, 1)


@pytest.mark.parametrize("source", TYPES)
@pytest.mark.parametrize("target", TYPES)
def test_families_are_cast_to_each_other_or_refused_by_a_known_error(
    source: ColumnType, target: ColumnType
) -> None:
    tables = {"t": Table("t", ("v",), (target,)), "s": Table("s", ("v",), (source,))}
    refused = NOT_CAST.get((source.family, target.family))
    text = "INSERT INTO t SELECT v FROM s"
    if refused is None:
        assert isinstance(parse_statement(text, "t", tables), InsertSelect)
        return
    with pytest.raises(InvalidScenario) as error:
        parse_statement(text, "t", tables)
    assert error.value.error_class == f"DATATYPE_MISMATCH.CAST_{refused}"


@pytest.mark.parametrize(
    ("zone", "minutes"),
    [
        ("Z", 0), (" UTC", 0), (" GMT", 0), ("+0000", 0), (" +0000", 0), ("+01:30", 90),
        (" -0130", -90), ("+1", 60), ("+01", 60), (" GMT+2", 120), (" UTC+1", 60),
        ("-1:5", -65), ("+01:3", 63), ("+1:30", 90), ("+18:00", 1080), (" Europe/Berlin", 60),
        (" CET", 60),
    ],
)  # fmt: skip
def test_a_timestamp_may_say_its_zone_behind_the_seconds(zone: str, minutes: int) -> None:
    local = datetime.datetime(2024, 1, 1, 10)
    assert texts.timestamp_of(f"{local}{zone}") == local - datetime.timedelta(minutes=minutes)


@pytest.mark.parametrize(
    "text",
    [
        "2024-01-01 10:00+0000",
        "2024-01-01 +0000",
        "2024-01-01 10:00:00+1900",
        "2024-01-01 10:00:00+18:01",
        "2024-01-01 10:00:00+0060",
        "2024-01-01 10:00:00+130",
    ],
)
def test_other_zones_are_no_timestamps(text: str) -> None:
    with pytest.raises(StatementFailure) as failure:
        texts.timestamp_of(text)
    assert failure.value.error_class == "CAST_INVALID_INPUT"


@pytest.mark.parametrize(
    "text",
    [
        "MERGE INTO t USING s ON t.v = s.v WHEN MATCHED DELETE",
        "MERGE INTO t USING s ON t.v = s.v WHEN NOT MATCHED INSERT *",
        "MERGE INTO t USING s ON t.v = s.v WHEN MATCHED AND CASE WHEN t.v = 1 THEN TRUE END "
        "UPDATE SET v = 1",
        "OPTIMIZE t ZORDER BY (timestamp)",
        "OPTIMIZE t ZORDER BY (v, version)",
    ],
)
def test_delta_needs_then_and_backquotes(text: str) -> None:
    names = ("v", "timestamp", "version")
    tables = {name: Table(name, names, (INT, INT, INT)) for name in "ts"}
    with pytest.raises(InvalidScenario) as error:
        parse_statement(text, "t", tables)
    assert error.value.error_class == "PARSE_SYNTAX_ERROR"
    quoted = text.replace("(timestamp)", "(`timestamp`)").replace("version", "`version`")
    then = quoted.replace("MATCHED DELETE", "MATCHED THEN DELETE")
    then = then.replace("INSERT", "THEN INSERT").replace("END UPDATE", "END THEN UPDATE")
    assert parse_statement(then, "t", tables)
