"""Conditions and statements alone against DuckDB, where its dialect and Spark's agree."""

from __future__ import annotations

from collections import Counter

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from model.errors import StatementFailure
from model.sql import parse_statement
from model.tables.table import Table
from model.values.types import INT, STRING

TABLE = Table("t", ("k", "v", "s"), (INT, INT, STRING), ())

numbers = st.one_of(st.none(), st.integers(-3, 3))
texts = st.one_of(st.none(), st.sampled_from(["", "a", "b", "ab"]))
rows = st.lists(st.tuples(numbers, numbers, texts), max_size=6)

literal = st.one_of(st.just("NULL"), st.integers(-3, 3).map(str))
number = st.one_of(st.sampled_from(["k", "v", "k + v", "k * 2", "v - 1"]), literal)
atom = st.one_of(
    st.tuples(number, st.sampled_from(["=", "<>", "<", "<=", ">", ">="]), number).map(" ".join),
    st.tuples(number, literal, literal).map(lambda x: f"{x[0]} BETWEEN {x[1]} AND {x[2]}"),
    st.tuples(number, st.lists(literal, min_size=1, max_size=3)).map(
        lambda x: f"{x[0]} IN ({', '.join(x[1])})"
    ),
    st.sampled_from(["k", "v", "s"]).map(lambda c: f"{c} IS NULL"),
    st.sampled_from(["k", "v", "s"]).map(lambda c: f"{c} IS NOT NULL"),
    st.sampled_from(["s = 'a'", "s > 'a'", "s IN ('a', NULL)", "s <> ''"]),
)
condition = st.recursive(
    atom,
    lambda inner: st.one_of(
        inner.map(lambda c: f"NOT ({c})"),
        st.tuples(inner, st.sampled_from([" AND ", " OR "]), inner).map(
            lambda x: f"({x[0]}){x[1]}({x[2]})"
        ),
    ),
    max_leaves=4,
)
statement = st.one_of(
    condition.map(lambda c: f"DELETE FROM t WHERE {c}"),
    st.tuples(number, condition).map(lambda x: f"UPDATE t SET v = {x[0]} WHERE {x[1]}"),
    condition.map(lambda c: f"INSERT INTO t SELECT k, v, s FROM t WHERE {c}"),
    condition.map(lambda c: f"INSERT INTO t SELECT count(*), max(v), min(s) FROM t WHERE {c}"),
    condition.map(lambda c: f"INSERT INTO t SELECT k, sum(v), 'x' FROM t WHERE {c} GROUP BY k"),
)


@pytest.fixture(scope="module")
def database() -> duckdb.DuckDBPyConnection:
    return duckdb.connect()


@settings(max_examples=300, deadline=None)
@given(rows=rows, text=statement)
@pytest.mark.slow
def test_a_statement_leaves_the_same_rows(
    database: duckdb.DuckDBPyConnection, rows: list[tuple[object, ...]], text: str
) -> None:
    database.execute("CREATE OR REPLACE TABLE t (k INTEGER, v INTEGER, s VARCHAR)")
    if rows:
        database.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
    database.execute(text)
    expected = database.execute("SELECT * FROM t").fetchall()
    found = parse_statement(text, "t", {"t": TABLE}).rerun({"t": tuple(rows)})
    assert Counter(found.tables["t"]) == Counter(expected)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("UPDATE t SET v = k + 2147483647", "ARITHMETIC_OVERFLOW"),
        ("UPDATE t SET v = k % 0", "REMAINDER_BY_ZERO"),
        ("DELETE FROM t WHERE 1 / (k - 1) > 0", "DIVIDE_BY_ZERO"),
    ],
)
def test_a_statement_fails_with_the_name_that_spark_gives(text: str, error: str) -> None:
    with pytest.raises(StatementFailure) as failure:
        parse_statement(text, "t", {"t": TABLE}).rerun({"t": ((1, 1, "a"),)})
    assert failure.value.error_class == error
