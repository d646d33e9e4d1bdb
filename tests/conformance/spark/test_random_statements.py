"""The model against Delta on Spark: random statements alone, and random transactions together.

A failure prints the scenario file that replays it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import islice

import pytest

from checker.judging.agreement import disagreements
from checker.judging.verdict import judge
from checker.search.random_search import scenarios_in_groups
from conformance.replay.campaign import Job, Replayed, run_campaign, valid
from conformance.spark.engine import SparkEngine
from isodelta.files.scenario_writer import scenario_yaml
from model.levels import SERIALIZABLE, WRITE_SERIALIZABLE
from model.profiles import DEFAULT
from tests.nightly import cases

pytestmark = pytest.mark.spark

ALONE, TOGETHER = cases(24, 2_000), cases(20, 2_000)
"""The seeds below are such that as few as these reach what the tests ask for."""
LEVELS = (SERIALIZABLE, WRITE_SERIALIZABLE)


def replays(engine: SparkEngine, seed: int, sizes: tuple[int, ...], most: int) -> list[Replayed]:
    scenarios = valid(scenarios_in_groups(seed, 12, sizes), DEFAULT)
    jobs = (Job(scenario, level) for scenario in scenarios for level in LEVELS)
    return list(run_campaign(engine, islice(jobs, most), DEFAULT))


def differing(found: Iterable[Replayed]) -> str:
    """Every replay that differs, as what differs and the scenario file that replays it."""
    return "\n".join(
        "\n".join(
            (
                *(f"# {difference}" for difference in replayed.comparison.differences),
                scenario_yaml(replayed.job.scenario.at_level(replayed.job.level)),
            )
        )
        for replayed in found
        if not replayed.comparison.agrees
    )


@pytest.fixture(scope="module")
def alone(spark_engine: SparkEngine) -> list[Replayed]:
    return replays(spark_engine, 61, (1,), ALONE)


@pytest.fixture(scope="module")
def together(spark_engine: SparkEngine) -> list[Replayed]:
    return replays(spark_engine, 46, (2, 3), TOGETHER)


def test_a_statement_alone_does_on_spark_what_the_model_says(alone: list[Replayed]) -> None:
    assert len(alone) == ALONE
    assert differing(alone) == ""


def test_transactions_together_do_on_spark_what_the_model_says(together: list[Replayed]) -> None:
    assert len(together) == TOGETHER
    assert differing(together) == ""


def test_the_statements_alone_are_of_every_kind(alone: list[Replayed]) -> None:
    kinds = {s.kind for r in alone for s in r.comparison.workload.statements.values()}
    common = {"INSERT", "INSERT SELECT", "UPDATE", "DELETE", "SELECT", "OPTIMIZE", "MERGE"}
    assert kinds > common


def test_the_transactions_together_reach_conflicts_and_commits(together: list[Replayed]) -> None:
    outcomes = Counter(
        outcome for r in together for outcome in r.comparison.observation.outcomes.values()
    )
    assert outcomes["committed"] > 20
    assert outcomes["read"] > 5
    assert outcomes["ConcurrentAppend"] > 5
    assert outcomes["ConcurrentDeleteRead"] > 0


def test_what_was_observed_is_judged_as_what_was_predicted(together: list[Replayed]) -> None:
    for replayed in together:
        comparison = replayed.comparison
        predicted = {k: v.verdict for k, v in judge(comparison.predicted.history).items()}
        observed = {k: v.verdict for k, v in comparison.verdicts.items()}
        assert observed == predicted, replayed.job.scenario.name
        assert comparison.history.unknown == ()


def test_deciders_agree_on_everything_observed(together: list[Replayed]) -> None:
    for replayed in together:
        comparison = replayed.comparison
        assert disagreements(comparison.history, comparison.verdicts) == ()
