"""CREATE OR REPLACE TABLE as a transaction on the table that is there."""

from __future__ import annotations

import pytest

from model.errors import UnsupportedSQL
from model.profiles import DEFAULT, PROFILES
from model.scenario import Scenario, TableSpec
from model.simulator import Run, run, run_scenario
from model.workload import steps

SAME = "CREATE OR REPLACE TABLE t (k int, p int) USING delta PARTITIONED BY (p)"
QUERY = "CREATE OR REPLACE TABLE t USING delta AS SELECT k + 1 AS k, p FROM t WHERE p = 1"


def ran(
    *texts: str, schedule: str, level: str = "Serializable", setup: tuple[str, ...] = ()
) -> Run:
    setup = ("INSERT INTO t VALUES (1, 1), (2, 2)", *setup)
    properties = {"delta.isolationLevel": level, "delta.enableDeletionVectors": "true"}
    spec = TableSpec({"k": "int", "p": "int"}, ("p",), (), properties, setup)
    order = tuple(step for part in schedule.split(", ") for step in steps(part))
    transactions = dict(zip("ABC", texts, strict=False))
    return run_scenario(Scenario("x", spec, transactions, order), DEFAULT)


@pytest.mark.parametrize(
    ("text", "partitions", "rows"), [(SAME, (1,), set()), (QUERY, (), {(2, 1)})]
)
def test_it_leaves_only_what_it_says(
    text: str, partitions: tuple[int, ...], rows: set[tuple[int, ...]]
) -> None:
    final = ran(text, schedule="A").final
    assert final.table.partitions == partitions
    assert set(final.shown()) == rows


def test_properties_go_and_features_stay() -> None:
    final = ran(SAME, schedule="A").final
    assert not final.table.deletion_vectors
    assert "deletionVectors" in final.table.features


def test_the_isolation_level_goes_and_already_does_not_count_for_the_commit() -> None:
    final = ran(SAME, schedule="A", level="WriteSerializable").final
    assert final.commit is not None
    assert (final.commit.level, final.table.level) == ("Serializable", "Serializable")


@pytest.mark.parametrize("level", ["Serializable", "WriteSerializable"])
@pytest.mark.parametrize("text", [SAME, QUERY])
def test_it_loses_against_an_append_at_either_level(text: str, level: str) -> None:
    append = "INSERT INTO t VALUES (3, 3)"
    done = ran(text, append, schedule="begin A, B, commit A", level=level)
    assert done.ended["A"].outcome == "ConcurrentAppend"


@pytest.mark.parametrize("current", ["INSERT INTO t VALUES (3, 3)", "DELETE FROM t", SAME])
@pytest.mark.parametrize("setup", [(), (SAME, "INSERT INTO t VALUES (4, 4)")])
def test_whoever_it_wins_against_fails(current: str, setup: tuple[str, ...]) -> None:
    """Even where the definition is the same: metadata has the time of its creation."""
    done = ran(current, SAME, schedule="begin A, B, commit A", setup=setup)
    assert done.ended["A"].outcome == "MetadataChanged"


def test_other_columns_are_in_force_at_once() -> None:
    text = "CREATE OR REPLACE TABLE t (name string) USING delta"
    done = ran(text, "INSERT INTO t VALUES ('x')", schedule="A, B")
    assert done.final.shown() == (("x",),)


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("CREATE TABLE t (k int) USING delta", "TABLE_OR_VIEW_ALREADY_EXISTS"),
        ("CREATE TABLE IF NOT EXISTS t (k int) USING delta", "no commit"),
    ],
)
def test_create_table_finds_that_there_is_one(text: str, outcome: str) -> None:
    assert ran(text, schedule="A").ended["A"].outcome == outcome


@pytest.mark.parametrize(
    "text",
    [
        "CREATE OR REPLACE TABLE t (k int) USING parquet",
        "CREATE OR REPLACE TABLE t (k int) USING delta COMMENT 'x'",
        "CREATE OR REPLACE TABLE t USING delta",
        "CREATE OR REPLACE TABLE t USING delta AS SELECT k + 1 FROM t",
        "CREATE OR REPLACE TABLE t USING delta AS SELECT k AS other FROM t",
    ],
)
def test_what_is_not_known_is_refused(text: str) -> None:
    with pytest.raises(UnsupportedSQL):
        ran(text, schedule="A")


def test_the_level_that_it_leaves_is_the_default_of_who_runs_it() -> None:
    scenario = ran(SAME, schedule="A").workload
    databricks = next(p for p in PROFILES.values() if p.default_level == "WriteSerializable")
    done = run(scenario, (*steps("A"),), databricks)
    assert done.final.commit is not None
    assert done.final.commit.level == "WriteSerializable"
