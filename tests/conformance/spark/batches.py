"""Scenarios replayed on Spark several at a time: each waits for the engine most of its time."""

from __future__ import annotations

from collections.abc import Iterable

from conformance.replay.campaign import Job, run_campaign
from conformance.replay.comparison import Comparison
from conformance.spark.engine import SparkEngine
from model.levels import SERIALIZABLE
from model.profiles import DEFAULT
from model.scenario import Scenario


def replayed_together(engine: SparkEngine, scenarios: Iterable[Scenario]) -> dict[str, Comparison]:
    """The comparisons by the scenarios' names, each at the level that its table says."""
    jobs = [Job(scenario, scenario.level or SERIALIZABLE) for scenario in scenarios]
    found = run_campaign(engine, jobs, DEFAULT)
    return {replayed.job.scenario.name: replayed.comparison for replayed in found}
