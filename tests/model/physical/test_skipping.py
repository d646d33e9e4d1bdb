"""Which files a scan reads: partitions and statistics, never a file too few.

What skips and what does not was measured on Delta 4.4.0.
"""

from __future__ import annotations

from random import Random

import pytest

from model.errors import InvalidScenario, StatementFailure
from model.expressions.evaluation import matcher
from model.expressions.syntax import Expression, sql
from model.physical.files import DataFile, StoredRow, write_files
from model.physical.skipping import partition_matches, scan, split, split_filter
from model.sql import parse_statement
from model.statements import Delete
from model.tables.table import Table
from model.values.types import BIGINT, BOOLEAN, DOUBLE, INT, STRING, TIMESTAMP, decimal
from tests.model.statements import typed_sql

TABLE = Table(
    "t",
    ("k", "p", "v", "w", "d", "m", "s", "ts"),
    (INT, INT, BIGINT, BOOLEAN, DOUBLE, decimal(5, 2), STRING, TIMESTAMP),
    (1,),
)


def condition(text: str, table: Table = TABLE) -> Expression:
    statement = parse_statement(f"DELETE FROM t WHERE {text}", "t", {"t": table})
    assert isinstance(statement, Delete)
    return statement.condition


def files(table: Table, *texts: str) -> tuple[DataFile, ...]:
    """One file for each text of rows, as VALUES has them."""
    found: tuple[DataFile, ...] = ()
    for number, text in enumerate(texts):
        statement = parse_statement(f"INSERT INTO t VALUES {text}", "t", {"t": table})
        rows = statement.rerun({"t": ()}).tables["t"]
        stored = [StoredRow((f"f{number}", i), "setup", row) for i, row in enumerate(rows)]
        found += write_files(f"f{number}", table, stored)
    return found


ONE, TWO, NULLS = files(
    TABLE,
    "(1, 1, 1, TRUE, 1.0D, 1.00, 'a', TIMESTAMP '2024-01-01 00:00:00.500400')",
    "(2, 2, 2, FALSE, 2.0D, 2.00, 'b', NULL)",
    "(NULL, NULL, NULL, NULL, NULL, NULL, NULL, TIMESTAMP '2024-01-01 00:00:00.500')",
)
NAMES = {ONE: "1", TWO: "2", NULLS: "N"}

BY_A_STATEMENT = [
    ("TRUE", "12N"),
    ("FALSE", ""),
    ("p = 1", "1"),
    ("p <> 1", "2"),
    ("p IS NULL", "N"),
    ("p + 1 = 2", "1"),
    ("p = 1 OR k = 2", "12N"),
    ("(p = 1 AND k = 1) OR (p = 2 AND k = 2)", "12"),
    ("p = 1 OR (p = 2 AND k = 2)", "12"),
    ("k = 1", "1"),
    ("1 = k", "1"),
    ("k <> 1", "2"),
    ("k <=> 1", "1"),
    ("NOT (k <=> 1)", "2N"),
    ("k < 2", "1"),
    ("k >= 2", "2"),
    ("k BETWEEN 2 AND 3", "2"),
    ("k IS NULL", "N"),
    ("k IS NOT NULL", "12"),
    ("k IN (1, NULL)", "1"),
    ("k IN (1, 3)", "12"),
    ("k NOT IN (1, 2)", "12N"),
    ("k = 1 AND v = 2", ""),
    ("k = 1 OR v = 2", "12"),
    ("NULL OR k = 1", "12N"),
    ("(k = 1) IS NULL", "N"),
    ("(k = 1 AND v = 1) IS NULL", "N"),
    ("(k = 1 OR v = 1) IS NULL", "N"),
    ("k + 1 = 2", "12N"),
    ("k + 0 = 2", "2"),
    ("k = v", "12N"),
    ("k > p", "12N"),
    ("coalesce(k, 1) = 1", "12N"),
    ("w", "12N"),
    ("w = TRUE", "12N"),
    ("w <=> FALSE", "12"),
    ("w IS NULL", "N"),
    ("k > 1.5", "2"),
    ("k = 1.5", ""),
    ("k <> 1.5", "12N"),
    ("v > 1.5D", "12N"),
    ("d > 1.5", "2"),
    ("m > 1.555", "2"),
    ("m < 99999", "12N"),
    ("m = 1D", "12N"),
    ("s > 'a'", "2"),
    ("ts = TIMESTAMP '2024-01-01 00:00:00.500'", "1N"),
    ("ts <> TIMESTAMP '2024-01-01 00:00:00.500'", "1N"),
    ("ts > TIMESTAMP '2024-01-01 00:00:00.501'", ""),
    ("ts >= TIMESTAMP '2024-01-01 00:00:00.501'", "1N"),
    ("ts < TIMESTAMP '2024-01-01 00:00:00.500'", ""),
]


