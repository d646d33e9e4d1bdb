"""Statements printed as SQL: what is printed reads as an equal statement."""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Iterator
from decimal import Decimal
from functools import cache
from itertools import islice
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checker.generators.scenarios import KINDS
from checker.search.random_search import random_scenarios
from isodelta.files.collection import collection_files, statement_files, suite_files
from isodelta.files.scenarios import load_scenarios
from model.errors import InvalidScenario
from model.preparation import prepare
from model.profiles import DEFAULT
from model.scenario import Scenario
from model.sql import parse_statement
from model.sql.dialect import parse, parse_expression
from model.sql.printer import definition, printed, syntax, tables_of
from model.sql.trees import literal, values
from model.tables.table import Table
from model.values.types import BIGINT, INT, STRING, sql_literal, sql_row
from model.workload import TARGET, Workload

FILES = (*collection_files(), *statement_files(), *suite_files())


def meaning(part: Any) -> Any:
    """A statement without the text that it was read from, comparable where NaN is equal to NaN."""
    if dataclasses.is_dataclass(part):
        names = [field.name for field in dataclasses.fields(part) if field.name != "text"]
        return (type(part), *((name, meaning(getattr(part, name))) for name in names))
    if isinstance(part, tuple):
        return tuple(map(meaning, part))
    return repr(part) if isinstance(part, float) else part


def check(workload: Workload) -> None:
    """Every statement that was parsed reads the same from what it prints, and prints the same."""
    for statement in workload.statements.values():
        text = syntax(statement.text).sql()
        known = {**workload.tables, TARGET: statement.table}
        try:
            before = parse_statement(statement.text, TARGET, known)
        except InvalidScenario:
            continue  # It fits no definition, and stands for a failure.
        assert meaning(parse_statement(text, TARGET, known)) == meaning(before), text
        assert syntax(text).sql() == text


@pytest.mark.slow
def test_every_statement_that_is_drawn_reads_the_same_from_its_print() -> None:
    kinds = set()
    for scenario in islice(random_scenarios(11), 400):
        workload = prepare(scenario, DEFAULT)
        kinds |= {statement.kind for statement in workload.statements.values()}
        check(workload)
    assert kinds == set(KINDS)


@cache
def collected() -> tuple[Scenario, ...]:
    return tuple(scenario for file in FILES for scenario in load_scenarios(file))


def test_every_statement_of_the_collection_reads_the_same_from_its_print() -> None:
    checked = 0
    for scenario in collected():
        workload = prepare(scenario, DEFAULT)
        check(workload)
        checked += len(workload.statements)
    assert checked > 500


def setups() -> Iterator[str]:
    for scenario in collected():
        for spec in (scenario.table, *scenario.tables.values()):
            yield from spec.setup


def test_every_set_up_of_the_collection_prints_the_same_again() -> None:
    for text in sorted(set(setups())):
        once = syntax(text).sql()
        assert syntax(once).sql() == once


def test_every_column_of_the_collection_reads_as_a_definition() -> None:
    texts = {text for scenario in collected() for text in scenario.table.columns.values()}
    assert {"int", "bigint GENERATED ALWAYS AS IDENTITY"} < texts
    for text in texts:
        kind = printed(definition(text).args["kind"])
        assert text.lower().replace(", ", ",").startswith(kind)
    for text in ("int, d int", "FIRST", "int AND"):
        with pytest.raises(InvalidScenario):
            definition(text)


