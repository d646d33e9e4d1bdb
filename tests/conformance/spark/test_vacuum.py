"""VACUUM on the real engine: what leaves the storage, and what stays (claims N25, N26)."""

from __future__ import annotations

import os
import time
from pathlib import Path

from conformance.spark.engine import SparkEngine
from conformance.spark.replay import SparkReplay
from model.outcomes import COMMITTED
from model.scenario import Scenario, Step, TableSpec

OLD = 8 * 24 * 3600
"""Seconds; a day more than Delta retains files that no version needs."""

SCENARIO = Scenario(
    "vacuum after a conflict",
    TableSpec(
        {"k": "int", "v": "int"},
        properties={"delta.enableDeletionVectors": "true"},
        setup=("INSERT INTO t VALUES (1, 10), (2, 20), (3, 30)",),
    ),
    {
        "loser": "UPDATE t SET v = 0 WHERE k = 1",
        "winner": "UPDATE t SET v = 1 WHERE k = 1",
        "vacuum": "VACUUM t",
        "append": "INSERT INTO t VALUES (4, 40)",
    },
    tuple(
        Step(action, name)  # type: ignore[arg-type]
        for action, name in [
            *[("begin", "loser"), ("begin", "winner"), ("commit", "winner"), ("commit", "loser")],
            *[("begin", "vacuum"), ("commit", "vacuum"), ("begin", "append"), ("commit", "append")],
        ]
    ),
)


def data(table: Path) -> set[Path]:
    """Data files and deletion vectors."""
    return {*table.glob("*.parquet"), *table.glob("deletion_vector_*.bin")}


def tracked(replay: SparkReplay, table: Path) -> set[Path]:
    """The data files that some version has added."""
    return {table / added.path for record in replay.log() for added in record.adds}


def test_vacuum_takes_what_a_failed_transaction_left_and_nothing_else(
    spark_engine: SparkEngine,
) -> None:
    replay = spark_engine.open(SCENARIO)
    try:
        table = replay.folder / "t"
        for name in ("loser", "winner"):
            replay.begin(name)
        assert replay.commit("winner").outcome == COMMITTED
        before = replay.rows()
        assert replay.commit("loser").outcome == "ConcurrentAppend"
        left = {file for file in data(table) - tracked(replay, table) if file.suffix == ".parquet"}
        assert left, "the failed update has left no file behind"
        assert replay.rows() == before, "what it left is no part of the table"
        past = time.time() - OLD
        kept = data(table) - left
        for file in data(table):
            os.utime(file, (past, past))

        replay.begin("vacuum")
        vacuumed = replay.commit("vacuum")

        assert vacuumed.outcome == COMMITTED
        assert not left & data(table)
        vectors = {file for file in kept - data(table) if file.suffix == ".bin"}
        assert kept - data(table) == vectors, "only the failed update's vector goes as well"
        assert len(vectors) == 1
        assert replay.rows() == before
        replay.begin("append")
        assert replay.commit("append").outcome == COMMITTED
    finally:
        replay.close()


def test_a_place_is_whole_again_after_a_vacuum(spark_engine: SparkEngine) -> None:
    """Files that were there before, also those that no version needs, are put back."""
    scenario = Scenario(
        "vacuum of old files",
        TableSpec(
            {"k": "int"}, setup=("INSERT INTO t VALUES (1), (2)", "DELETE FROM t WHERE k = 1")
        ),
        {
            "vacuum": "SET spark.databricks.delta.retentionDurationCheck.enabled = false; "
            "VACUUM t RETAIN 0 HOURS"
        },
        (Step("begin", "vacuum"), Step("commit", "vacuum")),
    )
    for _ in range(2):
        replay = spark_engine.open(scenario)
        try:
            files = data(replay.folder / "t")
            replay.begin("vacuum")
            ended = replay.commit("vacuum")
            assert ended.earlier_versions == (3,)
            assert len(data(replay.folder / "t")) == len(files) - 1 == 1
        finally:
            replay.close()
