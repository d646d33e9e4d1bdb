"""Scenarios that write several tables, in the model."""

from __future__ import annotations

import itertools
import random

import pytest

from checker.judging.verdict import judge
from checker.search.schedules import classes
from model.errors import InvalidScenario
from model.levels import DELTA_LEVELS
from model.preparation import prepare
from model.profiles import DEFAULT
from model.scenario import LEVEL_PROPERTY, Scenario, TableSpec
from model.several import homes, parts, run_parts
from model.simulator import run
from tests.notation import scheduled

T = TableSpec({"k": "int", "v": "int"}, setup=("INSERT INTO t VALUES (1, 10), (2, 20)",))
S = TableSpec({"k": "int", "v": "int"}, setup=("INSERT INTO s VALUES (1, 1)",))


def scenario(transactions: dict[str, str], *steps: str) -> Scenario:
    return Scenario("x", T, transactions, scheduled(", ".join(steps)) if steps else (), {"s": S})


def test_a_statement_finds_other_tables_as_they_are_when_it_begins() -> None:
    texts = {"A": "DELETE FROM t WHERE k = 1", "B": "INSERT INTO s SELECT k, v FROM t"}
    runs = run_parts(scenario(texts, "begin B", "A", "commit B"), DEFAULT)
    assert sorted(runs["s"].final.rows()) == [(1, 1), (1, 10), (2, 20)]
    assert runs["t"].final.rows() == ((2, 20),)
    runs = run_parts(scenario(texts, "A", "B"), DEFAULT)
    assert sorted(runs["s"].final.rows()) == [(1, 1), (2, 20)]


def test_commits_to_different_tables_never_conflict() -> None:
    texts = {"A": "UPDATE t SET v = 0", "B": "UPDATE s SET v = (SELECT max(t.v) FROM t)"}
    for steps in itertools.permutations(("begin A", "begin B", "commit A", "commit B")):
        if steps.index("begin A") < steps.index("commit A") and (
            steps.index("begin B") < steps.index("commit B")
        ):
            runs = run_parts(scenario(texts, *steps), DEFAULT)
            assert runs["t"].ended["A"].outcome == runs["s"].ended["B"].outcome == "committed"


def test_the_levels_of_the_tables_are_their_own() -> None:
    spec = TableSpec(S.columns, properties={LEVEL_PROPERTY: "WriteSerializable"}, setup=S.setup)
    texts = {
        "A": "UPDATE s SET v = 2",
        "B": "INSERT INTO s VALUES (3, 3)",
        "C": "UPDATE t SET v = 2",
        "D": "INSERT INTO t VALUES (3, 3)",
    }
    steps = scheduled("begin A, B, commit A, begin C, D, commit C")
    runs = run_parts(Scenario("x", T, texts, steps, {"s": spec}), DEFAULT)
    assert runs["s"].ended["A"].outcome == "committed"
    assert runs["t"].ended["C"].outcome == "ConcurrentAppend"


def test_a_query_belongs_to_the_target_or_to_the_first_written_table_that_it_reads() -> None:
    texts = {
        "A": "DELETE FROM s",
        "B": "SELECT * FROM s",
        "C": "SELECT s.k FROM s JOIN t ON s.k = t.k",
        "D": "SELECT 1",
    }
    assert homes(scenario(texts)) == {"A": "s", "B": "s", "C": "t", "D": "t"}


def test_a_table_whose_definition_has_changed_is_not_read() -> None:
    texts = {"A": "ALTER TABLE t ADD COLUMN w int", "B": "INSERT INTO s SELECT k, v FROM t"}
    with pytest.raises(InvalidScenario, match="reading table t after its definition") as error:
        run_parts(scenario(texts, "A", "B"), DEFAULT)
    assert error.value.where == ("transactions", "B")


def test_errors_have_their_place_in_the_whole_scenario() -> None:
    broken = TableSpec({"k": "int"}, setup=("INSERT INTO s VALUES (1, 2)",))
    texts = {"A": "DELETE FROM s", "B": "DELETE FROM t"}
    with pytest.raises(InvalidScenario) as error:
        run_parts(Scenario("x", T, texts, scheduled("A, B"), {"s": broken}), DEFAULT)
    assert error.value.where == ("tables", "s", "setup", 0)


STATEMENTS = (
    "INSERT INTO {0} VALUES (3, 3)",
    "INSERT INTO {0} SELECT k, v + 1 FROM {1}",
    "UPDATE {0} SET v = v + 1 WHERE k = 1",
    "UPDATE {0} SET v = (SELECT max({1}.v) FROM {1})",
    "DELETE FROM {0} WHERE k = 1",
    "MERGE INTO {0} USING {1} ON {0}.k = {1}.k WHEN MATCHED THEN UPDATE SET v = {1}.v",
)


def test_every_table_keeps_serializable_in_random_scenarios() -> None:
    """Delta's rules are per table, and at Serializable they deliver the level in each of them."""
    choice = random.Random(0)
    every = list(classes(("A", "B", "C")))
    conflicts = 0
    for _ in range(40):
        tables = [choice.sample(("t", "s"), 2) for _ in "ABC"]
        texts = {
            n: choice.choice(STATEMENTS).format(*two) for n, two in zip("ABC", tables, strict=True)
        }
        steps = choice.choice(every).representative
        for done in run_parts(Scenario("x", T, texts, steps, {"s": S}), DEFAULT).values():
            verdicts = judge(done.history, DELTA_LEVELS)
            readings = {v.verdict for v in verdicts.values()} | {
                reading.verdict
                for v in verdicts.values()
                for reading in (v.view, v.final_state)
                if reading is not None
            }
            assert readings == {"holds"}, texts
            conflicts += sum(end.conflict is not None for end in done.ended.values())
    assert conflicts > 5


def test_a_part_alone_is_the_whole_where_the_other_tables_do_not_change() -> None:
    texts = {"A": "INSERT INTO t SELECT k, v FROM s", "B": "DELETE FROM t WHERE k = 1"}
    whole = scenario(texts, "begin A", "B", "commit A")
    assert parts(whole) == {"t": whole}
    alone = run(prepare(whole, DEFAULT), whole.schedule, DEFAULT)
    assert alone.final.rows() == run_parts(whole, DEFAULT)["t"].final.rows()
