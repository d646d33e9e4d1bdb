"""Estimates of aborts per day: the pairs that conflict, and the simulation."""

from __future__ import annotations

import math
from itertools import product

import pytest

from checker.robustness.jobs.workload import jobs
from checker.robustness.rates import JobRate, Rates, estimate
from checker.robustness.rates.pairs import pairs
from checker.robustness.rates.simulation import figure, simulated
from checker.robustness.remedies import Remedy
from model.errors import InvalidScenario
from model.profiles import DEFAULT
from model.scenario import TableSpec

TABLE = TableSpec(
    {"id": "int", "day": "int"}, ("day",), setup=("INSERT INTO t VALUES (1, 1), (2, 2)",)
)
SQL = {
    "erase": "DELETE FROM t WHERE day = :day",
    "stream": "INSERT INTO t VALUES (:id, :day)",
    "report": "SELECT * FROM t",
}
JOBS = jobs("x", TABLE, {}, SQL, DEFAULT)


def test_pairs_tell_equal_parameters_from_different_ones() -> None:
    table = pairs(JOBS)
    assert set(table) == set(product(("erase", "stream"), repeat=2))
    again = table["erase", "erase"]
    assert (again.columns, again.conflicts) == (("day",), {(True,)})
    assert again.probability({"day": 0.25}) == 0.25
    assert again.probability({}) == 1.0
    assert not table["stream", "erase"].conflicts
    assert not table["erase", "stream"].conflicts  # A blind append, at WriteSerializable.


def test_a_run_fails_as_often_as_a_poisson_process_says() -> None:
    rates = Rates({"a": JobRate(50, 120, spread=0, attempts=1), "b": JobRate(250, 0)})
    done = simulated(rates, {("a", "b"): 0.5}, seed=1)
    expected = 50 * (1 - math.exp(-0.5 * 250 * 120 / 86_400))
    assert done.aborts.low < expected < done.aborts.high
    assert done.aborts == done.given_up == done.aborts_of["a"]
    assert done.retries.mean == 0
    assert done.aborts.high - done.aborts.low < 0.2 * expected


def test_intervals_contain_the_mean_about_as_often_as_they_say() -> None:
    expected = 10 * (1 - math.exp(-20 * 600 / 86_400))
    rates = Rates({"a": JobRate(10, 600, spread=0, attempts=1), "b": JobRate(20, 0)})
    hit = 0
    for seed in range(20):
        aborts = simulated(rates, {("a", "b"): 1.0}, seed).aborts
        hit += aborts.low < expected < aborts.high
    assert hit >= 16


def test_the_same_seed_gives_the_same_figures() -> None:
    rates = Rates({"a": JobRate(5, 600), "b": JobRate(4, 300, regular=True)})
    chances = {(one, other): 0.7 for one in "ab" for other in "ab"}
    assert simulated(rates, chances, 3) == simulated(rates, chances, 3)
    assert simulated(rates, chances, 3) != simulated(rates, chances, 4)


def test_a_run_is_given_up_after_its_attempts() -> None:
    rates = Rates({"a": JobRate(10, 3600, attempts=3), "b": JobRate(300, 0)})
    done = simulated(rates, {("a", "b"): 1.0}, 0)
    assert done.given_up.mean == pytest.approx(10, rel=0.2)
    assert done.retries.mean == pytest.approx(2 * done.given_up.mean, rel=0.05)


def test_no_abort_in_a_simulation_is_not_never() -> None:
    assert figure([0] * 30).high == pytest.approx(0.1)


def test_variants_are_the_levels_row_level_concurrency_and_the_remedies() -> None:
    cures = (
        Remedy("Set the level.", {"delta.isolationLevel": "Serializable"}, {}),
        Remedy("Let stream merge.", {}, {"stream": "DELETE FROM t WHERE day = :day"}),
        Remedy("Run erase only while no other job runs, erase included.", {}, {}),
    )
    rates = Rates({"erase": JobRate(20, 1500), "stream": JobRate(20, 50)}, {"day": 0.5})
    made = estimate(JOBS, rates, cures, seed=0)
    aborts = {v.name: v.outcome.aborts.mean for v in made.variants if v.outcome is not None}
    ws, serializable, rows, merged, alone = aborts.values()
    assert list(aborts)[:2] == ["WriteSerializable", "Serializable"]
    assert 0 < ws < serializable
    assert merged > ws
    assert (alone, rows <= ws) == (0, True)


def test_rates_of_an_unknown_job_are_an_error() -> None:
    with pytest.raises(InvalidScenario, match="there is no job 'erasse'"):
        estimate(JOBS, Rates({"erasse": JobRate(1, 1)}), (), 0)
