"""What a replay has to know of a statement before it runs."""

from __future__ import annotations

import pytest

from conformance.spark.replay import commits_again, rebinds, statements

SETTING = "SET spark.databricks.delta.schema.autoMerge.enabled = true; "


@pytest.mark.parametrize(
    "text",
    [
        "VACUUM t",
        "vacuum t RETAIN 0 HOURS",
        "ALTER TABLE t SET TBLPROPERTIES ('delta.enableRowTracking' = 'true')",
        "ALTER TABLE t SET TBLPROPERTIES (delta.enableRowTracking = true)",
        "ALTER TABLE t UNSET TBLPROPERTIES IF EXISTS ('delta.columnMapping.mode')",
        "alter table t drop feature deletionVectors",
        "ALTER TABLE t DROP FEATURE deletionVectors TRUNCATE HISTORY",
        SETTING + "VACUUM t",
    ],
)
def test_some_statements_may_commit_several_times(text: str) -> None:
    assert commits_again(text)


@pytest.mark.parametrize(
    "text",
    [
        "OPTIMIZE t",
        "ALTER TABLE t DROP COLUMN v",
        "ALTER TABLE t ALTER COLUMN v SET NOT NULL",
        "INSERT INTO t VALUES ('VACUUM t')",
        "no statement at all",
    ],
)
def test_others_commit_once(text: str) -> None:
    assert not commits_again(text)


@pytest.mark.parametrize(
    "text",
    [
        "CREATE TABLE t (k int) USING delta",
        "CREATE OR REPLACE TABLE t USING delta AS SELECT 1 AS k",
        "replace table t (k int) using delta",
        SETTING + "REPLACE TABLE t (k int) USING delta",
        "DROP TABLE t",
    ],
)
def test_some_statements_change_the_catalog(text: str) -> None:
    assert rebinds(text)


def test_others_leave_the_catalog_alone() -> None:
    for text in ("INSERT INTO t REPLACE WHERE k = 1 VALUES (1)", "TRUNCATE TABLE t", "no SQL"):
        assert not rebinds(text)


def test_settings_run_before_their_statement() -> None:
    assert statements("DELETE FROM t") == ("DELETE FROM t",)
    assert statements("SET a.b = c; SET d=1; DELETE FROM t;") == (
        "SET a.b=c",
        "SET d=1",
        "DELETE FROM t",
    )
    text = "INSERT INTO t VALUES ('a; b')"
    assert statements(f"SET a.b = c; {text}") == ("SET a.b=c", text)
