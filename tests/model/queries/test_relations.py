"""Queries of several parts: their rows beside those of DuckDB, and what reaches the scans."""

from __future__ import annotations

from collections import Counter

import duckdb
import pytest

from model.errors import InvalidScenario
from model.expressions import syntax as expressions
from model.history import Row
from model.queries import alone, flat
from model.sql.queries.relation import relation
from model.sql.source import Source
from model.tables.table import Table
from model.values.types import INT

T = Table("t", ("k", "p", "v"), (INT, INT, INT), partitions=(1,))
S = Table("s", ("k", "p", "v"), (INT, INT, INT))
TABLES = {"t": T, "s": S}
ROWS: dict[str, tuple[Row, ...]] = {
    "t": ((1, 1, 10), (1, 2, 11), (2, 1, 20), (3, 2, None), (None, 1, 40), (5, None, 50)),
    "s": ((1, 1, 100), (2, 2, 200), (2, 2, 200), (None, 1, 300), (9, None, 900)),
}
QUERIES = (
    "SELECT 5, 1, 50",
    "SELECT 1 AS k UNION ALL SELECT 2 UNION ALL SELECT 2",
    "SELECT 1 AS k UNION SELECT 2 UNION SELECT 2",
    "SELECT * FROM (VALUES (1, 2), (3, 4)) AS x(a, b) WHERE a > 1",
    "SELECT k FROM t UNION SELECT k FROM s",
    "SELECT DISTINCT p FROM t",
    "SELECT s.k, t.v FROM s JOIN t ON s.k = t.k",
    "SELECT s.k, t.v FROM s, t WHERE s.k = t.k AND t.p = 1",
    "SELECT s.*, t.v FROM s LEFT JOIN t ON s.k = t.k AND t.p = 1",
    "SELECT s.k, t.k FROM s RIGHT JOIN t ON s.k = t.k",
    "SELECT s.k, t.k FROM s FULL JOIN t ON s.k = t.k AND s.v > 100",
    "SELECT s.k FROM s LEFT JOIN t ON s.k = t.k WHERE t.k IS NULL",
    "SELECT s.k FROM s LEFT JOIN t ON s.k = t.k WHERE t.v > 10",
    "SELECT a.k, b.k FROM t a CROSS JOIN t b WHERE a.p < b.p",
    "SELECT s.* FROM s SEMI JOIN t ON t.k = s.k",
    "SELECT s.* FROM s ANTI JOIN t ON t.k = s.k",
    "SELECT * FROM s WHERE EXISTS (SELECT 1 FROM t WHERE t.k = s.k AND t.p = 2)",
    "SELECT * FROM s WHERE NOT EXISTS (SELECT 1 FROM t WHERE t.k = s.k AND v > 10)",
    "SELECT * FROM s WHERE k IN (SELECT k FROM t WHERE p = 1)",
    "SELECT * FROM s WHERE k NOT IN (SELECT k FROM t)",
    "SELECT * FROM s WHERE k NOT IN (SELECT k FROM t WHERE k IS NOT NULL)",
    "SELECT * FROM s WHERE v > (SELECT avg(v) FROM t) AND p = 1",
    "SELECT (SELECT max(k) FROM t) + 1, (SELECT count(*) FROM s)",
    "SELECT x.p, x.n FROM (SELECT p, count(*) AS n FROM t GROUP BY p) x WHERE x.n > 1",
    "SELECT p, sum(v) FROM t GROUP BY p HAVING count(*) > 1 ORDER BY p",
    "SELECT s.p, sum(t.v), count(*) FROM s JOIN t ON s.p = t.p GROUP BY s.p",
    "WITH x AS (SELECT * FROM s WHERE v > 100), y AS (SELECT k FROM x) SELECT * FROM y",
    "SELECT a.k FROM (SELECT k FROM t WHERE p = 1) a JOIN (SELECT k FROM s) b ON a.k = b.k",
)


def parsed(text: str) -> tuple[Row, ...]:
    tree = Source(text, text, {}, "t", TABLES).tree()
    return flat(alone(relation(tree, TABLES).relation, ROWS)[0])


@pytest.fixture(scope="module")
def database() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    for name, rows in ROWS.items():
        connection.execute(f"CREATE TABLE {name} (k int, p int, v int)")
        connection.executemany(f"INSERT INTO {name} VALUES (?, ?, ?)", rows)
    return connection


@pytest.mark.parametrize("text", QUERIES)
def test_a_query_has_the_rows_that_duckdb_gives(
    database: duckdb.DuckDBPyConnection, text: str
) -> None:
    assert Counter(parsed(text)) == Counter(database.execute(text).fetchall())


def scanned(text: str) -> dict[str, str]:
    """The condition of the scan of each table."""
    tree = Source(text, text, {}, "t", TABLES).tree()
    scans = relation(tree, TABLES).relation.scans
    return {scan.table: expressions.sql(scan.condition) for scan in scans}


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("SELECT 1 FROM s JOIN t ON s.k = t.k", "k IS NOT NULL"),
        ("SELECT 1 FROM s JOIN t ON s.p = t.p WHERE s.p = 1", "p = 1 AND p IS NOT NULL"),
        ("SELECT 1 FROM s LEFT JOIN t ON s.k = t.k AND t.p = 2", "p = 2 AND k IS NOT NULL"),
        ("SELECT 1 FROM s ANTI JOIN t ON s.k = t.k", "k IS NOT NULL"),
        ("SELECT 1 FROM s FULL JOIN t ON s.k = t.k", "TRUE"),
        ("SELECT 1 FROM s WHERE NOT EXISTS (SELECT 1 FROM t WHERE t.k = s.k)", "TRUE"),
        ("SELECT 1 FROM s WHERE EXISTS (SELECT 1 FROM t WHERE t.k = s.k AND p = 2)", "p = 2"),
        ("SELECT 1 FROM s WHERE k NOT IN (SELECT k FROM t WHERE p = 1)", "p = 1"),
        ("SELECT 1 FROM (SELECT 1 AS k) s JOIN t ON t.k = s.k", "k = 1"),
        ("SELECT 1 FROM (VALUES (1)) AS s(k) JOIN t ON t.k = s.k", "k IS NOT NULL"),
    ],
)
def test_what_follows_for_the_target_reaches_its_scan(text: str, condition: str) -> None:
    assert scanned(text)["t"].startswith(condition)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("SELECT 1 FROM s WHERE EXISTS (SELECT 1 FROM t)", "one side's columns alone"),
        ("SELECT k FROM s JOIN t ON s.k = t.k", "'k' could be of several tables"),
        ("SELECT x.k FROM s", "unknown table 'x'"),
        ("SELECT * FROM s LIMIT 1", "LIMIT is not supported"),
        ("SELECT 1 UNION SELECT 1, 2", "differ in width"),
        ("SELECT (SELECT k FROM t)", "is an aggregate here"),
    ],
)
def test_a_query_that_is_not_read_says_why(text: str, told: str) -> None:
    with pytest.raises(InvalidScenario, match=told):
        parsed(text)


def test_a_join_reads_only_rows_with_a_partner() -> None:
    text = "SELECT s.* FROM s ANTI JOIN t ON t.k = s.k"
    found = relation(Source(text, text, {}, "t", TABLES).tree(), TABLES).relation
    (_, read) = alone(found, ROWS)[1]
    assert [row for row in ROWS["t"] if read.matches(row)] == [(1, 1, 10), (1, 2, 11), (2, 1, 20)]
