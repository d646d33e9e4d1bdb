"""The rule that mends WriteSerializable: enough, and no more than is needed."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice, pairwise

import networkx as nx
import pytest

from checker.judging import graph
from checker.judging.dependencies import dependencies
from checker.search.random_search import random_scenarios
from conformance.replay.campaign import valid
from model.levels import CONFLICTS, SERIALIZABLE, SNAPSHOT_ISOLATION, WRITE_SERIALIZABLE
from model.physical.footprint import Footprint
from model.physical.log import Commit
from model.preparation import run_scenario
from model.profiles import DEFAULT, Profile, profile
from model.rules import read_through_append
from model.rules.base import Attempt
from model.rules.read_through_append import may_depend, way_back
from model.scenario import Scenario, Step, TableSpec
from model.simulator import Run
from tests.checker.synthesis.universe import universe

pytestmark = pytest.mark.slow

REPAIRED = profile("delta-spark-4.4-repaired")
RULE = read_through_append.RULE


def _random_runs(seed: int, count: int) -> list[Run]:
    scenarios = valid(random_scenarios(seed, (WRITE_SERIALIZABLE,), (3, 4, 5)), DEFAULT)
    without = (s for s in scenarios if "(SELECT" not in " ".join(s.transactions.values()))
    return [run_scenario(scenario, DEFAULT) for scenario in islice(without, count)]


def test_every_dependency_shows_in_the_footprints():
    """The premise of the proof, "footprint completeness", with the code's own words."""
    seen = 0
    for run in _random_runs(31, 120):
        first = run.workload.base.version
        winners = run.final.commits_after(first)
        commits = {commit.transaction: commit for commit in winners}
        last = Attempt("last", Footprint("WRITE"), WRITE_SERIALIZABLE, run.workload.table, winners)
        for edge in dependencies(run.history).edges():
            earlier, later = commits.get(edge.source.name), commits.get(edge.target.name)
            if edge.kind not in CONFLICTS or earlier is None or later is None:
                continue
            seen += 1
            assert SNAPSHOT_ISOLATION not in (earlier.level, later.level)
            assert may_depend(earlier, later, last), (run.workload, edge)
    assert seen > 40


def test_the_way_back_is_a_path_wherever_there_is_one():
    """Held against a search in a graph of the same winners."""
    seen = {True: 0, False: 0}

    def watched(attempt: Attempt, winner: Commit) -> str | None:
        because = RULE.check(attempt, winner)
        if attempt.level == WRITE_SERIALIZABLE and winner.blind:
            found = way_back(attempt, winner)
            winners = [w for w in attempt.winners if w.level != SNAPSHOT_ISOLATION]
            me = Commit(10**6, "me", attempt.footprint, attempt.winners[0].version - 1, "")
            ways = nx.DiGraph()
            ways.add_nodes_from([winner.version, me.version])
            for one in (*winners, me):
                if may_depend(winner, one, attempt) and one.read_version >= winner.version:
                    ways.add_edge(winner.version, one.version)
                for other in (*winners, me):
                    if one is not me and one is not winner and may_depend(one, other, attempt):
                        ways.add_edge(one.version, other.version)
                if one.read_version < me.read_version and not one.footprint.blind_append:
                    ways.add_edge(one.version, me.version)
            assert bool(found) == nx.has_path(ways, winner.version, me.version)
            places = [winner.version, *(w.version for w in found)]
            assert all(ways.has_edge(*pair) for pair in pairwise(places))
            seen[bool(found)] += 1
        return because

    rules = REPAIRED.with_rule(replace(RULE, check=watched))
    for scenario in islice(
        valid(random_scenarios(32, (WRITE_SERIALIZABLE,), (4, 5, 6)), rules), 180
    ):
        run_scenario(scenario, rules)
    assert min(seen.values()) > 3, seen


@pytest.mark.parametrize("some", [universe(3, 2, 1, sample=12), universe(4, 3, 1, sample=4)])
def test_it_refuses_the_violations_and_nothing_else(some):
    """Where conditions are about partitions, the footprints tell the whole truth."""
    own, violating = some.searched(DEFAULT, WRITE_SERIALIZABLE)
    mended, left = some.searched(REPAIRED, WRITE_SERIALIZABLE)
    assert own - mended == violating
    assert violating
    assert not left


def _mutant(**changed: object) -> Profile:
    """The repaired profile with another way to look for the way back."""

    def check(attempt: Attempt, winner: Commit) -> str | None:
        kept = {name: getattr(read_through_append, name) for name in changed}
        for name, value in changed.items():
            setattr(read_through_append, name, value)
        try:
            return RULE.check(attempt, winner)
        finally:
            for name, value in kept.items():
                setattr(read_through_append, name, value)

    return REPAIRED.with_rule(replace(RULE, check=check))


def _older(attempt: Attempt, winner: Commit) -> bool:
    reads = not winner.footprint.blind_append
    return reads and winner.read_version < attempt.winners[0].version - 1


