"""RESTORE: files and definition of an earlier version, as a change of rows and as a commit."""

from __future__ import annotations

import pytest

from checker.judging.verdict import judge
from checker.judging.wellformed import contradictions, infidelities
from conformance.model_engine import ModelEngine
from conformance.replay.comparison import compare
from conformance.replay.observation import observe
from model.errors import UnsupportedSQL
from model.preparation import prepare, run_scenario, steps
from model.profiles import DEFAULT
from model.scenario import Scenario, TableSpec
from model.simulator import Run
from tests.notation import scheduled

SETUP = (
    "INSERT INTO t VALUES (1, 10), (2, 20)",
    "UPDATE t SET v = 21 WHERE k = 2",
    "INSERT INTO t VALUES (3, 30)",
    "OPTIMIZE t",
)
LEVELS = ("Serializable", "WriteSerializable")


def scenario(*texts: str, schedule: str, level: str = "Serializable") -> Scenario:
    names = "ABC"[: len(texts)]
    spec = TableSpec({"k": "int", "v": "int"}, (), (), {"delta.isolationLevel": level}, SETUP)
    order = scheduled(schedule)
    return Scenario("x", spec, dict(zip(names, texts, strict=True)), order)


def ran(*texts: str, schedule: str, level: str = "Serializable") -> Run:
    return run_scenario(scenario(*texts, schedule=schedule, level=level), DEFAULT)


def test_a_row_that_comes_back_is_a_new_version_of_the_row_that_it_was() -> None:
    done = ran("RESTORE TABLE t TO VERSION AS OF 1", schedule="A")
    changes = {(c.before, c.after) for c in done.ended["A"].logical.changes}
    assert changes == {((2, 21), (2, 20)), ((3, 30), None)}
    known = {row.row for row in done.workload.base.stored()}
    assert {c.row for c in done.ended["A"].logical.changes} <= known


def test_rows_that_were_only_moved_are_left_alone() -> None:
    done = ran("RESTORE t VERSION AS OF 3", schedule="A")
    ended = done.ended["A"]
    assert ended.footprint is not None
    assert (len(ended.footprint.adds), len(ended.footprint.removes)) == (2, 1)
    assert ended.logical.changes == ()


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    "winner", ["INSERT INTO t VALUES (4, 40)", "DELETE FROM t WHERE k = 1", "TRUNCATE TABLE t"]
)
def test_any_winner_fails_it(winner: str, level: str) -> None:
    done = ran(
        "RESTORE TABLE t TO VERSION AS OF 1", winner, schedule="begin A, B, commit A", level=level
    )
    assert done.ended["A"].outcome == "ConcurrentWrite"


@pytest.mark.parametrize("level", LEVELS)
def test_it_is_logged_as_serializable_and_as_no_blind_append(level: str) -> None:
    done = ran("RESTORE TABLE t TO VERSION AS OF 3", schedule="A", level=level)
    entry = done.final.commit
    assert entry is not None
    assert entry.level == "Serializable"
    assert not entry.footprint.blind_append


def test_metadata_that_is_what_it_was_fails_nobody() -> None:
    done = ran(
        "RESTORE TABLE t TO VERSION AS OF 1",
        "INSERT INTO t VALUES (4, 40)",
        schedule="begin B, A, commit B",
    )
    assert done.ended["B"].outcome == "committed"
    assert set(done.final.rows()) == {(1, 10), (2, 20), (4, 40)}


def test_an_older_definition_is_in_force_again() -> None:
    spec = TableSpec(
        {"k": "int", "v": "int"},
        setup=("INSERT INTO t VALUES (1, 10)", "ALTER TABLE t ADD COLUMNS (w int)"),
    )
    texts = {"A": "RESTORE TABLE t TO VERSION AS OF 1", "B": "INSERT INTO t VALUES (2, 20)"}
    done = run_scenario(Scenario("x", spec, texts, (*steps("A"), *steps("B"))), DEFAULT)
    assert done.final.table.column_names == ("k", "v")
    assert set(done.final.shown()) == {(1, 10), (2, 20)}


@pytest.mark.parametrize(
    ("version", "outcome"), [(4, "no commit"), (5, "DELTA_CANNOT_RESTORE_TABLE_VERSION")]
)
def test_the_current_version_and_one_to_come(version: int, outcome: str) -> None:
    done = ran(f"RESTORE TABLE t TO VERSION AS OF {version}", schedule="A")
    assert done.ended["A"].outcome == outcome


@pytest.mark.parametrize("version", range(4))
def test_the_observed_history_says_the_same(version: int) -> None:
    asked = scenario(
        "SELECT * FROM t",
        f"RESTORE TABLE t TO VERSION AS OF {version}",
        "UPDATE t SET v = v + 1 WHERE k = 2",
        schedule="begin A, begin C, B, commit C, commit A",
    )
    workload = prepare(asked, DEFAULT)
    compared = compare(workload, DEFAULT, observe(ModelEngine(), asked, "Serializable"))
    assert compared.agrees
    assert not compared.history.unknown
    assert not contradictions(compared.history)
    assert not infidelities(compared.history)
    predicted = judge(compared.predicted.history, LEVELS)
    for level, verdict in judge(compared.history, LEVELS).items():
        assert (verdict.verdict, verdict.view) == (predicted[level].verdict, predicted[level].view)


def test_a_time_is_no_version() -> None:
    with pytest.raises(UnsupportedSQL):
        ran("RESTORE TABLE t TO TIMESTAMP AS OF '2024-01-01'", schedule="A")
