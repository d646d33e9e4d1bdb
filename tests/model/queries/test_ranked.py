"""Window functions, QUALIFY, and ORDER BY with LIMIT."""

from __future__ import annotations

import random
from collections import Counter

import duckdb
import pytest

from conformance.replay.campaign import Job, replay
from conformance.spark.engine import SparkEngine
from model.errors import InvalidScenario, NotPredicted
from model.history import Row
from model.preparation import prepare
from model.profiles import DEFAULT
from model.scenario import Scenario, TableSpec
from model.simulator import run
from model.values.types import sql_row
from model.values.unknown import Unknown
from tests.nightly import cases
from tests.notation import scheduled

T = TableSpec({"k": "int", "v": "int"}, setup=("INSERT INTO t VALUES (1, 1)",))
ROWS = "(1, 10, 'a'), (2, 20, 'a'), (3, 5, 'b'), (4, NULL, NULL), (5, 7, 'b')"


def scenario(*statements: str, rows: str = ROWS) -> Scenario:
    spec = TableSpec(
        {"id": "int", "v": "int", "p": "string"}, setup=(f"INSERT INTO s VALUES {rows}",)
    )
    texts = {f"Q{number}": sql for number, sql in enumerate(statements)}
    return Scenario("x", T, texts, scheduled(", ".join(texts)), {"s": spec})


def answer(sql: str, rows: str = ROWS) -> tuple[Row, ...]:
    given = scenario(sql, rows=rows)
    done = run(prepare(given, DEFAULT, opaque=True), given.schedule, DEFAULT)
    return done.ended["Q0"].rows or ()


QUERIES = (
    "SELECT id, row_number() OVER (PARTITION BY p ORDER BY {o}) AS n FROM s",
    "SELECT id, rank() OVER (ORDER BY {k}) AS r, dense_rank() OVER (ORDER BY {k}) AS d FROM s",
    "SELECT id, lag(v) OVER (PARTITION BY p ORDER BY {o}) AS n FROM s",
    "SELECT id, lead(v, 2) OVER (ORDER BY {o}) AS n FROM s WHERE v > 1",
    "SELECT id, sum(v) OVER (PARTITION BY p ORDER BY {k}) AS n FROM s",
    "SELECT id, count(v) OVER (PARTITION BY p) AS n, max(v) OVER () AS m FROM s",
    "SELECT id, min(v) OVER (ORDER BY {k}) AS n, count(*) OVER (ORDER BY {k}) AS m FROM s",
    "SELECT id, v FROM s QUALIFY row_number() OVER (PARTITION BY p ORDER BY {o}) = 1",
    "SELECT id, rank() OVER (ORDER BY {k}) AS r FROM s QUALIFY r < 3",
    "SELECT x.id FROM (SELECT *, row_number() OVER (ORDER BY {o}) AS n FROM s) x WHERE n <= 2",
    "SELECT id, v FROM s ORDER BY {o} LIMIT 3",
    "SELECT v + 1 AS w, id FROM s WHERE v IS NOT NULL ORDER BY w DESC NULLS LAST, id ASC "
    "NULLS FIRST LIMIT 2",
    "SELECT a.id, row_number() OVER (PARTITION BY a.p ORDER BY {a}) AS n FROM s a "
    "JOIN s b ON a.id = b.id",
)
ORDERS = ("v {0} NULLS {1}", "p {0} NULLS {1}", "v {0} NULLS {1}, p DESC NULLS LAST")


def test_random_rows_agree_with_duckdb() -> None:
    choice = random.Random(1)
    for _ in range(cases(60, 3000)):
        rows = [
            (n, choice.choice([None, 1, 2, 3, -4]), choice.choice([None, "a", "b"]))
            for n in range(choice.randint(1, 6))
        ]
        text = ", ".join(map(sql_row, rows))
        order = choice.choice(ORDERS).format(
            choice.choice(("ASC", "DESC")), choice.choice(("FIRST", "LAST"))
        )
        total = f"{order}, id ASC NULLS FIRST"
        sql = choice.choice(QUERIES).format(k=order, o=total, a="a.v ASC NULLS FIRST, a.id")
        database = duckdb.connect()
        database.execute("CREATE TABLE s (id int, v int, p varchar)")
        database.execute(f"INSERT INTO s VALUES {text}")
        expected = Counter(database.execute(sql).fetchall())
        assert Counter(answer(sql, text)) == expected, (sql, text)


def test_what_the_order_leaves_open_is_unknown() -> None:
    rows = "(1, 1, 'a'), (2, 1, 'a'), (3, 2, 'a')"
    made = {
        row[0]: row[1] for row in answer("SELECT id, row_number() OVER (ORDER BY v) FROM s", rows)
    }
    assert isinstance(made[1], Unknown)
    assert isinstance(made[2], Unknown)
    assert made[3] == 3
    with pytest.raises(NotPredicted, match="no order of their own"):
        answer("SELECT id FROM s ORDER BY v LIMIT 1", rows)
    assert answer("SELECT v FROM s ORDER BY v LIMIT 1", rows) == ((1,),)
    neighbours = answer("SELECT lag(id) OVER (ORDER BY v) FROM s", rows)
    assert all(isinstance(value, Unknown) for (value,) in neighbours)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT id, sum(v) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS n FROM s",
        "SELECT id, ntile(2) OVER (ORDER BY id) AS n FROM s",
        "SELECT p, row_number() OVER (ORDER BY p) AS n FROM s GROUP BY p",
        "SELECT id, row_number() OVER (ORDER BY id) + 1 AS n FROM s",
        "SELECT id FROM s QUALIFY v = 1",
        "SELECT id FROM s LIMIT 1",
    ],
)
def test_other_forms_are_opaque(sql: str) -> None:
    given = scenario(sql)
    assert prepare(given, DEFAULT, opaque=True).opaque
    with pytest.raises(InvalidScenario):
        prepare(given, DEFAULT)


def test_a_window_over_the_table_that_is_written_is_opaque() -> None:
    inner = "SELECT k, v, rank() OVER (ORDER BY k) r FROM t"
    sql = f"INSERT INTO t SELECT k, v FROM ({inner}) WHERE r = 1"
    other = "INSERT INTO t SELECT id, v FROM (SELECT id, v, rank() OVER (ORDER BY id) r FROM s)"
    parts = prepare(scenario(sql, other), DEFAULT, opaque=True).opaque
    assert {name for name, _ in parts} == {"Q0"}


def test_spark_gives_the_same(spark_engine: SparkEngine) -> None:
    orders = {"k": "p DESC, v NULLS LAST", "o": "v DESC, id", "a": "a.v NULLS LAST, a.id DESC"}
    queries = [sql.format(**orders) for sql in QUERIES]
    latest = (
        "MERGE INTO t USING (SELECT * FROM (SELECT id, v, row_number() OVER (PARTITION BY p "
        "ORDER BY v DESC) AS n FROM s) WHERE n = 1) x ON t.k = x.id "
        "WHEN MATCHED THEN UPDATE SET v = x.v "
        "WHEN NOT MATCHED THEN INSERT (k, v) VALUES (x.id, x.v)"
    )
    given = scenario(
        *queries, latest, "INSERT INTO t SELECT id, v FROM s ORDER BY v DESC, id LIMIT 2"
    )
    done = replay(spark_engine, Job(given, "Serializable"), DEFAULT).comparison
    assert done.differences == ()
    assert not done.history.unknown
