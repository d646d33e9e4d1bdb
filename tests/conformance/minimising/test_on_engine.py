"""Findings made small on a real engine, and told apart by their causes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from conformance.delta_rs.engine import DeltaRsEngine
from conformance.delta_rs.replay import DeltaRsReplay
from conformance.engine import EngineError
from conformance.minimising.causes import cause_of
from conformance.minimising.columns import narrower, without_a_column
from conformance.minimising.on_engine import Minimised, minimise_on_engine
from conformance.minimising.symptoms import Breaks, Differs, Symptom, symptoms
from conformance.replay.campaign import Job, Replayed, replay
from model.levels import SERIALIZABLE
from model.profiles import profile
from model.scenario import Scenario, Step, TableSpec

RULES = profile("delta-rs-1.6")


@pytest.fixture(scope="module")
def delta_rs() -> Iterator[DeltaRsEngine]:
    engine = DeltaRsEngine()
    yield engine
    engine.close()


def scenario(schedule: str, **transactions: str) -> Scenario:
    """``schedule`` is short: ``a`` begins A, ``A`` commits it."""
    steps = tuple(
        Step("begin" if letter.islower() else "commit", letter.upper())
        for letter in schedule.replace(" ", "")
    )
    setup = (
        "INSERT INTO t VALUES (1, 1, 10), (2, 2, 20)",
        "INSERT INTO t VALUES (3, 1, 30)",
        "INSERT INTO t VALUES (4, 1, 40), (5, 1, 50)",
    )
    table = TableSpec({"k": "int", "p": "int", "v": "int"}, ("p",), setup=setup)
    return Scenario(schedule, table, transactions, steps)


BROUGHT_BACK = scenario(
    "d D a b B c r C A R",
    A="OPTIMIZE t",
    B="OPTIMIZE t",
    C="DELETE FROM t WHERE k = 3 OR k = 4 AND v > 7",
    D="INSERT INTO t VALUES (7, 2, 0), (8, 2, 0)",
    R="SELECT count(*) FROM t",
)
WRONG_DELETE = scenario(
    "c C a A",
    A="DELETE FROM t WHERE p + 1 = 3 AND p + 0 = 2",
    C="INSERT INTO t VALUES (7, 2, 0), (8, 2, 0)",
)


def shown(engine: DeltaRsEngine, case: Scenario) -> Replayed:
    return replay(engine, Job(case, SERIALIZABLE), RULES)


def smallest(engine: DeltaRsEngine, case: Scenario, **limits: float) -> tuple[Symptom, Minimised]:
    first = shown(engine, case)
    symptom = symptoms(first.comparison)[0]
    return symptom, minimise_on_engine(engine, first, RULES, symptom, **limits)


def test_a_violation_keeps_its_anomaly_and_loses_the_rest(delta_rs: DeltaRsEngine) -> None:
    symptom, small = smallest(delta_rs, BROUGHT_BACK)
    assert isinstance(symptom, Breaks)
    assert small.finished
    case = small.job.scenario
    assert set(case.transactions) <= {"A", "B", "C"}
    assert case.table.partition_by == ()
    assert len(case.table.columns) == 1
    assert "WHERE k" not in case.transactions.get("C", "")
    again = shown(delta_rs, case).comparison
    assert symptom.shown_by(again)
    assert cause_of(again, symptom) == small.cause


def test_a_difference_keeps_its_class_and_loses_the_rest(delta_rs: DeltaRsEngine) -> None:
    symptom, small = smallest(delta_rs, WRONG_DELETE)
    assert isinstance(symptom, Differs)
    assert small.finished
    case = small.job.scenario
    assert dict(case.transactions) == {"A": "DELETE FROM t WHERE p + 0 = 2"}
    assert list(case.table.columns) == ["p", "v"]  # A table needs a column beside its partitions.
    assert len(case.table.setup) == 2  # One file to remove, and one to remove wrongly.
    assert symptom.shown_by(shown(delta_rs, case).comparison)


@pytest.mark.parametrize("workers", [1, 4])
def test_the_number_of_workers_changes_nothing(delta_rs: DeltaRsEngine, workers: int) -> None:
    expected = smallest(delta_rs, WRONG_DELETE)[1]
    first = shown(delta_rs, WRONG_DELETE)
    symptom = symptoms(first.comparison)[0]
    small = minimise_on_engine(delta_rs, first, RULES, symptom, workers=workers)
    assert small.job == expected.job


def test_no_step_is_left_when_it_has_finished(delta_rs: DeltaRsEngine) -> None:
    symptom, small = smallest(delta_rs, BROUGHT_BACK)
    again = minimise_on_engine(delta_rs, shown(delta_rs, small.job.scenario), RULES, symptom)
    assert again.job.scenario == small.job.scenario


def test_the_time_ends_it_with_what_was_seen(delta_rs: DeltaRsEngine) -> None:
    symptom, small = smallest(delta_rs, WRONG_DELETE, seconds=0.0)
    assert small.stopped == "the time of 0 s was used up"
    assert not small.finished
    assert small.job.scenario == WRONG_DELETE
    assert small.replays == 0
    assert symptom.shown_by(small.comparison)


def test_an_engine_that_fails_ends_it_with_what_was_seen(
    delta_rs: DeltaRsEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = shown(delta_rs, WRONG_DELETE)
    symptom = symptoms(first.comparison)[0]

    def fail(self: DeltaRsReplay, name: str) -> None:
        raise EngineError("it has died")

    monkeypatch.setattr(DeltaRsReplay, "begin", fail)
    small = minimise_on_engine(delta_rs, first, RULES, symptom)
    assert small.stopped == "it has died"
    assert small.job.scenario == WRONG_DELETE


def test_a_symptom_that_is_not_there_is_refused(delta_rs: DeltaRsEngine) -> None:
    first = shown(delta_rs, WRONG_DELETE)
    absent = Breaks(SERIALIZABLE, "write skew", 1)
    with pytest.raises(ValueError, match="there is nothing to keep"):
        minimise_on_engine(delta_rs, first, RULES, absent)


def test_equal_findings_have_equal_causes_and_others_do_not(delta_rs: DeltaRsEngine) -> None:
    one = smallest(delta_rs, WRONG_DELETE)[1].cause
    text = {"A": "DELETE FROM t WHERE p + 3 = 5", "C": WRONG_DELETE.transactions["C"]}
    assert smallest(delta_rs, replace(WRONG_DELETE, transactions=text))[1].cause == one
    other = smallest(delta_rs, BROUGHT_BACK)[1].cause
    assert other != one
    assert other.statements == ("DELETE", "OPTIMIZE", "OPTIMIZE")
    assert other.kind == "violation"
    assert one.to_json()["statements"] == ["DELETE"]


def test_a_column_goes_from_all_rows_at_once() -> None:
    assert narrower("INSERT INTO t VALUES (1, 2), (3, 4)", 0, 2) == "INSERT INTO t VALUES (2), (4)"
    assert narrower("INSERT INTO t VALUES (1, 2)", 0, 3) == "INSERT INTO t VALUES (1, 2)"
    assert narrower("no statement", 0, 2) == "no statement"
    first = next(without_a_column(WRONG_DELETE))
    assert list(first.table.columns) == ["p", "v"]
    assert first.table.setup[1] == "INSERT INTO t VALUES (1, 30)"
    assert first.transactions["C"] == "INSERT INTO t VALUES (2, 0), (2, 0)"
