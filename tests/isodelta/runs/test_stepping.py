"""Tables stepped by their user: SQL and code of one's own, begun and committed one by one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import isodelta
from conformance.delta_rs.engine import DeltaRsEngine
from conformance.engine import EngineError
from conformance.spark.engine import SparkEngine
from isodelta import SteppedTable, stepped_table
from model.errors import InvalidScenario

ONE_ROW = ["INSERT INTO t VALUES (1, 1)"]


@pytest.fixture(scope="module")
def delta_rs() -> Iterator[DeltaRsEngine]:
    engine = DeltaRsEngine()
    yield engine
    engine.close()


def delete_one_on_delta_rs(table: Any) -> None:
    table.delete("k = 1")


def delete_one_on_spark(spark: Any) -> None:
    from delta import DeltaTable

    DeltaTable.forName(spark, "t").delete("k = 1")


def test_sql_and_code_of_ones_own_are_stepped_on_delta_rs(delta_rs: DeltaRsEngine) -> None:
    for work in ("DELETE FROM t WHERE k = 1", delete_one_on_delta_rs):
        table = stepped_table(delta_rs, setup=ONE_ROW)
        delete = table.begin(work)
        assert (delete.name, delete.read_version) == ("A", 1)
        assert "waiting: A" in repr(table)
        append = table.run("INSERT INTO t VALUES (1, 2)")
        assert (append.outcome, append.commit_version) == ("committed", 2)
        assert delete.commit().outcome == "ConcurrentAppend"
        assert table.rows() == [(1, 1), (1, 2)]
        assert table.rows(1) == [(1, 1)]
        assert table.run(work).commit_version == table.version == 3
        assert table.rows() == []
        assert table.run(work).outcome == "no commit"
        dead = table.begin("INSERT INTO t VALUES (3, 3)")
        dead.abandon()
        assert table.rows() == []
        assert "abandoned" in repr(dead)
        table.close()


def test_sql_and_code_of_ones_own_are_stepped_on_spark(spark_engine: SparkEngine) -> None:
    table = stepped_table(spark_engine, setup=ONE_ROW)

    def copy(spark: Any) -> None:
        spark.table("t").write.format("delta").mode("append").save(str(table.path))

    delete, copied = table.begin(delete_one_on_spark), table.begin(copy)
    dead = table.begin("INSERT INTO t VALUES (3, 3)")
    assert table.run("INSERT INTO t VALUES (1, 2)").commit_version == 2
    for late in (delete, copied):
        ended = late.commit()
        assert (ended.outcome, ended.conflict_with_version) == ("ConcurrentAppend", 2)
        assert str(ended.error_class).startswith("DELTA_CONCURRENT_APPEND")
    dead.abandon()
    assert table.run(delete_one_on_spark).outcome == "committed"
    assert table.run(delete_one_on_spark).outcome == "no commit"
    assert table.session.table("t").count() == 0
    check_own_error(table)


def test_an_error_of_the_code_itself_comes_out_unchanged(delta_rs: DeltaRsEngine) -> None:
    check_own_error(stepped_table(delta_rs))


def check_own_error(table: SteppedTable) -> None:
    def wrong(_: Any) -> None:
        raise ValueError("mine")

    with pytest.raises(ValueError, match="mine"):
        table.run(wrong)
    table.close()


def test_what_was_stepped_is_a_scenario_that_is_judged(delta_rs: DeltaRsEngine) -> None:
    table = stepped_table(delta_rs, setup=ONE_ROW, level="WriteSerializable")
    delete = table.begin("DELETE FROM t WHERE k = 1", "delete")
    table.run("INSERT INTO t VALUES (1, 2)", "append")
    table.begin("INSERT INTO t VALUES (7, 7)", "never ends")
    delete.commit()
    compared = table.compared()
    assert compared.agrees
    assert compared.verdicts["Serializable"].verdict == "holds"
    again = isodelta.parse_scenarios(isodelta.scenario_yaml(table.scenario()))
    assert again == [table.scenario()]
    assert (
        isodelta.run(again[0], profile="delta-rs-1.6").ended["delete"].outcome == "ConcurrentAppend"
    )


def test_misuse_is_told(delta_rs: DeltaRsEngine) -> None:
    with pytest.raises(TypeError, match="setup is a list"):
        stepped_table(delta_rs, setup="INSERT INTO t VALUES (1, 1)")
    with pytest.raises(InvalidScenario, match="no isolation level 'Snapshot'"):
        stepped_table(delta_rs, level="Snapshot")
    with pytest.raises(EngineError, match="set-up: INSERT"):
        stepped_table(delta_rs, setup=["INSERT INTO t VALUES (1)"])
    table = stepped_table(delta_rs)
    with pytest.raises(TypeError, match="not int"):
        table.begin(3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="no transaction has ended"):
        table.compared()
    done = table.begin(delete_one_on_delta_rs, "mine")
    with pytest.raises(ValueError, match="a transaction mine already"):
        table.begin("DELETE FROM t", "mine")
    done.commit()
    with pytest.raises(ValueError, match=r"ended already \(no commit\)"):
        done.commit()
    with pytest.raises(ValueError, match="mine is a function"):
        table.scenario()
    with pytest.raises(AttributeError, match="session"):
        _ = table.session
    table.close()
