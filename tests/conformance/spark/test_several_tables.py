"""Scenarios that write several tables, on the real engines."""

from __future__ import annotations

import itertools

import pytest

from conformance.delta_rs.engine import DeltaRsEngine
from conformance.engine import Engine
from conformance.replay.campaign import replay_parts
from conformance.spark.engine import SparkEngine
from model.profiles import DEFAULT, Profile
from model.profiles.delta_rs_1_6 import PROFILE as DELTA_RS
from model.scenario import Scenario, TableSpec
from tests.notation import scheduled

TABLE = TableSpec({"k": "int", "v": "int"}, setup=("INSERT INTO t VALUES (1, 10), (2, 20)",))
OTHER = TableSpec({"k": "int", "v": "int"}, setup=("INSERT INTO s VALUES (1, 1), (5, 5)",))

READS_THE_OTHER = {
    "insert": "INSERT INTO s SELECT k, v FROM t",
    "overwrite": "INSERT OVERWRITE s SELECT k, v FROM t",
    "merge": "MERGE INTO s USING t ON s.k = t.k WHEN MATCHED THEN UPDATE SET v = t.v "
    "WHEN NOT MATCHED THEN INSERT *",
    "update": "UPDATE s SET v = (SELECT max(t.v) FROM t)",
    "reader": "SELECT s.k, t.v FROM s JOIN t ON s.k <= t.k",
}
SCENARIOS = {
    f"{kind}, {', '.join(steps)}": Scenario(
        kind,
        TABLE,
        {"A": sql, "B": "UPDATE t SET v = v + 1 WHERE k = 2", "C": "DELETE FROM s WHERE k = 5"},
        scheduled(", ".join(steps)),
        {"s": OTHER},
    )
    for (kind, sql), steps in itertools.product(
        READS_THE_OTHER.items(),
        (("begin A", "B", "C", "commit A"), ("begin C", "B", "A", "commit C")),
    )
}


def differences(engine: Engine, scenario: Scenario, profile: Profile) -> list[object]:
    comparisons, _ = replay_parts(engine, scenario, profile)
    unknown = [note for one in comparisons.values() for note in one.history.unknown]
    return [*unknown, *(d for one in comparisons.values() for d in one.differences)]


USUAL = "insert, begin A", "merge, begin A", "update, begin A", "reader, begin A"


@pytest.mark.spark
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name.startswith(USUAL) else pytest.mark.nightly)
        for name in SCENARIOS
    ],
)
def test_spark_reads_other_tables_as_they_are_at_the_begin(
    spark_engine: SparkEngine, name: str
) -> None:
    assert differences(spark_engine, SCENARIOS[name], DEFAULT) == []


@pytest.mark.parametrize("name", [name for name in SCENARIOS if "insert" in name or "read" in name])
def test_delta_rs_does_as_well(name: str) -> None:
    engine = DeltaRsEngine()
    try:
        assert differences(engine, SCENARIOS[name], DELTA_RS) == []
    finally:
        engine.close()
