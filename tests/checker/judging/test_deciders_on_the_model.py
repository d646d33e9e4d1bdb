"""The deciders on histories that the simulator makes, under the real rules and under none."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

import pytest

from checker.judging import solver
from checker.judging.dependencies import dependencies
from checker.judging.graph import decide
from checker.judging.verdict import LOST_EFFECT, judge
from checker.judging.wellformed import contradictions, infidelities
from checker.search import alphabet
from model.history import History
from model.levels import DELTA_LEVELS, LEVELS
from model.preparation import run_scenario
from model.profiles import profile
from model.profiles.base import Profile
from model.scenario import Step
from tests.nightly import cases

pytestmark = pytest.mark.slow

SAMPLE = cases(150, 10_000)

SOUND = profile("delta-spark-4.4")
NO_RULES = replace(SOUND, name="no rules", rules=())


def simulated(seed: int, rules: Profile) -> History:
    """The history of a random schedule of two to four statements of the alphabet."""
    random = Random(seed)
    layout = random.choice(list(alphabet.LAYOUTS))
    level = random.choice(DELTA_LEVELS)
    names = "ABCD"[: random.choice((2, 3, 3, 4))]
    transactions = {name: random.choice(alphabet.statements(layout)).sql for name in names}
    places = list(names) * 2
    random.shuffle(places)
    begun: set[str] = set()
    schedule = []
    for name in places:
        schedule.append(Step("commit" if name in begun else "begin", name))
        begun.add(name)
    scenario = alphabet.scenario(layout, level, transactions, schedule, f"seed {seed}")
    return run_scenario(scenario, rules).history


@pytest.mark.parametrize("rules", [SOUND, NO_RULES], ids=lambda rules: rules.name)
def test_deciders_agree_on_what_the_simulator_makes(rules: Profile):
    reached: Counter[object] = Counter()
    for seed in range(SAMPLE):
        judged = simulated(seed, rules)
        wellformed = not contradictions(judged)
        conflicts, precedences = dependencies(judged), solver.precedences(judged)
        if wellformed:
            found = {(e.source.name, e.target.name, e.kind) for e in conflicts.edges()}
            assert found == {(s.before, s.after, s.kind) for s in precedences}, judged
            for level in LEVELS:
                expected = solver.decide(precedences, judged, level).verdict
                assert decide(conflicts, level).verdict == expected, (judged, level)
        for verdict in judge(judged, (*DELTA_LEVELS, "PL-3")).values():
            assert verdict.contradiction is None, judged
            reached[verdict.level, verdict.verdict] += 1
            reached[verdict.anomaly == LOST_EFFECT] += 1
        reached["well-formed", wellformed] += 1
        reached["faithful", not infidelities(judged)] += 1
    for level in DELTA_LEVELS:
        assert reached[level, "holds"]
    assert reached["Serializable", "violated"]
    if rules is SOUND:
        assert not reached[True]
        assert not reached["well-formed", False]
        assert not reached["faithful", False]
    else:
        assert reached[True]
        assert reached["faithful", False]
        assert reached["WriteSerializable", "violated"]
