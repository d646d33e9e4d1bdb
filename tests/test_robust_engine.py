"""The answers about workloads on the real engine: witnesses, and the closest histories."""

from __future__ import annotations

from pathlib import Path

import pytest

from checker.robustness.answer import robustness
from conformance.spark.engine import SparkEngine
from isodelta.robust_replay import replay_answer
from isodelta.workload_files import read_workload

FILES = sorted((Path(__file__).parent.parent / "scenarios/workloads").glob("*.yaml"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_delta_on_spark_confirms_the_answer(path: Path, spark_engine: SparkEngine) -> None:
    answer = robustness(read_workload(path).jobs)
    replays = list(replay_answer(answer, spark_engine, most=2))
    assert replays
    for replayed in replays:
        assert replayed.comparison.agrees, replayed.comparison.differences
        assert replayed.verdict == replayed.expected
    violated = {replayed.verdict for replayed in replays} == {"violated"}
    assert violated == (answer.serial.verdict == "not robust")
