"""Statements that may change the definition of their table, told by their text alone."""

from __future__ import annotations

import pytest

from model.sql import parsed


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
def test_some_statements_may_change_the_definition(text: str) -> None:
    assert parsed(text).redefines


@pytest.mark.parametrize(
    "text",
    [
        "INSERT INTO t SELECT * FROM s",
        "INSERT INTO t VALUES ('INSERT WITH SCHEMA EVOLUTION INTO t')",
        "MERGE INTO t USING s ON t.k = s.k WHEN MATCHED THEN",
        "SET spark.databricks.delta.schema.autoMerge.enabled = false; INSERT INTO t SELECT 1",
        "SET spark.sql.sources.partitionOverwriteMode = dynamic; INSERT OVERWRITE t VALUES (1)",
    ],
)
def test_others_leave_it(text: str) -> None:
    assert not parsed(text).redefines
