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
from tests.notation import history as in_words

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
    assert disagreements(history(), wrong) == (
        "Serializable: impossible",
        "WriteSerializable: impossible",
    )


def test_only_the_definition_notices_a_lost_effect() -> None:
    """The solver has no cycle to object to, and is not asked."""
    done = in_words("x=10", "A@0>1: r(x) w(x=11)", "B@1>2: r(x) d(x)")
    lost = replace(done, final=(("x", 11),))
    verdicts = judge(lost, ("Serializable",))
    assert verdicts["Serializable"].anomaly == "lost effect"
    assert disagreements(lost, verdicts) == ()
