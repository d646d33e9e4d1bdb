"""The theorems: each lemma holds, is about something, and needs every rule that it names."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from html import unescape
from itertools import islice, product
from pathlib import Path

import pytest

from checker.judging import graph
from checker.judging.dependencies import dependencies
from checker.proofs import THEOREMS
from checker.proofs.lemma import SCOPE, Assumption, Claim, Lemma, check
from checker.proofs.rule_formulas import facts
from checker.proofs.rule_formulas.concrete import ConcreteFacts
from checker.proofs.shapes import missed_appends, missed_appends_on_a_cycle
from checker.proofs.theorems import log_order
from checker.proofs.theorems.log_order import level_formula
from checker.search.alphabet import statements
from checker.search.exhaustive import Search
from checker.search.random_search import random_scenarios
from conformance.replay.campaign import valid
from isodelta.cli import run
from model.levels import SERIALIZABLE, SNAPSHOT_ISOLATION, WRITE_SERIALIZABLE
from model.physical.footprint import Footprint, MetadataChange, ProtocolChange
from model.physical.log import Commit
from model.preparation import run_scenario
from model.profiles import DEFAULT, profile
from model.rules.base import Attempt
from model.rules.delta_spark import level_in_force

pytestmark = pytest.mark.slow

REPAIRED = profile("delta-spark-4.4-repaired")
LEMMAS = [(theorem, lemma) for theorem in THEOREMS for lemma in theorem.lemmas]
PART = (
    *("append to 1", "append to both", "load another table", "count everything", "copy 1 to 2"),
    *("copy 2 to 1", "sum of 1 into 2", "delete 1", "raise 1", "move 1 to 2", "compact"),
)


@pytest.mark.parametrize(
    ("theorem", "lemma"), LEMMAS, ids=[f"{t.name}: {lemma.name}" for t, lemma in LEMMAS]
)
def test_a_lemma_is_proved_with_every_mutant_as_written(theorem, lemma):
    result = check(lemma)
    assert result.verdict == "proved", result.because
    assert {m.name for m in result.mutants} >= set(lemma.redundant)


def test_every_rule_of_the_profile_has_a_mutant_in_the_proof():
    rules = {
        assumption.rule
        for lemma in log_order.THEOREM.lemmas
        for assumption in lemma.build().assumptions
        if assumption.rule
    }
    assert {rule.name for rule in DEFAULT.rules} <= rules
    assert set(facts.RULES) == {rule.name for rule in DEFAULT.rules}


def _lemma(*assumptions: Assumption, goal=None, redundant=None) -> Lemma:
    import z3

    p = z3.Bool("p")
    goal = p if goal is None else goal
    return Lemma("a lemma", "", lambda: Claim(assumptions, goal, z3.BoolVal(True)), redundant or {})


def test_a_lemma_that_does_not_need_a_rule_is_noticed():
    import z3

    p, q = z3.Bools("p q")
    needed, idle = Assumption("p", "", p, rule="p"), Assumption("q", "", q, rule="q")
    assert check(_lemma(needed)).verdict == "proved"
    found = check(_lemma(needed, idle))
    assert (found.verdict, found.because) == ("refuted", "with q: dropped the lemma is proved")
    assert check(_lemma(needed, idle, redundant={"q: dropped": "it says nothing"})).verdict == (
        "proved"
    )


def test_a_vacuous_lemma_and_a_wrong_one_are_noticed():
    import z3

    p = z3.Bool("p")
    nothing = Assumption("nothing", "", z3.And(p, z3.Not(p)))
    assert check(_lemma(nothing)).because == "the assumptions are vacuous"
    assert check(_lemma()).verdict == "refuted"


def _watched(seen: Counter) -> object:
    """The profile, with every rule compared with its formula whenever it is asked."""

    def watched(rule):
        def ask(attempt, winner):
            because = rule.check(attempt, winner)
            formula = facts.RULES[rule.name]
            if rule.name == "added files":
                if attempt.level not in (SERIALIZABLE, WRITE_SERIALIZABLE):
                    return because
                if attempt.level == WRITE_SERIALIZABLE:
                    formula = facts.added_files_but_appends
            refuses = formula(ConcreteFacts(attempt, winner))
            assert bool(refuses) == (because is not None), (rule.name, because)
            seen[rule.name, because is not None] += 1
            return because

        return replace(rule, check=ask)

    return replace(DEFAULT, rules=tuple(map(watched, DEFAULT.rules)))


def test_the_formulas_are_the_rules_that_run():
    seen: Counter = Counter()
    rules = _watched(seen)
    for scenario in islice(valid(random_scenarios(7, sizes=(3, 4)), DEFAULT), 200):
        run_scenario(scenario, rules)
    for rule in ("added files", "delete read"):
        assert min(seen[rule, True], seen[rule, False]) > 5, seen


def test_the_formulas_about_the_definition_are_the_rules_that_run():
    """Every combination of what an attempt and a winner may change besides files."""
    metadata = (
        None,
        MetadataChange(),
        MetadataChange(identity_only=True, schema_changed=True),
        MetadataChange(schema_changed=True),
        MetadataChange(properties_removed=True),
        MetadataChange(frozenset({"delta.appendOnly"})),
        MetadataChange(frozenset({"delta.enableRowTracking"})),
        MetadataChange(frozenset({"delta.constraints.positive"})),
    )
    protocol = (
        None,
        ProtocolChange(frozenset({"appendOnly"})),
        ProtocolChange(dropped=frozenset({"checkConstraints"})),
    )
    extra = (
        {},
        {"domains": frozenset({"d"})},
        {"applications_read": frozenset({"a"}), "applications_written": (("a", 1),)},
        {"next_version_only": True},
    )
    footprints = [
        Footprint("X", metadata=m, protocol=p, **more)
        for m, p, more in product(metadata, protocol, extra)
    ]
    table = Search("partitioned").workload.base.table
    mark = Commit(1, "M", Footprint("WRITE", metadata=metadata[2]), 0, SERIALIZABLE)
    seen: Counter = Counter()
    for mine, theirs, earlier in product(footprints, footprints, ((), (mark,))):
        winner = Commit(2, "W", theirs, 0, SERIALIZABLE)
        attempt = Attempt("T", mine, SERIALIZABLE, table, (*earlier, winner))
        for rule in DEFAULT.rules:
            refuses = rule.check(attempt, winner) is not None
            assert refuses == facts.RULES[rule.name](ConcreteFacts(attempt, winner)), rule.name
            seen[rule.name, refuses] += 1
    others = {"added files", "delete read", "delete delete"}
    for rule in DEFAULT.rules:
        assert rule.name in others or min(seen[rule.name, True], seen[rule.name, False]) > 5


def test_the_formula_of_the_level_is_the_one_that_runs():
    file = object()
    for changed, files, metadata, protocol, domain, application, only in product(
        (False, True), repeat=7
    ):
        footprint = Footprint(
            "WRITE",
            adds=(file,) if files else (),
            data_changed=changed,
            metadata=MetadataChange() if metadata else None,
            protocol=ProtocolChange() if protocol else None,
            domains=frozenset({"d"}) if domain else frozenset(),
            applications_written=(("a", 1),) if application else (),
            next_version_only=only,
        )
        besides = metadata or protocol or domain or application
        said = level_formula(changed, files, besides, only, lambda *p: any(p), lambda *p: all(p))
        assert (level_in_force(SERIALIZABLE, footprint) == SERIALIZABLE) == said


def test_every_commit_is_checked_at_one_of_three_levels():
    known = {SERIALIZABLE, WRITE_SERIALIZABLE, SNAPSHOT_ISOLATION}
    seen = set()
    for scenario in islice(valid(random_scenarios(9, sizes=(2, 3)), DEFAULT), 120):
        run = run_scenario(scenario, DEFAULT)
        for commit in run.final.commits_after(run.workload.base.version):
            seen.add(commit.level)
    assert seen == known


def _violates(history) -> bool:
    return bool(graph.decide(dependencies(history), WRITE_SERIALIZABLE).cycle)


def test_exactly_the_violations_miss_an_append_that_another_built_on():
    """Both directions on every history of three statements; the triple alone is not enough."""
    part = [s for s in statements("partitioned") if s.name in PART]
    judged = []
    search = Search("partitioned", statements=part)
    result = search.run(
        WRITE_SERIALIZABLE, 3, observer=lambda path, history, violated: judged.append(history)
    )
    assert result.complete
    violating = sum(map(_violates, judged))
    assert violating == result.violations[WRITE_SERIALIZABLE] > 20
    for history in judged:
        assert _violates(history) == bool(missed_appends_on_a_cycle(history))
    assert any(missed_appends(h) and not _violates(h) for h in judged)


def test_random_violations_have_the_shape_too():
    found = 0
    for scenario in islice(
        valid(random_scenarios(11, (WRITE_SERIALIZABLE,), (3, 4)), DEFAULT), 500
    ):
        history = run_scenario(scenario, DEFAULT).history
        violated = _violates(history)
        found += violated
        if "(SELECT" not in " ".join(scenario.transactions.values()):
            assert not violated or missed_appends_on_a_cycle(history), scenario
    assert found > 1


@pytest.mark.parametrize("layout", ["partitioned", "unpartitioned"])
def test_the_repaired_profile_keeps_write_serializable(layout):
    part = [s for s in statements(layout) if s.name in PART]
    own = Search(layout, DEFAULT, part).run(WRITE_SERIALIZABLE, 3)
    mended = Search(layout, REPAIRED, part).run(WRITE_SERIALIZABLE, 3)
    assert mended.violations[WRITE_SERIALIZABLE] == 0
    refused = own.histories - mended.histories
    assert own.violations[WRITE_SERIALIZABLE] <= refused < own.histories / 100


def test_the_repair_changes_nothing_on_a_serializable_table():
    for scenario in islice(valid(random_scenarios(3, (SERIALIZABLE,), (3,)), DEFAULT), 60):
        own, mended = (run_scenario(scenario, p) for p in (DEFAULT, REPAIRED))
        assert {n: e.outcome for n, e in own.ended.items()} == {
            n: e.outcome for n, e in mended.ended.items()
        }


def test_prove_prints_one_object_for_each_theorem(capsys):
    assert run(["prove", "--json", "--profile", REPAIRED.name]) == 0
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [each["verdict"] for each in found] == ["proved", "proved"]
    assert {"lemma", "verdict", "seconds"} <= set(found[0]["lemmas"][0])


def test_prove_proves_every_theorem(capsys):
    assert run(["prove", "--json"]) == 0
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [theorem["theorem"] for theorem in found] == [theorem.name for theorem in THEOREMS]
    assert None in {theorem["profile"] for theorem in found}


def test_prove_fails_when_a_rule_says_less(monkeypatch, capsys):
    monkeypatch.setattr(facts, "delete_read", lambda f: f.any_of())
    assert run(["prove", "--json"]) == 1
    theorems = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    (serializable,) = (each for each in theorems if each["theorem"] == log_order.THEOREM.name)
    wrong = {each["lemma"] for each in serializable["lemmas"] if each["verdict"] == "refuted"}
    assert wrong == {"one more winner"}


def test_prove_writes_a_page_with_every_lemma(capsys, tmp_path):
    assert run(["prove", "--profile", REPAIRED.name, "--report", str(tmp_path)]) == 0
    _, theorem = json.loads((tmp_path / "report.json").read_text())["theorems"]
    assert (theorem["verdict"], theorem["about"]) == ("proved", REPAIRED.name)
    assert all(mutant["as_expected"] for each in theorem["lemmas"] for mutant in each["mutants"])
    page = (tmp_path / "index.html").read_text()
    assert "2 of 2 theorems proved." in page
    assert theorem["lemmas"][0]["name"] in page


def test_a_theorem_about_rules_is_never_printed_without_its_scope(capsys, tmp_path):
    """Serializable is proved except for statements that the scenarios have violations of."""
    assert run(["prove", "--profile", REPAIRED.name, "--json", "--report", str(tmp_path)]) == 0
    theorems = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    (printed,) = [t["statement"] for t in theorems if t["profile"] == REPAIRED.name]
    assert run(["prove", "--profile", REPAIRED.name]) == 0
    on_the_terminal = " ".join(capsys.readouterr().out.split())
    in_the_report = json.loads((tmp_path / "report.json").read_text())["theorems"]
    in_the_docs = (Path(__file__).parents[3] / "docs" / "theorems.md").read_text()
    assert printed.endswith(SCOPE)
    assert printed in [theorem["statement"] for theorem in in_the_report]
    assert printed in on_the_terminal
    assert printed in unescape((tmp_path / "index.html").read_text())
    assert SCOPE in " ".join(in_the_docs.replace("\n> ", " ").split())


@pytest.mark.parametrize("theorem", THEOREMS, ids=[theorem.name for theorem in THEOREMS])
def test_the_scope_belongs_to_the_theorems_about_an_engine(theorem):
    of_an_engine = theorem.profile is not None and theorem.of_histories
    assert (SCOPE in theorem.statement) == of_an_engine
    assert theorem.statement.startswith(theorem.words)


def test_prove_says_which_other_profiles_a_theorem_is_about(capsys):
    assert run(["prove", "--json", "--profile", "databricks-2020"]) == 0
    (found,) = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert (found["theorem"], found["profile"]) == ("Serializable", DEFAULT.name)
    assert "databricks-2020" in found["also"]


def test_prove_refuses_what_it_has_no_theorem_about(capsys):
    assert run(["prove", "--profile", "delta-rs-1.6"]) == 2
    assert "delta-rs-1.6" in capsys.readouterr().err
