"""Which added files delta-rs takes to match a predicate: the model's reading against the engine's.

Each condition selects the first row of the table, so that the transaction has something to
commit, and meets an append that its statistics do or do not rule out.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from conformance.delta_rs.engine import DeltaRsEngine
from conformance.replay.campaign import Job, replay
from model.profiles import profile
from model.scenario import Scenario, Step, TableSpec

pytestmark = pytest.mark.slow

RULES = profile("delta-rs-1.6")
SCHEDULE = (
    *(Step("begin", "A"), Step("begin", "B")),
    *(Step("commit", "B"), Step("commit", "A")),
)

ROW = "(1, 10, 'a', TRUE)"
APPENDED = ("(5, 500, 'z', FALSE)", "(5, NULL, NULL, NULL)", "(1, 10, 'a', TRUE)")

CONDITIONS = (
    "v = 10",
    "10 = v",
    "v <> 500",
    "v < 100",
    "NOT (v > 100)",
    "v IN (10, 600)",
    "v NOT IN (500, 20)",
    "NOT (v IN (500, 20))",
    "v BETWEEN 1 AND 100",
    "v IS NOT NULL",
    "NOT (v IS NULL)",
    "v + 1 = 11",
    "NOT (v + 1 = 501)",
    "v % 2 = 0 AND v < 100",
    "v = 10 OR k = 1",
    "v = 10 OR v + 1 = 11",
    "v < 100 OR v > 600",
    "coalesce(v, 0) = 10",
    "CASE WHEN v = 10 THEN TRUE ELSE FALSE END",
    "v = 10.0",
    "v <=> 10",
    "s = 'a'",
    "s < 'b'",
    "s <=> 'a'",
    "w = TRUE",
    "w <> FALSE",
    "w IN (TRUE)",
    "w >= TRUE",
    "w IS NOT NULL AND w = TRUE",
)


@pytest.fixture(scope="module")
def engine() -> Iterator[DeltaRsEngine]:
    running = DeltaRsEngine()
    yield running
    running.close()


def outcome(engine: DeltaRsEngine, condition: str, appended: str, partition: str | None) -> str:
    table = TableSpec(
        {"k": "int", "v": "int", "s": "string", "w": "boolean"},
        partition_by=(partition,) if partition else (),
        setup=(f"INSERT INTO t VALUES {ROW}",),
    )
    transactions = {
        "A": f"DELETE FROM t WHERE {condition}",
        "B": f"INSERT INTO t VALUES {appended}",
    }
    scenario = Scenario(condition, table, transactions, SCHEDULE)
    comparison = replay(engine, Job(scenario, "Serializable"), RULES).comparison
    assert comparison.differences == ()
    return comparison.observation.outcomes["A"]


@pytest.mark.parametrize("condition", CONDITIONS)
def test_the_model_prunes_as_the_engine_does(engine: DeltaRsEngine, condition: str) -> None:
    outcomes = [outcome(engine, condition, appended, None) for appended in APPENDED]
    assert set(outcomes) <= {"committed", "ConcurrentAppend"}
    # What the third append adds does match.
    assert outcomes[2] == "ConcurrentAppend"


@pytest.mark.parametrize("condition", [c for c in CONDITIONS if "w" in c])
def test_partition_values_are_exact_statistics(engine: DeltaRsEngine, condition: str) -> None:
    # A condition on more than the partition column: what that column decides alone goes wrong.
    for appended in APPENDED:
        outcome(engine, f"k >= 1 AND ({condition})", appended, "w")


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("v = 10", ["committed", "committed"]),
        ("v + 1 = 11", ["ConcurrentAppend", "ConcurrentAppend"]),
        ("v IS NOT NULL", ["ConcurrentAppend", "committed"]),
        ("w = TRUE", ["committed", "ConcurrentAppend"]),
        ("w >= TRUE", ["committed", "committed"]),
    ],
)
def test_pruning_as_measured(engine: DeltaRsEngine, condition: str, expected: list[str]) -> None:
    assert [outcome(engine, condition, each, None) for each in APPENDED[:2]] == expected
