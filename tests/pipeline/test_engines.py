"""Engines in processes of their own: what they show, and what becomes of one that dies or hangs."""

import os
import signal
import time
from functools import partial

import pytest

from conformance.engine import EngineError
from conformance.model_engine import ModelEngine
from model.profiles import DEFAULT
from pipeline.engines.host import EngineHost
from pipeline.engines.replaying import Bench, Order
from pipeline.errors import PipelineFailed
from pipeline.store.store import locked
from pipeline.stream import history

SCENARIO = history(11, 2, 70)


class Dying(ModelEngine):
    """Dies at the first replay, in its first process alone; a file tells which that is."""

    def __init__(self, mark, how):
        super().__init__()
        self.first = not mark.exists()
        self.how = how
        mark.touch()

    def open(self, scenario, level=None):
        if self.first and self.how == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        if self.first and self.how == "hanging":
            time.sleep(600)
        if self.first:
            raise EngineError("out of order")
        return super().open(scenario, level)


def dying(mark, how):
    return Dying(mark, how)


def broken():
    raise EngineError("no Java")


def test_a_replay_that_agrees_has_no_difference_and_one_that_differs_has_a_small_cause():
    same = Bench(ModelEngine()).run(Order(SCENARIO, DEFAULT))
    assert same.error is None
    assert not same.differences
    found = _differing()
    assert found.differences
    (cause,) = found.causes
    assert cause.minimal
    assert len(cause.scenario.transactions) <= 2


def _differing():
    bench = Bench(ModelEngine(DEFAULT.without("added files")))
    for number in range(70, 400, 7):
        outcome = bench.run(Order(history(11, 2, number), DEFAULT))
        if outcome.differences:
            return outcome
    raise AssertionError("no history shows that the rule is missing")


@pytest.mark.slow
@pytest.mark.parametrize("how", ["killed", "hanging", "broken"])
def test_an_engine_that_is_lost_is_started_again_and_the_replay_is_made(tmp_path, how):
    host = EngineHost(partial(dying, tmp_path / "mark", how), 60, 10 if how == "hanging" else 60)
    try:
        outcome = host.run(Order(SCENARIO, DEFAULT))
        assert outcome.error is None
        assert outcome.transactions
        assert host.starts == 2
    finally:
        host.close()


@pytest.mark.slow
def test_an_engine_that_cannot_be_started_says_why():
    host = EngineHost(broken)
    with pytest.raises(EngineError, match="the engine did not start: no Java"):
        host.run(Order(SCENARIO, DEFAULT))


def test_two_campaigns_do_not_share_a_store(tmp_path):
    with (
        locked(tmp_path / "store"),
        pytest.raises(PipelineFailed, match="another campaign is at work"),
        locked(tmp_path / "store"),
    ):
        pass
    with locked(tmp_path / "store"):
        pass


def test_a_store_that_cannot_be_made_is_one_clear_line(tmp_path):
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(PipelineFailed, match="cannot be used: Not a directory"),
        locked(tmp_path / "file" / "store"),
    ):
        pass
