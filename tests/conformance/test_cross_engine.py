"""Both engines on one table: what is documented happens, and the model predicts it."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.cross_engine import CrossEngine
from conformance.engine import EngineError
from conformance.replay.campaign import Job, replay
from conformance.spark.engine import SparkEngine
from isodelta.files.scenarios import Loaded, read_files
from isodelta.runs.expectation import failures
from model.profiles import DEFAULT, delta_rs_1_6
from model.simulator import run

FINDINGS = Path(__file__).parents[2] / "docs" / "findings" / "cross_engine.yaml"
LOADED = read_files([FINDINGS])


@pytest.mark.parametrize("loaded", LOADED, ids=lambda loaded: loaded.scenario.name)
def test_findings(loaded: Loaded, spark_engine: SparkEngine) -> None:
    engine = CrossEngine(spark_engine, frozenset({"A"}))
    job = Job(loaded.scenario, loaded.workload.level, engine.profiles)
    comparison = replay(engine, job, DEFAULT).comparison
    assert comparison.differences == ()
    observed = comparison.observation
    verdicts = {name: verdict.verdict for name, verdict in comparison.verdicts.items()}
    assert failures(loaded.scenario, observed.outcomes, observed.rows, verdicts, job.level) == ()


def test_each_transaction_follows_the_rules_of_its_engine() -> None:
    loaded = next(entry for entry in LOADED if "blind append" in entry.scenario.name)
    schedule = loaded.scenario.schedule
    alone = run(loaded.workload, schedule, DEFAULT)
    both = run(loaded.workload, schedule, DEFAULT, {"A": delta_rs_1_6.ON_A_SPARK_TABLE})
    assert alone.ended["B"].outcome == "committed"
    assert both.ended["B"].outcome == "ConcurrentAppend"


def test_a_transaction_that_is_not_there(spark_engine: SparkEngine) -> None:
    with pytest.raises(EngineError, match="there is no transaction Z"):
        CrossEngine(spark_engine, frozenset({"Z"})).open(LOADED[0].scenario)
