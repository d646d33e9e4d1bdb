"""The answers about workloads on the real engine: witnesses, and the closest histories."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from checker.robustness.answer import robustness
from checker.robustness.histories import Stage
from checker.robustness.jobs.workload import jobs
from checker.robustness.search import TRIPLE
from conformance.spark.engine import SparkEngine
from isodelta.commands.robust.replay import replay_answer
from isodelta.files.workloads import read_workload
from isodelta.runs.replaying import replay
from tests.nightly import cases

FOLDER = Path(__file__).parents[3] / "scenarios/workloads"
FILES = sorted(FOLDER.glob("*.yaml"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_delta_on_spark_confirms_the_answer(path: Path, spark_engine: SparkEngine) -> None:
    answer = robustness(read_workload(path).jobs)
    replays = list(replay_answer(answer, spark_engine, most=cases(1, 4)))
    assert replays
    for replayed in replays:
        assert replayed.comparison.agrees, replayed.comparison.differences
        assert replayed.verdict == replayed.expected
    violated = {replayed.verdict for replayed in replays} == {"violated"}
    assert violated == (answer.serial.verdict == "not robust")


def test_the_engine_keeps_jobs_apart_once_an_append_is_a_merge(spark_engine: SparkEngine) -> None:
    """The schedule of the witness, with the remedy in place: the MERGE that missed it fails."""
    answer = robustness(read_workload(FOLDER / "on_call_fix.yaml").jobs)
    given = answer.jobs
    (changed,) = [remedy.changed for remedy in answer.remedies if "stream" in remedy.changed]
    texts = {name: changed.get(name, t.text) for name, t in given.templates.items()}
    mended = jobs("mended", given.table, given.tables, texts, given.profile)
    assert answer.serial.found is not None
    group = [
        replace(each, sql=mended.templates[each.job].filled(each.values))
        for each in answer.serial.found.instances
    ]
    found = Stage(mended).found("the witness with a MERGE", group, TRIPLE)
    comparison = replay(found.scenario, spark_engine)
    assert comparison.agrees, comparison.differences
    assert comparison.observation.outcomes["fix"] == "ConcurrentAppend"
