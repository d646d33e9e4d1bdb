"""Short ways to write a query, each beside the long way: both give the same rows."""

from __future__ import annotations

import pytest

from model.errors import InvalidScenario, UnsupportedSQL
from model.sql import parse_statement
from model.statements import Merge, Select
from model.tables.table import Table
from model.values.types import INT

TABLES = {
    "t": Table("t", ("k", "v"), (INT, INT)),
    "s": Table("s", ("k", "v", "w"), (INT, INT, INT)),
    "u": Table("u", ("w", "k"), (INT, INT)),
}
ROWS = {
    "t": ((1, 10), (2, 20)),
    "s": ((2, 1, 5), (3, 1, 6), (2, 7, 8), (None, 1, 9)),
    "u": ((100, 2), (200, 9), (300, None)),
}


def result(text: str) -> list[str]:
    statement = parse_statement(text, "t", TABLES)
    assert isinstance(statement, Select)
    return sorted(map(repr, statement.query.branches(inputs(statement))))


def inputs(statement: Select) -> list[tuple[tuple[object, ...], ...]]:
    return [scan.matching(ROWS[scan.table]) for scan in statement.query.scans]


@pytest.mark.parametrize(
    ("short", "long"),
    [
        ("SELECT * EXCEPT (w) FROM s", "SELECT k, v FROM s"),
        ("SELECT s.* EXCEPT (V), u.w FROM s, u", "SELECT s.k, s.w, u.w FROM s, u"),
        ("SELECT k, count(*) FROM s GROUP BY ALL", "SELECT k, count(*) FROM s GROUP BY k"),
        ("SELECT count(*) FROM s GROUP BY ALL", "SELECT count(*) FROM s"),
        (
            "SELECT k + 1 AS x, sum(v) FROM s GROUP BY x",
            "SELECT k + 1 AS x, sum(v) FROM s GROUP BY k + 1",
        ),
        (
            "SELECT v AS k, sum(w) FROM s GROUP BY k, v",
            "SELECT s.v AS k, sum(w) FROM s GROUP BY s.k, s.v",
        ),
        ("SELECT * FROM s JOIN u USING (k)", "SELECT s.k, v, s.w, u.w FROM s JOIN u ON s.k = u.k"),
        (
            "SELECT * FROM s LEFT JOIN u USING (k)",
            "SELECT s.k, v, s.w, u.w FROM s LEFT JOIN u ON s.k = u.k",
        ),
        (
            "SELECT k, u.k FROM s LEFT JOIN u USING (k)",
            "SELECT s.k, u.k FROM s LEFT JOIN u ON s.k = u.k",
        ),
        (
            "SELECT * FROM u JOIN s USING (k, w)",
            "SELECT u.k, u.w, v FROM u JOIN s ON u.k = s.k AND u.w = s.w",
        ),
        (
            "SELECT * FROM u JOIN t USING (k)",
            "SELECT u.k, u.w, t.v FROM u JOIN t ON u.k = t.k",
        ),
    ],
)
def test_both_ways_give_the_same_rows(short: str, long: str) -> None:
    assert result(short) == result(long)


def test_except_of_a_column_that_is_not_there_is_an_error() -> None:
    with pytest.raises(InvalidScenario) as error:
        parse_statement("SELECT * EXCEPT (x) FROM s", "t", TABLES)
    assert error.value.error_class == "UNRESOLVED_COLUMN.WITH_SUGGESTION"


def test_using_of_a_full_join_is_not_supported() -> None:
    with pytest.raises(UnsupportedSQL):
        parse_statement("SELECT * FROM s FULL JOIN u USING (k)", "t", TABLES)


@pytest.mark.parametrize(
    ("short", "long"),
    [
        (
            "WITH x AS (SELECT k, v FROM s) MERGE INTO t USING x ON t.k = x.k "
            "WHEN MATCHED THEN UPDATE SET v = x.v",
            "MERGE INTO t USING (SELECT k, v FROM s) x ON t.k = x.k "
            "WHEN MATCHED THEN UPDATE SET v = x.v",
        ),
        (
            "WITH x AS (SELECT k, v FROM s) MERGE INTO t a USING x AS y ON a.k = y.k "
            "WHEN NOT MATCHED THEN INSERT *",
            "MERGE INTO t a USING (SELECT k, v FROM s) y ON a.k = y.k "
            "WHEN NOT MATCHED THEN INSERT *",
        ),
        (
            "WITH x AS (SELECT k, v FROM s) MERGE INTO t USING (SELECT k FROM x WHERE v = 7) y "
            "ON t.k = y.k WHEN MATCHED THEN DELETE",
            "MERGE INTO t USING (SELECT k FROM s WHERE v = 7) y ON t.k = y.k "
            "WHEN MATCHED THEN DELETE",
        ),
    ],
)
def test_names_of_queries_may_stand_before_merge(short: str, long: str) -> None:
    tables = {**ROWS, "s": ROWS["s"][1:]}
    one, other = (parse_statement(text, "t", TABLES) for text in (short, long))
    assert isinstance(one, Merge)
    assert isinstance(other, Merge)
    assert one.rerun(tables).tables["t"] == other.rerun(tables).tables["t"]
