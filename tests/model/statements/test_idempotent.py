"""Writes that an application numbers: skipped when made already, in conflict when made at once."""

from __future__ import annotations

import pytest

from model.errors import InvalidScenario
from model.preparation import run_scenario
from model.profiles import DEFAULT
from model.scenario import Scenario, TableSpec
from model.simulator import Run
from tests.notation import scheduled

WRITES = (
    "INSERT INTO t VALUES (3, 30)",
    "INSERT INTO t SELECT k, v + 1 FROM t",
    "INSERT OVERWRITE t VALUES (3, 30)",
    "INSERT INTO t REPLACE WHERE k = 1 VALUES (1, 11)",
    "DELETE FROM t WHERE k = 1",
    "UPDATE t SET v = 0 WHERE k = 1",
    "MERGE INTO t USING s ON t.k = s.k WHEN MATCHED THEN UPDATE SET v = s.v",
)


def numbered(version: int, text: str, application: str = "app") -> str:
    return (
        f"SET spark.databricks.delta.write.txnAppId = {application}; "
        f"SET spark.databricks.delta.write.txnVersion = {version}; {text}"
    )


def ran(*texts: str, schedule: str, level: str = "Serializable") -> Run:
    columns = {"k": "int", "v": "int"}
    setup = ("INSERT INTO t VALUES (1, 10)", "INSERT INTO t VALUES (2, 20)")
    spec = TableSpec(columns, (), (), {"delta.isolationLevel": level}, setup)
    others = {"s": TableSpec(columns, setup=("INSERT INTO s VALUES (1, 100)",))}
    order = scheduled(schedule)
    transactions = dict(zip("ABC", texts, strict=False))
    return run_scenario(Scenario("x", spec, transactions, order, others), DEFAULT)


@pytest.mark.parametrize("text", WRITES)
def test_a_number_that_the_table_has_is_skipped(text: str) -> None:
    done = ran(
        numbered(3, "INSERT INTO t VALUES (9, 90)"),
        numbered(3, text),
        numbered(4, text),
        schedule="A, B, C",
    )
    assert [done.ended[name].outcome for name in "ABC"] == ["committed", "no commit", "committed"]
    assert done.ended["B"].logical.predicate_reads == ()
    assert done.final.applications == {"app": 4}


@pytest.mark.parametrize("text", WRITES)
@pytest.mark.parametrize("level", ["Serializable", "WriteSerializable"])
def test_two_writes_of_one_application_at_once_conflict(text: str, level: str) -> None:
    append = "INSERT INTO t VALUES (9, 90)"
    done = ran(numbered(4, text), numbered(3, append), schedule="begin A, B, commit A", level=level)
    assert done.ended["A"].outcome == "ConcurrentTransaction"


def test_writes_of_two_applications_do_not_conflict() -> None:
    append = "INSERT INTO t VALUES (9, 90)"
    done = ran(numbered(1, append), numbered(1, append, "other"), schedule="begin A, B, commit A")
    assert done.ended["A"].outcome == "committed"


@pytest.mark.parametrize(
    ("text", "number"),
    [("UPDATE t SET v = 0 WHERE k = 7", 1), ("DELETE FROM t WHERE k = 7", None)],
)
def test_the_number_of_a_write_without_effect(text: str, number: int | None) -> None:
    done = ran(numbered(1, text), schedule="A")
    assert done.final.applications.get("app") == number
    assert done.ended["A"].outcome == ("no commit" if number is None else "committed")


def test_a_commit_of_a_number_alone_is_checked_at_the_level_of_the_table() -> None:
    done = ran(numbered(1, "UPDATE t SET v = 0 WHERE k = 7"), schedule="A")
    assert done.final.commit is not None
    assert done.final.commit.level == "Serializable"


@pytest.mark.parametrize(
    "text", ["OPTIMIZE t", "TRUNCATE TABLE t", "RESTORE TABLE t TO VERSION AS OF 1"]
)
def test_statements_that_do_not_look_at_the_number(text: str) -> None:
    append = numbered(3, "INSERT INTO t VALUES (9, 90)")
    done = ran(append, numbered(3, text), schedule="A, B")
    assert done.ended["B"].outcome == "committed"
    assert done.final.applications == {"app": 3}


def test_a_number_needs_both_settings() -> None:
    with pytest.raises(InvalidScenario, match="together"):
        ran("SET spark.databricks.delta.write.txnVersion = 1; DELETE FROM t", schedule="A")
