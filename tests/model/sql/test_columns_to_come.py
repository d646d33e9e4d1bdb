"""Columns that statements will bring to a table."""

from __future__ import annotations

import pytest

from model.sql import brings_columns, columns_to_come
from model.values.types import INT, STRING, decimal


def test_columns_to_come_are_those_that_alter_table_adds() -> None:
    texts = [
        "ALTER TABLE t ADD COLUMN a int FIRST",
        "alter table t add columns (b string COMMENT 'b', c decimal(5,2) AFTER a);",
        "ALTER TABLE t DROP COLUMN a",
        "ALTER TABLE t ADD COLUMN d array<int>",
        "INSERT INTO t VALUES ('ALTER TABLE t ADD COLUMN e int')",
        "no statement at all",
        "ALTER TABLE t ADD COLUMN a int",
    ]
    assert columns_to_come(texts) == (
        ("a", INT),
        ("b", STRING),
        ("c", decimal(5, 2)),
        ("a", INT),
    )


@pytest.mark.parametrize(
    "text",
    [
        "MERGE WITH SCHEMA EVOLUTION INTO t USING s ON t.k = s.k WHEN MATCHED THEN DELETE",
        "INSERT WITH SCHEMA EVOLUTION INTO t SELECT * FROM s",
        "SET spark.databricks.delta.schema.autoMerge.enabled = true; INSERT INTO t SELECT * FROM s",
        "CREATE OR REPLACE TABLE t USING delta AS SELECT * FROM s",
        "REPLACE TABLE t (k int) USING delta",
        "ALTER TABLE t ALTER COLUMN v TYPE bigint",
    ],
)
def test_some_statements_bring_columns_or_types(text: str) -> None:
    assert brings_columns(text)


@pytest.mark.parametrize(
    "text",
    [
        "INSERT INTO t SELECT * FROM s",
        "CREATE TABLE t (k int) USING delta",
        "ALTER TABLE t ALTER COLUMN v COMMENT 'TYPE EVOLUTION'",
        "SET spark.sql.sources.partitionOverwriteMode = dynamic; INSERT OVERWRITE t VALUES (1)",
        "no statement at all",
    ],
)
def test_others_bring_none(text: str) -> None:
    assert not brings_columns(text)
