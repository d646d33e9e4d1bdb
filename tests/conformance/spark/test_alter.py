"""Changes of the definition on the real engine: one scenario of each kind of subtlety."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.replay.campaign import Job, replay
from conformance.spark.engine import SparkEngine
from isodelta.files.scenarios import read_files
from model.profiles import DEFAULT

pytestmark = pytest.mark.spark

FOLDER = Path(__file__).parents[3] / "scenarios" / "statements"
TOPICS = ("alter", "constraints", "identity", "generated", "protocol")
SCENARIOS = {
    loaded.scenario.name: loaded.scenario
    for loaded in read_files([FOLDER / f"{topic}.yaml" for topic in TOPICS])
}


@pytest.mark.parametrize(
    "name",
    [
        "a property set to the value that it has",
        "a table goes from WriteSerializable to Serializable",
        "two changes of the clustering columns",
        "ADD CONSTRAINT against an append that breaks it, WriteSerializable",
        "two appends to a table with an identity column",
        "a harmless change after identity values",
        "a condition on what a partition is generated from",
        "DROP FEATURE meets a new constraint",
    ],
)
def test_the_engine_does_what_the_model_says(spark_engine: SparkEngine, name: str) -> None:
    scenario = SCENARIOS[name]
    done = replay(spark_engine, Job(scenario, scenario.level or "Serializable"), DEFAULT)
    assert done.comparison.differences == ()
