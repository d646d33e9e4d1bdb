"""The premises of the proofs hold of what statements note, but where the page says otherwise."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

from checker.generators.scenarios import KINDS
from checker.proofs import THEOREMS
from checker.proofs.premises.checks import CHECKED, broken_premises
from checker.proofs.premises.grounds import GROUNDS, CheckedBy, Proved, in_words
from checker.search.random_search import random_scenarios
from conformance.replay.campaign import valid
from isodelta.files.scenarios import read_files
from model.physical.footprint import Footprint
from model.physical.log import Snapshot
from model.preparation import run_scenario
from model.profiles import DEFAULT
from model.simulator import Run
from model.statements import Statement

SCENARIOS = Path(__file__).parents[3] / "scenarios"
FILES = [
    path
    for path in sorted(SCENARIOS.rglob("*.yaml"))
    if path.parent.name not in ("workloads", "several")
]


def _reads_in_set(sql: str) -> bool:
    """The one exception: Delta on Spark notes no read for a subquery in SET."""
    return "UPDATE" in sql and "(SELECT" in sql


PREMISES = {
    assumption.name
    for theorem in THEOREMS
    for lemma in theorem.lemmas
    for assumption in lemma.build().assumptions
    if assumption.premise
}


def test_every_premise_has_a_ground():
    assert set(GROUNDS) == PREMISES


def test_every_ground_is_there():
    lemmas = {lemma.name for theorem in THEOREMS for lemma in theorem.lemmas}
    root = Path(__file__).parents[3]
    for ground in GROUNDS.values():
        if isinstance(ground, Proved):
            assert set(ground.lemmas) <= lemmas
        if isinstance(ground, CheckedBy):
            for test in ground.tests:
                path, name = test.split("::")
                assert f"def {name}(" in (root / path).read_text(), test


def test_every_premise_that_is_looked_at_in_runs_is_tested_there():
    """And what is looked at is a premise, or a definition that a lemma goes by."""
    runs = "test_they_hold_in_random_scenarios_of_every_statement"
    tested = {name for name in GROUNDS if runs in in_words(name)}
    named = {a.name for t in THEOREMS for le in t.lemmas for a in le.build().assumptions}
    assert tested == CHECKED & PREMISES
    assert named >= CHECKED


def _kinds_broken(scenarios) -> tuple[Counter, Counter]:
    kinds: Counter = Counter()
    broken: Counter = Counter()
    for scenario in scenarios:
        run = run_scenario(scenario, DEFAULT)
        for name, ended in run.ended.items():
            kinds[run.workload.statements[name].kind] += ended.footprint is not None
        for each in broken_premises(run):
            if not _reads_in_set(scenario.transactions[each.transaction]):
                broken[each.premise, scenario.transactions[each.transaction], each.where] += 1
    return kinds, broken


@pytest.mark.slow
def test_they_hold_in_random_scenarios_of_every_statement():
    kinds, broken = _kinds_broken(islice(valid(random_scenarios(21), DEFAULT), 250))
    assert not broken
    rare = {"SELECT", "CREATE TABLE"}
    assert {kind for kind, count in kinds.items() if count > 5} >= set(kinds) - rare
    assert len(set(kinds) - rare) == 14


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_they_hold_in_every_scenario_of_the_collection(path):
    _, broken = _kinds_broken(loaded.scenario for loaded in read_files([path]))
    assert not broken


def test_a_subquery_in_set_is_the_exception():
    loaded = read_files([SCENARIOS / "subquery_in_set.yaml"])
    found = {
        broken.premise
        for each in loaded
        for broken in broken_premises(run_scenario(each.scenario, DEFAULT))
    }
    assert found == {
        "footprint completeness, files to come",
        "footprint completeness, files there",
    }


def _noting(run: Run, **less: object) -> Run:
    """The run, had every footprint noted less."""
    ended = {
        name: replace(each, footprint=replace(each.footprint, **less))
        for name, each in run.ended.items()
        if each.footprint is not None
    }
    return replace(run, ended=ended)


@pytest.mark.parametrize(
    ("less", "premise"),
    [
        ({"read_predicates": ()}, "footprint completeness, files to come"),
        ({"read_files": (), "removes": ()}, "footprint completeness, files there"),
        ({"data_changed": False}, "no change of data, no reads"),
        ({"records_always": True}, "who always writes a version"),
        ({"removes": ()}, "who overwrites has seen"),
        ({"restates": True}, "who states files again reads no row"),
    ],
)
def test_a_footprint_that_says_less_is_noticed(less, premise):
    (loaded, *_) = read_files([SCENARIOS / "lost_update.yaml"])
    run = run_scenario(loaded.scenario, DEFAULT)
    assert not list(broken_premises(run))
    assert premise in {broken.premise for broken in broken_premises(_noting(run, **less))}


def test_a_compaction_that_loses_a_row_is_noticed():
    (loaded, *_) = read_files([SCENARIOS / "lost_update.yaml"])
    run = run_scenario(loaded.scenario, DEFAULT)

    def marked(snapshot: Snapshot) -> Snapshot:
        commit = snapshot.commit
        assert commit is not None
        footprint: Footprint = replace(commit.footprint, data_changed=False)
        return replace(snapshot, commit=replace(commit, footprint=footprint))

    found = {each.premise for each in broken_premises(replace(run, final=marked(run.final)))}
    assert found == {"rearranging"}


def test_the_collection_has_every_kind_of_statement():
    kinds = {
        statement.kind
        for path in FILES
        for loaded in read_files([path])
        for statement in _statements(run_scenario(loaded.scenario, DEFAULT))
    }
    assert kinds >= {*KINDS, "CREATE TABLE"}


def _statements(run: Run) -> list[Statement]:
    return [run.workload.statements[name] for name in run.ended]
