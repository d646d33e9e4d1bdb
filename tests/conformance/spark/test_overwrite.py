"""Overwrites, RESTORE and creation on the real engine."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.replay.comparison import Comparison
from conformance.spark.engine import SparkEngine
from conformance.spark.lanes import Held, Raised
from conformance.spark.outcomes import outcome_of
from isodelta.files.scenarios import read_files
from tests.conformance.spark.batches import replayed_together

FOLDER = Path(__file__).parents[3] / "scenarios" / "statements"
SCENARIOS = {
    loaded.scenario.name: loaded.scenario
    for loaded in read_files([FOLDER / f"{name}.yaml" for name in ("overwrite", "restore")])
}


NAMES = (
    "dynamic partition overwrite against a delete in the partition",
    "replace where on a data column rewrites the files with a match",
    "truncate against an append and against itself",
    "restore wins and an append in flight goes on",
    "restore to the current version does nothing",
)


@pytest.fixture(scope="module")
def comparisons(spark_engine: SparkEngine) -> dict[str, Comparison]:
    return replayed_together(spark_engine, (SCENARIOS[name] for name in NAMES))


@pytest.mark.parametrize("name", NAMES)
def test_the_engine_does_what_the_model_says(comparisons: dict[str, Comparison], name: str) -> None:
    assert comparisons[name].differences == ()
    assert not comparisons[name].history.unknown


def test_two_creations_of_one_table_conflict_over_the_protocol(spark_engine: SparkEngine) -> None:
    """N95, N96: the second to commit is told of a changed protocol, whatever it creates."""
    place = spark_engine.process.folder / "creations"
    texts = [f"CREATE TABLE made_{n} (k int) USING delta LOCATION '{place}'" for n in (1, 2)]
    lanes = [spark_engine.take_lane() for _ in texts]
    for lane, text in zip(lanes, texts, strict=True):
        lane.start(spark_engine.process.session.newSession(), (text,))
        held = lane.wait(120)
        assert isinstance(held, Held)
        assert held.transaction.readVersion() == -1
    ends = []
    for lane in reversed(lanes):
        lane.release()
        ends.append(lane.wait(120))
        spark_engine.give_back_lane(lane)
    assert not isinstance(ends[0], Raised)
    assert isinstance(ends[1], Raised)
    assert outcome_of(ends[1].error).outcome == "ProtocolChanged"
