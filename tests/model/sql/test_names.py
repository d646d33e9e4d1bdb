"""Names of tables in statements, found and replaced."""

from __future__ import annotations

import pytest

from model.errors import InvalidScenario
from model.sql.names import mentioned_tables, name_of, renamed, written_table

NAMES = {
    ("a", "b"): "t",
    ("main", "my orders"): "t",
    ("x", "y"): "s",
    ("delta", "/tmp/x"): "t",
    ("t",): "t",
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("DELETE FROM a.b WHERE b.k = 1 AND a.b.p = 2", "DELETE FROM t WHERE t.k = 1 AND t.p = 2"),
        ("DELETE FROM A.`B`  WHERE `k x` = 'a.b'", "DELETE FROM t  WHERE `k x` = 'a.b'"),
        ("SET a.b = 1; INSERT INTO a.b SELECT 1", "SET a.b = 1; INSERT INTO t SELECT 1"),
        (
            "MERGE INTO main.`my orders` o USING x.y ON o.k = y.k WHEN MATCHED THEN DELETE",
            "MERGE INTO t o USING s ON o.k = s.k WHEN MATCHED THEN DELETE",
        ),
        (
            "WITH b AS (SELECT * FROM x.y) SELECT b.k FROM b",
            "WITH b AS (SELECT * FROM s) SELECT b.k FROM b",
        ),
        ("SELECT b.k FROM a.b JOIN c b ON b.k = 1", "SELECT b.k FROM t JOIN c b ON b.k = 1"),
        ("OPTIMIZE a.b ZORDER BY (b)", "OPTIMIZE t ZORDER BY (b)"),
        ("ALTER TABLE a.b ADD COLUMN b int", "ALTER TABLE t ADD COLUMN b int"),
        ("DELETE FROM delta.`/tmp/x`", "DELETE FROM t"),
        ("DELETE FROM t WHERE t.k = 1", "DELETE FROM t WHERE t.k = 1"),
        ("this is not SQL", "this is not SQL"),
    ],
)  # fmt: skip
def test_tables_are_renamed_and_nothing_else(text: str, expected: str) -> None:
    assert renamed(text, NAMES) == expected
    assert renamed(expected, NAMES) == expected


@pytest.mark.parametrize(
    "text",
    [
        "DELETE FROM a.b",
        "INSERT INTO a.b SELECT * FROM x.y",
        "WITH q AS (SELECT * FROM x.y) INSERT INTO a.b SELECT * FROM q",
        "INSERT OVERWRITE a.b PARTITION (p = 1) SELECT 1",
        "UPDATE a.b SET v = (SELECT max(v) FROM x.y)",
        "MERGE INTO a.b t USING x.y s ON t.k = s.k WHEN MATCHED THEN DELETE",
        "TRUNCATE TABLE a.b",
        "CREATE OR REPLACE TABLE a.b (k int) USING delta",
        "CREATE TABLE a.b USING delta AS SELECT * FROM x.y",
        "ALTER TABLE a.b ADD CONSTRAINT c CHECK (k > 0)",
        "COMMENT ON TABLE a.b IS 'x'",
        "OPTIMIZE a.b",
        "VACUUM a.b",
        "REORG TABLE a.b APPLY (PURGE)",
        "RESTORE TABLE a.b TO VERSION AS OF 1",
    ],
)
def test_a_statement_tells_the_table_that_it_writes(text: str) -> None:
    assert written_table(text) == ("a", "b")
    assert ("a", "b") in mentioned_tables(text)
    assert (("x", "y") in mentioned_tables(text)) == ("x.y" in text)


def test_a_query_writes_no_table() -> None:
    assert written_table("SELECT * FROM a.b") is None
    assert written_table("not SQL at all (") is None


def test_a_name_is_read_as_in_a_statement() -> None:
    assert name_of("Main.sales.`My Orders`") == ("main", "sales", "my orders")
    assert name_of("my orders") == ("my orders",)
    assert name_of("a.b.c.d") == ("a", "b", "c", "d")
    with pytest.raises(InvalidScenario):
        name_of("`a")
