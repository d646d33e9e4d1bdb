"""Opaque parts: everything that Spark may accept parses, and the rest of it keeps its meaning."""

from __future__ import annotations

import pytest

from model.errors import InvalidScenario, NotPredicted, UnsupportedSQL
from model.expressions.evaluation import evaluator, matcher
from model.expressions.syntax import (
    And,
    Column,
    Comparison,
    Expression,
    IsNull,
    Literal,
    Not,
    Opaque,
    Or,
)
from model.queries.opaque import OpaqueRelation
from model.sql import parse_statement, understood
from model.statements import Delete, InsertSelect, InsertValues, Merge, Update
from model.statements.opaque import OpaqueStatement
from model.tables.table import Table
from model.values.types import BOOLEAN, DATE, INT, STRING, parse_type
from model.values.unknown import Unknown

NESTED = parse_type("array<struct<x: int>>")
TABLES = {
    "t": Table("t", ("k", "p", "v", "d", "s"), (INT, INT, INT, DATE, STRING), (1,)),
    "s": Table("s", ("k", "p", "v", "d", "s", "a"), (INT, INT, INT, DATE, STRING, NESTED)),
}


def parts(text: str) -> list[tuple[int | None, str]]:
    found = understood(text, "t", TABLES, undeclared=True).opaque
    return [(part.start, part.text) for part in found]


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        ("DELETE FROM t WHERE hash(k) = 1 AND p = 1", Delete, [(20, "HASH(k)")]),
        ("DELETE FROM t WHERE s RLIKE s OR k = 1", Delete, [(20, "s RLIKE s")]),
        ("UPDATE t SET v = v + rand() WHERE k = 1", Update, [(21, "RAND()")]),
        ("INSERT INTO t VALUES (1, 1, 1, NULL, uuid())", InsertValues, [(37, "UUID()")]),
        (
            "INSERT INTO t SELECT * FROM read_files('/x')",
            InsertSelect,
            [(21, "SELECT * FROM READ_FILES('/x')")],
        ),
        (
            "MERGE INTO t USING elsewhere s ON t.k = s.k WHEN MATCHED THEN UPDATE SET v = s.w + 1",
            Merge,
            [(19, "elsewhere s")],
        ),
        (
            "MERGE INTO t USING s ON t.k = s.k WHEN MATCHED THEN UPDATE SET v = s.a[0].x",
            Merge,
            [(67, "s.a[0].x")],
        ),
    ],
)
def test_an_unsupported_part_is_opaque_and_listed_with_its_place(
    text: str, kind: type, expected: list[tuple[int, str]]
) -> None:
    assert isinstance(understood(text, "t", TABLES, undeclared=True).statement, kind)
    assert parts(text) == expected
    assert all(part.because for part in understood(text, "t", TABLES, undeclared=True).opaque)


@pytest.mark.parametrize(
    "text",
    [
        "COPY INTO t FROM '/a' FILEFORMAT = CSV",
        "CREATE OR REPLACE TABLE t SHALLOW CLONE s",
        "ALTER TABLE t SET TAGS ('a' = 'b')",
        "SET spark.sql.ansi.enabled = false; DELETE FROM t WHERE k = 1",
        "UPDATE t SET v = (SELECT max(s.v) FROM s WHERE s.k = t.k)",
    ],
)
def test_a_statement_of_an_unknown_form_is_opaque_as_a_whole(text: str) -> None:
    found = understood(text, "t", TABLES)
    assert isinstance(found.statement, OpaqueStatement)
    assert [text[part.start :] for part in found.opaque if part.start is not None] != []
    with pytest.raises(NotPredicted):
        found.statement.rerun({"t": ()})


def test_rows_of_an_opaque_query_keep_the_columns_that_its_text_tells() -> None:
    text = "INSERT INTO t (k, v) SELECT k, sum(hash(k)) OVER (PARTITION BY p) AS v FROM s"
    statement = understood(text, "t", TABLES).statement
    assert isinstance(statement, InsertSelect)
    assert isinstance(statement.query, OpaqueRelation)
    assert [scan.table for scan in statement.query.scans] == ["s"]
    assert len(statement.query.types) == 2


@pytest.mark.parametrize(
    "text",
    [
        "DELETE FROM t WHERE missing = 1",
        "DELETE FROM t WHERE hash(missing) = 1",
        "INSERT INTO t SELECT hash(k), k FROM s",
        "DELETE FROM t WHERE k IN (SELECT k FROM s)",
        "DELETE FROM elsewhere",
        "DELETE FROM t WHERE (",
    ],
)
def test_errors_of_spark_stay_errors(text: str) -> None:
    with pytest.raises(InvalidScenario) as error:
        understood(text, "t", TABLES)
    assert not isinstance(error.value, UnsupportedSQL)


def test_strictly_resolved_an_opaque_part_is_an_error() -> None:
    understood("DELETE FROM t WHERE hash(k) = 1", "t", TABLES)
    with pytest.raises(UnsupportedSQL):
        parse_statement("DELETE FROM t WHERE hash(k) = 1", "t", TABLES)


FREE = Opaque("f(k)", "a test", (Column(0, "k", INT),), BOOLEAN)
ONE: Expression = Literal(1, INT)
TRUE, FALSE, NULL = (Literal(value, BOOLEAN) for value in (True, False, None))


@pytest.mark.parametrize(
    ("condition", "value"),
    [
        (And(FREE, FALSE), False),
        (And(FALSE, FREE), False),
        (Or(FREE, TRUE), True),
        (Or(TRUE, FREE), True),
        (Comparison("=", FREE, NULL), None),
        (Comparison("<=>", FREE, FREE), True),
    ],
)
def test_what_does_not_depend_on_an_unknown_value_is_known(
    condition: Expression, value: bool | None
) -> None:
    assert evaluator(condition)((5,)) is value


@pytest.mark.parametrize(
    "condition",
    [
        FREE,
        Not(FREE),
        IsNull(FREE),
        And(FREE, TRUE),
        And(NULL, FREE),
        Or(FALSE, FREE),
        Or(FREE, NULL),
        Comparison("=", FREE, FREE),
        Comparison("<=>", FREE, TRUE),
        Comparison("<>", FREE, FALSE),
    ],
)
def test_what_depends_on_an_unknown_value_is_not_predicted(condition: Expression) -> None:
    with pytest.raises(NotPredicted) as error:
        matcher(condition)((5,))
    assert (error.value.part, error.value.because) == ("f(k)", "a test")


def test_unknown_values_of_one_part_are_equal_where_its_inputs_are() -> None:
    same = Unknown("f(k)", "", (1,))
    assert same == Unknown("f(k)", "", (1,))
    for other in (Unknown("f(k)", "", (2,)), Unknown("g(k)", "", (1,)), None, 1):
        with pytest.raises(NotPredicted):
            _ = same == other
    drawn = Unknown("rand()", "", (), settled=False)
    assert drawn == drawn
    with pytest.raises(NotPredicted):
        _ = drawn == Unknown("rand()", "", (), settled=False)
