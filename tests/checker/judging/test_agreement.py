"""The check that deciders agree notices when they do not."""

from __future__ import annotations

from dataclasses import replace

from checker.judging.agreement import disagreements
from checker.judging.verdict import judge
from checker.search.alphabet import scenario
from conformance.matrix.table import SCHEDULE
from model.history import History
from model.preparation import run_scenario
from model.profiles import DEFAULT

SKEW = {
    "A": "UPDATE t SET v = (SELECT sum(v) FROM t WHERE p = 2) WHERE p = 1",
    "B": "UPDATE t SET v = (SELECT sum(v) FROM t WHERE p = 1) WHERE p = 2",
}


def history() -> History:
    skew = scenario("partitioned", "Serializable", SKEW, SCHEDULE, "skew")
    return run_scenario(skew, DEFAULT).history


def test_deciders_agree_on_a_violation() -> None:
    assert disagreements(history(), judge(history())) == ()


def test_a_wrong_verdict_of_the_graph_is_noticed() -> None:
    verdicts = judge(history())
    wrong = {level: replace(v, verdict="holds", witness=None) for level, v in verdicts.items()}
    assert len(disagreements(history(), wrong)) == 2


def test_readings_that_contradict_each_other_are_noticed() -> None:
    verdicts = judge(history())
    wrong = {level: replace(v, contradiction="impossible") for level, v in verdicts.items()}
    assert all("impossible" in text for text in disagreements(history(), wrong))
