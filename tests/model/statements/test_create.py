"""CREATE OR REPLACE TABLE as a transaction on the table that is there."""

from __future__ import annotations

import pytest

from model.errors import InvalidScenario
from model.preparation import run_scenario, steps
from model.profiles import DEFAULT, PROFILES
from model.scenario import Scenario, TableSpec
from model.simulator import Run, run
from tests.notation import scheduled

SAME = "CREATE OR REPLACE TABLE t (k int, p int) USING delta PARTITIONED BY (p)"
QUERY = "CREATE OR REPLACE TABLE t USING delta AS SELECT k + 1 AS k, p FROM t WHERE p = 1"


def ran(
    *texts: str, schedule: str, level: str = "Serializable", setup: tuple[str, ...] = ()
) -> Run:
    setup = ("INSERT INTO t VALUES (1, 1), (2, 2)", *setup)
    properties = {"delta.isolationLevel": level, "delta.enableDeletionVectors": "true"}
    spec = TableSpec({"k": "int", "p": "int"}, ("p",), (), properties, setup)
    order = scheduled(schedule)
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
        "CREATE OR REPLACE TABLE t (k int) USING delta LOCATION '/elsewhere'",
        "CREATE OR REPLACE TABLE t (k int) USING delta OPTIONS ('a' = 'b')",
        "CREATE OR REPLACE TABLE t (k int CHECK (k > 0)) USING delta",
        "CREATE OR REPLACE TABLE t LIKE s",
        "CREATE OR REPLACE TABLE t USING delta AS SELECT k + 1 FROM t",
        "CREATE OR REPLACE TABLE t USING delta AS SELECT k, NULL AS other FROM t",
    ],
)
def test_what_is_not_known_is_refused(text: str) -> None:
    with pytest.raises(InvalidScenario):
        ran(text, schedule="A")


@pytest.mark.parametrize(
    ("rest", "outcome"),
    [
        ("(k int)", "UNSUPPORTED_FEATURE.TABLE_OPERATION"),
        ("(k int) USING parquet", "UNSUPPORTED_FEATURE.TABLE_OPERATION"),
        ("USING delta", "DELTA_SCHEMA_NOT_PROVIDED"),
        ("(k int, K int) USING delta", "COLUMN_ALREADY_EXISTS"),
        ("USING delta AS SELECT k, k FROM t", "COLUMN_ALREADY_EXISTS"),
        ("(k int) USING delta PARTITIONED BY (k)", "ALL_PARTITION_COLUMNS_NOT_ALLOWED"),
        ("(k int) USING delta PARTITIONED BY (z)", "_LEGACY_ERROR_TEMP_3060"),
        ("(k int, v int) USING delta PARTITIONED BY (k) CLUSTER BY (v)", "_LEGACY_ERROR_TEMP_0035"),
        ("(k int) USING delta AS SELECT k FROM t", "_LEGACY_ERROR_TEMP_0035"),
        ("(k int DEFAULT 5) USING delta", "WRONG_COLUMN_DEFAULTS_FOR_DELTA_FEATURE_NOT_ENABLED"),
    ],
)  # fmt: skip
def test_what_spark_refuses_fails_with_its_class(rest: str, outcome: str) -> None:
    assert ran(f"CREATE OR REPLACE TABLE t {rest}", schedule="A").ended["A"].outcome == outcome


def test_new_columns_types_and_constraints_are_in_force() -> None:
    text = (
        "CREATE OR REPLACE TABLE t (k bigint, g bigint GENERATED ALWAYS AS (k + 1), "
        "d int DEFAULT 5 COMMENT 'five', n int NOT NULL) USING delta CLUSTER BY (k) COMMENT 'new' "
        "TBLPROPERTIES ('delta.feature.allowColumnDefaults' = 'supported')"
    )
    done = ran(text, "INSERT INTO t (k, n) VALUES (1, 2)", schedule="A, B")
    assert done.final.shown() == ((1, 2, 5, 2),)
    assert [done.final.table.names[place] for place in done.final.table.clustering] == ["k"]


def test_a_selection_gives_names_and_types() -> None:
    text = "CREATE OR REPLACE TABLE t USING delta PARTITIONED BY (w) AS SELECT k, 'a' AS w FROM t"
    final = ran(text, schedule="A").final
    assert set(final.shown()) == {(1, "a"), (2, "a")}
    assert final.table.column_names == ("k", "w")


def test_a_clustered_table_is_not_replaced_by_a_partitioned_one() -> None:
    clustered = "CREATE OR REPLACE TABLE t (k int, p int) USING delta CLUSTER BY (k)"
    outcome = ran(clustered, SAME, schedule="A, B").ended["B"].outcome
    assert outcome == "DELTA_CLUSTERING_REPLACE_TABLE_WITH_PARTITIONED_TABLE"


def test_the_level_that_it_leaves_is_the_default_of_who_runs_it() -> None:
    scenario = ran(SAME, schedule="A").workload
    databricks = next(p for p in PROFILES.values() if p.default_level == "WriteSerializable")
    done = run(scenario, (*steps("A"),), databricks)
    assert done.final.commit is not None
    assert done.final.commit.level == "WriteSerializable"