def names(read: tuple[DataFile, ...]) -> str:
    return "".join(NAMES[file] for file in read)


@pytest.mark.parametrize(("text", "expected"), BY_A_STATEMENT)
def test_files_that_a_delete_reads(text: str, expected: str) -> None:
    predicate = split(condition(text), TABLE)
    assert names(scan(predicate, (ONE, TWO, NULLS), TABLE)) == expected


# Only where a query reads other files than a DELETE with the same condition.
BY_A_QUERY = [
    ("p = 1 OR (p = 2 AND k = 2)", "12N"),
    ("NULL OR k = 1", "1"),
    ("k <> 1.5", "12"),
    ("k + 1 = 2", "12"),
    ("k = v", "12"),
    ("w", "12"),
    ("p = 1 AND k > p", ""),
    ("k = p AND p > 1", "2"),
]


@pytest.mark.parametrize(("text", "expected"), BY_A_QUERY)
def test_files_that_a_query_reads(text: str, expected: str) -> None:
    predicate = split_filter(condition(text), TABLE)
    assert predicate is not None
    assert names(scan(predicate, (ONE, TWO, NULLS), TABLE)) == expected


@pytest.mark.parametrize("text", ["FALSE", "p = NULL", "p = 1 AND p = 2", "k < k", "k = 1.5"])
def test_a_query_that_the_optimizer_sees_through_reads_nothing_at_all(text: str) -> None:
    assert split_filter(condition(text), TABLE) is None


@pytest.mark.parametrize(
    ("text", "partition", "data"),
    [
        ("p = 1 AND k = 2", "p = 1", "k = 2"),
        ("p = 1 OR k = 2", "TRUE", "p = 1 OR k = 2"),
        ("k = p", "TRUE", "k = p"),
        ("FALSE", "FALSE", "TRUE"),
        ("k = NULL", "NULL", "TRUE"),
        ("NOT (p = 1 OR k = 2)", "NOT (p = 1)", "NOT (k = 2)"),
        ("p = 1 AND k = 1 OR p = 2", "p = 1 OR p = 2", "p = 1 AND k = 1 OR p = 2"),
    ],
)
def test_a_condition_is_split_by_what_partition_values_decide(
    text: str, partition: str, data: str
) -> None:
    predicate = split(condition(text), TABLE)
    assert (sql(predicate.partition), sql(predicate.data)) == (partition, data)


FLAT = Table("t", ("s",), (STRING,))


@pytest.mark.parametrize(
    ("last", "read"),
    [("b", True), ("c", True), ("\U0010ffff", False)],
)
def test_statistics_of_long_strings_are_their_first_32_characters(last: str, read: bool) -> None:
    # The file's only value ends with b; up to the tie-breaker its maximum says no more.
    found = files(FLAT, f"('{'a' * 32}b')")
    predicate = split(condition(f"s = '{'a' * 32}{last * 2}'", FLAT), FLAT)
    assert bool(scan(predicate, found, FLAT)) is read


def test_two_partition_columns_need_not_stand_last() -> None:
    table = Table("t", ("p", "k", "q"), (INT, INT, STRING), (2, 0))
    found = files(table, "(1, 1, 'a')", "(1, 2, 'b')", "(2, 3, 'a')")
    assert [file.partition for file in found] == [("a", 1), ("b", 1), ("a", 2)]
    predicate = split(condition("q = 'a' AND p > 1", table), table)
    assert scan(predicate, found, table) == found[2:]


@pytest.mark.parametrize("seed", range(40))
def test_no_file_with_a_match_is_skipped(seed: int) -> None:
    source = typed_sql.Source(Random(f"skipping {seed}"))
    shape = source.table()
    table = shape.resolved
    found = files(table, *(text.removeprefix("INSERT INTO t VALUES ") for text in shape.setup))
    for _ in range(25):
        try:
            given = condition(source.condition(shape), table)
            matches = matcher(given)
            needed = {f for f in found if any(matches(row.values) for row in f.rows)}
        except (InvalidScenario, StatementFailure):
            continue
        by_delete, by_query = split(given, table), split_filter(given, table)
        assert needed <= set(scan(by_delete, found, table)), sql(given)
        # What others add is looked at by its partition values alone.
        assert all(partition_matches(by_delete, file, table) for file in needed), sql(given)
        if by_query is None:
            assert not needed, sql(given)
        else:
            assert needed <= set(scan(by_query, found, table)), sql(given)
            assert all(partition_matches(by_query, file, table) for file in needed), sql(given)