T = Table("t", ("k", "p", "v"), (INT, INT, BIGINT)).reserving([("new", STRING)])
S = Table("s", ("k", "p", "w"), (INT, INT, STRING))


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("delete from t where not (k is null)", "DELETE FROM t WHERE NOT (k IS NULL)"),
        ("DELETE FROM t WHERE k IS  NOT NULL", "DELETE FROM t WHERE k IS NOT NULL"),
        ("DELETE FROM t WHERE k <=> 1", "DELETE FROM t WHERE k <=> 1"),
        ("DELETE FROM t WHERE k div 2 = 1", "DELETE FROM t WHERE k DIV 2 = 1"),
        ("UPDATE t SET v = 3L WHERE v = 1.0D", "UPDATE t SET v = 3L WHERE v = 1.0D"),
        ("SELECT COUNT(*) FROM t AS a", "SELECT count(*) FROM t a"),
        ("INSERT INTO TABLE t SELECT 1, 2, 3", "INSERT INTO t SELECT 1, 2, 3"),
        ("INSERT OVERWRITE TABLE t VALUES (1, 2, 3)", "INSERT OVERWRITE t VALUES (1, 2, 3)"),
        (
            "INSERT INTO t REPLACE WHERE p = 1 VALUES (1,1,3)",
            "INSERT INTO t REPLACE WHERE p = 1 VALUES (1, 1, 3)",
        ),
        (
            "INSERT INTO t WITH x AS (SELECT * FROM t) SELECT * FROM x",
            "INSERT INTO t WITH x AS (SELECT * FROM t) SELECT * FROM x",
        ),
        (
            "INSERT WITH SCHEMA EVOLUTION INTO t BY NAME SELECT 1 AS k, 'a' AS new",
            "INSERT WITH SCHEMA EVOLUTION INTO t BY NAME SELECT 1 AS k, 'a' AS new",
        ),
        (
            "MERGE WITH SCHEMA EVOLUTION INTO t USING s AS s ON t.k=s.k WHEN MATCHED THEN DELETE",
            "MERGE WITH SCHEMA EVOLUTION INTO t USING s s ON t.k = s.k WHEN MATCHED THEN DELETE",
        ),
        (
            "MERGE INTO t USING (VALUES (1)) s ON t.k = s.col1 WHEN MATCHED THEN DELETE",
            "MERGE INTO t USING (VALUES (1)) s ON t.k = s.col1 WHEN MATCHED THEN DELETE",
        ),
        (
            "MERGE INTO t USING (VALUES (1) AS x(k)) s ON t.k = s.k WHEN MATCHED THEN DELETE",
            "MERGE INTO t USING (SELECT * FROM VALUES (1) AS x(k)) s ON t.k = s.k "
            "WHEN MATCHED THEN DELETE",
        ),
        ("OPTIMIZE t ZORDER BY v, k", "OPTIMIZE t ZORDER BY (v, k)"),
        ("VACUUM t LITE RETAIN 0 HOURS DRY RUN", "VACUUM t LITE RETAIN 0 HOURS DRY RUN"),
        ("RESTORE t VERSION AS OF 3", "RESTORE TABLE t TO VERSION AS OF 3"),
        ("REORG TABLE t APPLY ( PURGE )", "REORG TABLE t APPLY (PURGE)"),
        ("ALTER TABLE t ALTER COLUMN v AFTER k", "ALTER TABLE t ALTER COLUMN v AFTER k"),
        ("ALTER TABLE t ALTER COLUMN v SET NOT NULL", "ALTER TABLE t ALTER COLUMN v SET NOT NULL"),
        ("ALTER TABLE t CLUSTER BY NONE", "ALTER TABLE t CLUSTER BY NONE"),
        (
            "ALTER TABLE t UNSET TBLPROPERTIES IF EXISTS ('app.note')",
            "ALTER TABLE t UNSET TBLPROPERTIES IF EXISTS ('app.note')",
        ),
        (
            "REPLACE TABLE t (k int) USING DELTA TBLPROPERTIES ('app.note'='1')",
            "REPLACE TABLE t (k int) USING delta TBLPROPERTIES ('app.note' = '1')",
        ),
        (
            "SET spark.databricks.delta.write.txnAppId=a; "
            "SET spark.databricks.delta.write.txnVersion=1; DELETE FROM t",
            "SET spark.databricks.delta.write.txnAppId = a; "
            "SET spark.databricks.delta.write.txnVersion = 1; DELETE FROM t",
        ),
    ],
)
def test_a_print_is_short_and_means_the_same(text: str, short: str) -> None:
    assert syntax(text).sql() == short
    known = {"t": T, "s": S}
    assert meaning(parse_statement(short, "t", known)) == meaning(parse_statement(text, "t", known))


@pytest.mark.parametrize(
    "text",
    [
        "OPTIMIZE t FULL OF",
        "REORG t APPLY (PURGE)",
        "REORG TABLE t APPLY (UPGRADE)",
        "VACUUM t RETAIN 0",
        "VACUUM t RETAIN 0.5 HOURS",
        "RESTORE TABLE t TO VERSION",
        "RESTORE TABLE t TO VERSION AS OF 1.5",
    ],
)
def test_what_is_none_of_the_statements_stays_as_it_is_written(text: str) -> None:
    assert printed(parse(text)) == text


def test_a_column_may_have_the_name_of_a_statement() -> None:
    named = Table("t", ("vacuum", "restore"), (INT, INT))
    text = "DELETE FROM t WHERE vacuum = 1 AND restore > 2"
    assert syntax(text).sql() == text
    assert meaning(parse_statement(text, "t", {"t": named}))


VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(width=64),
    st.decimals(-(10**9), 10**9, places=3),
    st.text(max_size=8),
    st.dates(datetime.date(1000, 1, 1)),
    st.datetimes(datetime.datetime(1000, 1, 1)),
)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(VALUES)
def test_a_constant_reads_the_same_from_its_print(value: Any) -> None:
    text = printed(literal(value))
    assert printed(parse_expression(text)) == text
    select = [parse_statement(f"SELECT {sql}", "t", {"t": T}) for sql in (text, sql_literal(value))]
    assert meaning(select[0]) == meaning(select[1])


def test_constants_print_as_everywhere_else() -> None:
    row = (None, True, 1, -1, Decimal("-1.50"), 2.5, -0.5, "it's", datetime.date(2024, 1, 31))
    row = (*row, datetime.datetime(2024, 1, 31, 12))
    assert [printed(literal(value)) for value in row] == [sql_literal(value) for value in row]
    assert printed(values([row])) == f"VALUES {sql_row(row)}"


def test_a_tree_knows_the_tables_that_it_mentions() -> None:
    text = "INSERT INTO t SELECT k FROM s WHERE k IN (SELECT k FROM u JOIN v ON u.k = v.k)"
    assert tables_of(parse(text)) == {"t", "s", "u", "v"}
