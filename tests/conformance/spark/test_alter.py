"""Changes of the definition on the real engine: one scenario of each kind of subtlety."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.replay.comparison import Comparison
from conformance.spark.engine import SparkEngine
from isodelta.files.scenarios import read_files
from tests.conformance.spark.batches import replayed_together

pytestmark = pytest.mark.spark

FOLDER = Path(__file__).parents[3] / "scenarios" / "statements"
TOPICS = ("alter", "constraints", "identity", "generated", "protocol")
SCENARIOS = {
    loaded.scenario.name: loaded.scenario
    for loaded in read_files([FOLDER / f"{topic}.yaml" for topic in TOPICS])
}


NAMES = (
    "a property set to the value that it has",
    "a table goes from WriteSerializable to Serializable",
    "two changes of the clustering columns",
    "ADD CONSTRAINT against an append that breaks it, WriteSerializable",
    "two appends to a table with an identity column",
    "a harmless change after identity values",
    "a condition on what a partition is generated from",
    "DROP FEATURE meets a new constraint",
)


@pytest.fixture(scope="module")
def comparisons(spark_engine: SparkEngine) -> dict[str, Comparison]:
    return replayed_together(spark_engine, (SCENARIOS[name] for name in NAMES))


@pytest.mark.parametrize("name", NAMES)
def test_the_engine_does_what_the_model_says(comparisons: dict[str, Comparison], name: str) -> None:
    assert comparisons[name].differences == ()
