"""Preparing a scenario: nothing is run or parsed twice, and rows have room for new columns."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
import sqlglot

from model import simulator
from model.definitions import MOST, reachable, with_places
from model.errors import InvalidScenario, UnsupportedSQL
from model.preparation import check_known, prepare, run_scenario, steps
from model.profiles import DEFAULT, PROFILES
from model.scenario import Scenario, TableSpec
from model.sql import declared_table
from model.sql.parser import _resolved, parsed
from model.sql.printer import syntax
from model.statements import InsertValues
from model.tables.table import NoPlace, Table
from tests.notation import scheduled

ROWS = "INSERT INTO t VALUES (1, 10), (2, 20)"
MERGE = (
    "MERGE WITH SCHEMA EVOLUTION INTO t USING (SELECT 1 AS k, 'x' AS note) s ON t.k = s.k "
    "WHEN MATCHED THEN UPDATE SET *"
)
CHANGING = (
    "ALTER TABLE t ADD COLUMN w int",
    "ALTER TABLE t RENAME COLUMN v TO u",
    "CREATE OR REPLACE TABLE t (k int, v string) USING delta",
    MERGE,
    "INSERT WITH SCHEMA EVOLUTION INTO t SELECT k, v, 'z' AS other FROM t",
    "DELETE FROM t WHERE w = 1",
)


def scenario(*texts: str, schedule: str = "", setup: tuple[str, ...] = (ROWS,)) -> Scenario:
    spec = TableSpec(
        {"k": "int", "v": "int"}, properties={"delta.columnMapping.mode": "name"}, setup=setup
    )
    names = "ABCDEFGHIJKLMNOP"[: len(texts)]
    order = scheduled(schedule or ", ".join(names))
    return Scenario("x", spec, dict(zip(names, texts, strict=True)), order)


def definition(*columns: str) -> Table:
    return declared_table("t", TableSpec(dict.fromkeys(columns, "int")))


def test_no_transaction_is_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def begin(*_: object) -> None:
        raise AssertionError("a transaction has begun")

    monkeypatch.setattr(simulator, "begin", begin)
    writers: list[str] = []
    execute = InsertValues.execute

    def noting(self: InsertValues, snapshot: Any, writer: str, others: Any) -> Any:
        writers.append(writer)
        return execute(self, snapshot, writer, others)

    monkeypatch.setattr(InsertValues, "execute", noting)
    prepare(scenario("INSERT INTO t VALUES (3, 30)", *CHANGING), DEFAULT)
    assert writers == ["setup1"]


def test_each_statement_is_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    for cache in (syntax, parsed, _resolved):
        cache.cache_clear()
    given: Counter[str] = Counter()
    parse = sqlglot.parse

    def counting(sql: str, **options: Any) -> Any:
        given[sql] += 1
        return parse(sql, **options)

    monkeypatch.setattr(sqlglot, "parse", counting)
    ready = scenario(*CHANGING)
    run_scenario(ready, DEFAULT)
    assert given
    assert set(given.values()) == {1}


def test_a_tree_that_statements_share_stays_as_it_was() -> None:
    """Resolving a statement changes copies of its tree, never the tree."""
    table = {"t": definition("k", "v")}
    for text in (
        "INSERT OVERWRITE t VALUES (1, 2)",
        "INSERT INTO t REPLACE WHERE k = 1 SELECT k, v FROM t WHERE k = 1",
        "WITH a AS (SELECT k, v FROM t) INSERT INTO t SELECT a.k, a.v FROM a",
        MERGE,
        *CHANGING,
    ):
        statement = parsed(text)
        try:
            before = statement.written.tree().sql()
        except InvalidScenario:
            continue  # sqlglot does not know it: there is no tree.
        for _ in range(2):
            try:
                statement.resolve("t", table)
            except InvalidScenario:
                continue
            assert statement.written.tree().sql() == before


def test_a_column_that_comes_goes_and_comes_again_has_two_places() -> None:
    add, drop = "ALTER TABLE t ADD COLUMN w int", "ALTER TABLE t DROP COLUMN w"
    done = run_scenario(scenario(add, drop, add), DEFAULT)
    assert done.workload.table.names == ("k", "v", "w", "w")
    assert done.final.shown() == ((1, 10, None), (2, 20, None))


def test_statements_that_bring_the_same_column_share_its_place() -> None:
    add = "ALTER TABLE t ADD COLUMN w int"
    assert with_places(definition("k"), (), (add, add), {}).names == ("k", "w")


def test_the_setup_brings_columns_as_well() -> None:
    done = run_scenario(scenario("DELETE FROM t WHERE note = 'x'", setup=(ROWS, MERGE)), DEFAULT)
    assert done.final.shown() == ((2, 20, None),)


def test_a_statement_that_two_others_together_make_right_is_read() -> None:
    add, rename = "ALTER TABLE t ADD COLUMN w int", "ALTER TABLE t RENAME COLUMN w TO z"
    done = run_scenario(scenario(add, rename, "UPDATE t SET z = 1"), DEFAULT)
    assert done.final.shown() == ((1, 10, 1), (2, 20, 1))


def test_definitions_come_with_fewer_changes_first() -> None:
    one, other = "ALTER TABLE t ADD COLUMN w int", "ALTER TABLE t ADD COLUMN x int"
    found = [each.column_names for each in reachable([definition("k")], (one, other), {})]
    assert found == [("k",), ("k", "w"), ("k", "x"), ("k", "w", "x"), ("k", "x", "w")]


def test_many_changes_have_places_although_not_all_their_orders_are_looked_at() -> None:
    names = [f"c{number}" for number in range(12)]
    adds = [f"ALTER TABLE t ADD COLUMN {name} int" for name in names]
    assert len(reachable([definition("k")], adds, {})) == MOST
    done = run_scenario(scenario(*adds), DEFAULT)
    assert done.final.table.column_names == ("k", "v", *names)


def test_a_restore_brings_back_names_that_statements_may_use() -> None:
    setup = (ROWS, "CREATE OR REPLACE TABLE t (k int, w int) USING delta")
    back = "RESTORE TABLE t TO VERSION AS OF 1"
    done = run_scenario(scenario(back, "UPDATE t SET v = 0", setup=setup), DEFAULT)
    assert done.final.shown() == ((1, 0), (2, 0))


def test_a_statement_is_refused_where_it_meets_a_type_that_it_is_not_known_for() -> None:
    replaced = "CREATE OR REPLACE TABLE t (k int, v string) USING delta"
    met = scenario(replaced, "UPDATE t SET v = v + 1")
    not_met = scenario(replaced, "UPDATE t SET v = v + 1", schedule="begin B, A, commit B")
    with pytest.raises(UnsupportedSQL, match="once the columns have changed") as refused:
        check_known(prepare(met, DEFAULT), met.schedule, DEFAULT)
    assert refused.value.where == ("transactions", "B")
    check_known(prepare(not_met, DEFAULT), not_met.schedule, DEFAULT)


def test_a_column_without_a_place_is_never_written() -> None:
    workload = prepare(scenario("INSERT INTO t VALUES (3, 30)"), DEFAULT)
    stranger = prepare(scenario("ALTER TABLE t ADD COLUMN w int"), DEFAULT)
    with pytest.raises(NoPlace):
        stranger.statement("A", workload.table)


@pytest.mark.parametrize("name", ["delta-rs-1.6", "databricks-2026"])
def test_what_an_implementation_notes_is_known_at_begin(name: str) -> None:
    profile = PROFILES[name]
    plain = TableSpec({"k": "int", "v": "int"}, setup=(ROWS,))
    texts = {"A": "DELETE FROM t WHERE k = 1"}
    workload = prepare(Scenario("x", plain, texts, steps("A")), profile)
    running = simulator.begin_in(workload, "A", workload.base, profile)
    ended = simulator.commit(running, workload.base, profile, workload.level)
    assert ended.footprint is running.execution.footprint