LEADS_BACK = read_through_append._leads_back


def _touched(attempt: Attempt, winner: Commit) -> bool:
    late = replace(winner, read_version=attempt.winners[-1].version)
    return LEADS_BACK(attempt, late)


def _after(earlier: Commit, later: Commit, attempt: Attempt) -> bool:
    return later.read_version >= earlier.version and may_depend(
        replace(earlier, read_version=10**6), later, attempt
    )


def _unseen(earlier: Commit, later: Commit, attempt: Attempt) -> bool:
    return may_depend(earlier, replace(later, read_version=-1), attempt)


FIVE = {
    "N": "INSERT INTO t VALUES (1, 2, 0), (2, 4, 0)",
    "B": "INSERT INTO t VALUES (3, 1, 0)",
    "X": "INSERT INTO t SELECT 4, 5, count(*) FROM t WHERE p IN (1, 3)",
    "Z": "INSERT INTO t SELECT 5, 3, count(*) FROM t WHERE p = 2",
    "T": "INSERT INTO t SELECT 6, 6, count(*) FROM t WHERE p IN (1, 4)",
}
"""T misses B, which X has read; X misses Z, Z misses N, and N is older than T."""

FIVE_SCHEDULE = "bZ bN cN bT bB cB bX cX cZ cT"

FOUR = {
    "B": "INSERT INTO t VALUES (1, 1, 0)",
    "X": "INSERT INTO t SELECT 2, 5, count(*) FROM t WHERE p IN (1, 2)",
    "Z": "INSERT INTO t SELECT 3, 2, count(*) FROM t WHERE p = 3",
    "T": "INSERT INTO t SELECT 4, 3, count(*) FROM t WHERE p = 1",
}
"""T misses B, which X has read; X misses Z, and Z misses T."""

FORWARD = {**FOUR, "Z": "INSERT INTO t SELECT 3, 2, count(*) FROM t WHERE p IN (3, 5)"} | {
    "X": "INSERT INTO t SELECT 2, 5, count(*) FROM t WHERE p = 1"
}
"""The same, but Z has read what X added."""


def _scenario(transactions: dict[str, str], steps: str) -> Scenario:
    actions = {"b": "begin", "c": "commit"}
    return Scenario(
        "a way back",
        TableSpec({"k": "int", "p": "int", "v": "int"}, partition_by=("p",)),
        transactions,
        tuple(Step(actions[step[0]], step[1:]) for step in steps.split()),
    )


CASES = {
    "five": (FIVE, FIVE_SCHEDULE),
    "not seen": (FOUR, "bT bB cB bX bZ cX cZ cT"),
    "seen": (FORWARD, "bT bB cB bX cX bZ cZ cT"),
}


def _violated(transactions: dict[str, str], steps: str, rules: Profile) -> bool:
    run = run_scenario(_scenario(transactions, steps), rules, WRITE_SERIALIZABLE)
    return bool(graph.decide(dependencies(run.history), WRITE_SERIALIZABLE).cycle)


@pytest.mark.parametrize("case", CASES)
def test_long_ways_back_are_refused(case):
    assert _violated(*CASES[case], DEFAULT)
    run = run_scenario(_scenario(*CASES[case]), REPAIRED, WRITE_SERIALIZABLE)
    refused = {name: each.conflict for name, each in run.ended.items() if each.conflict}
    assert list(refused) == ["T"]
    assert refused["T"].rule == RULE.name


WEAKER = {
    "only what T touches": (_mutant(_leads_back=_touched), {"five"}),
    "only winners that began before T": (_mutant(_leads_back=_older), {"not seen", "seen"}),
    "only where X itself leads back": (_mutant(may_depend=lambda *_: False), set(CASES)),
    "only on through who has seen": (_mutant(may_depend=_after), {"five", "not seen"}),
    "only on through who was not seen": (_mutant(may_depend=_unseen), {"seen"}),
}
"""The weaker rules of ``theorems.repair``, and the histories that they let through."""


@pytest.mark.parametrize("weaker", WEAKER)
def test_every_weaker_rule_lets_a_violation_through(weaker):
    rules, admitted = WEAKER[weaker]
    assert {case for case in CASES if _violated(*CASES[case], rules)} == admitted


def test_the_weaker_rules_are_those_of_the_proof():
    from checker.proofs.theorems.repair import LEMMAS

    (enough,) = (lemma for lemma in LEMMAS if lemma.name == "no way back to T")
    (rule,) = (a for a in enough.build().assumptions if a.rule == RULE.name)
    assert set(rule.weakened or {}) == set(WEAKER)


def test_a_serializable_table_is_left_alone():
    for case in CASES.values():
        scenario = _scenario(*case)
        own, mended = (run_scenario(scenario, p, SERIALIZABLE) for p in (DEFAULT, REPAIRED))
        assert {n: e.outcome for n, e in own.ended.items()} == {
            n: e.outcome for n, e in mended.ended.items()
        }
