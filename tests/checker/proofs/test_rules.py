"""The rules in the proofs are the rules that run, and no part of any of them is left untried."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
import z3

from checker.proofs.lemma import check
from checker.proofs.rule_formulas import facts as rules_of_proofs
from checker.proofs.rule_formulas.concrete import ConcreteFacts
from checker.proofs.rule_formulas.facts import RULES, added_files_but_appends
from checker.proofs.rule_formulas.symbols import SymbolicFacts
from checker.proofs.theorems import log_order, unseen_append
from checker.synthesis.search import PROFILES, Bounds, exists
from model.levels import SERIALIZABLE, SNAPSHOT_ISOLATION, WRITE_SERIALIZABLE
from model.physical.footprint import Footprint
from model.physical.log import Commit
from model.profiles import DEFAULT, profile
from model.rules.base import Attempt
from tests.model.rules.footprints import random_attempts

PYTHON = {rule.name: rule.check for rule in DEFAULT.rules}


def formula(rule: str, level: str) -> Callable[[Any], Any]:
    """A rule at a level: at SnapshotIsolation the one about added files refuses nothing."""
    if rule == "added files" and level == WRITE_SERIALIZABLE:
        return added_files_but_appends
    if rule == "added files" and level == SNAPSHOT_ISOLATION:
        return lambda facts: facts.any_of()
    return RULES[rule]


def test_formulas_and_rules_agree_on_random_footprints():
    seen: Counter = Counter()
    for attempt, winner in random_attempts(1, 7_000):
        facts = ConcreteFacts(attempt, winner)
        for rule, refuses in PYTHON.items():
            because = refuses(attempt, winner)
            said = formula(rule, attempt.level)(facts)
            assert bool(said) == (because is not None), (rule, attempt, winner)
            seen[rule, said] += 1
        enabled = facts.w_enables_dropped and not facts.t_drops_constraints
        seen["a feature enabled and dropped"] += enabled
    for rule in PYTHON:
        assert min(seen[rule, True], seen[rule, False]) > 8, seen
    assert seen["a feature enabled and dropped"] > 8


def _as_symbols(attempt: Attempt, winner: Commit) -> tuple[SymbolicFacts, list[Any]]:
    """The terms of the proofs, with formulas that give them the values that they have here."""
    facts, symbols = ConcreteFacts(attempt, winner), SymbolicFacts()
    known = {**facts.files, **{file.key: file for file in winner.footprint.adds}}
    terms = {key: z3.Const(f"file{n}", symbols.File) for n, key in enumerate(known)}
    given = [z3.Distinct(*terms.values())] if len(terms) > 1 else []
    any_file = z3.Const("any", symbols.File)
    if terms:
        given.append(z3.ForAll([any_file], z3.Or(*(any_file == t for t in terms.values()))))
    for name in ("t_reads", "t_removes", "w_adds", "w_removes"):
        of = getattr(symbols, name)
        if not terms:
            given.append(z3.ForAll([any_file], z3.Not(of(any_file))))
        for key, term in terms.items():
            file = known[key]
            truth = getattr(facts, name)(file)
            if name == "w_adds":
                truth = any(key == added.key for added in winner.footprint.adds)
            given.append(of(term) == truth)
    for key, term in terms.items():
        file = known[key]
        place = z3.Const(f"partition{file.partition}", symbols.Partition)
        given.append(symbols.partition(term) == place)
        given.append(symbols.covered(place) == facts.t_covers(file))
    for name in SymbolicFacts.__annotations__:
        given.append(getattr(symbols, name) == bool(getattr(facts, name)))
    return symbols, given


@pytest.mark.slow
def test_the_terms_of_the_proofs_mean_the_same_as_the_code():
    """Here z3 itself decides the formula that the proofs use, for the files that there are."""
    seen: Counter = Counter()
    for attempt, winner in random_attempts(2, 110):
        symbols, given = _as_symbols(attempt, winner)
        solver = z3.Solver()
        solver.add(*given)
        assert solver.check() == z3.sat
        for rule, refuses in PYTHON.items():
            because = refuses(attempt, winner)
            solver.push()
            solver.add(z3.Not(formula(rule, attempt.level)(symbols)))
            said = solver.check() == z3.unsat
            solver.pop()
            assert said == (because is not None), rule
            seen[rule, said] += 1
    for rule in PYTHON:
        assert min(seen[rule, True], seen[rule, False]) > 0, seen


class Weaker:
    """Facts with which a rule is read as if one part of one of its alternatives were not there."""

    def __init__(self, facts: Any, place: tuple[int, int] | None) -> None:
        self.facts, self.place = facts, place
        self.seen: list[int] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self.facts, name)

    def any_of(self, *parts: Any) -> Any:
        number = len(self.seen)
        self.seen.append(len(parts))
        if self.place is not None and self.place[0] == number:
            parts = tuple(part for n, part in enumerate(parts) if n != self.place[1])
        return self.facts.any_of(*parts)


def weaker_rules() -> Iterator[tuple[str, tuple[int, int] | None]]:
    """Every rule as if it were not there, and without each part of each of its alternatives."""
    for name, rule in {**RULES, "added files but appends": added_files_but_appends}.items():
        yield name, None
        reading = Weaker(SymbolicFacts(), None)
        rule(reading)
        for alternative, parts in enumerate(reading.seen):
            for part in range(parts):
                yield name, (alternative, part)


REDUNDANT = {
    ("feature in use", (0, 0)): "a constraint: metadata changed refuses the same attempts",
    ("metadata changed", (0, 3)): "a mark that moved: stricter than the level needs",
    ("added files", (0, 1)): "where there are no partitions every predicate covers every file",
    ("added files but appends", (1, 1)): "the same",
    ("added files but appends", (0, 0)): "an attempt with metadata: stricter than the level needs",
}
"""What the theorems hold without; `isodelta prove` gives the reasons."""


@pytest.mark.parametrize(
    ("rule", "place"), list(weaker_rules()), ids=lambda value: str(value or "dropped")
)
@pytest.mark.slow
def test_every_part_of_every_rule_is_needed_or_known_to_be_redundant(rule, place, monkeypatch):
    own = {**RULES, "added files but appends": added_files_but_appends}[rule]

    def weakened(facts: Any) -> Any:
        return facts.any_of() if place is None else own(Weaker(facts, place))

    monkeypatch.setattr(rules_of_proofs, rule.replace(" ", "_"), weakened)
    lemmas = (*log_order.LEMMAS, *unseen_append.LEMMAS)
    broken = [each.name for each in lemmas if check(each, mutants=False).valid == "refuted"]
    assert bool(broken) != ((rule, place) in REDUNDANT), broken


OF_ROWS = {"metadata changed", "added files", "delete read", "delete delete"}


@pytest.mark.parametrize(
    "theorem", [log_order.THEOREM, unseen_append.THEOREM], ids=lambda t: t.name
)
def test_a_theorem_is_also_about_profiles_that_refuse_no_less(theorem):
    """Where conflicts are resolved by files; other rules are about the definition alone."""
    level = SERIALIZABLE if theorem is log_order.THEOREM else WRITE_SERIALIZABLE
    seen = 0
    for attempt, winner in random_attempts(3, 4_000):
        if attempt.level != level:
            continue
        own = DEFAULT.conflict(attempt, [winner])
        if own is None or own.rule not in OF_ROWS:
            continue
        seen += 1
        for name in theorem.also:
            assert profile(name).conflict(attempt, [winner]) is not None, (name, own)
    assert seen > 300


def _without_definition(footprint: Footprint) -> Footprint:
    return replace(
        footprint,
        metadata=None,
        protocol=None,
        domains=frozenset(),
        applications_read=frozenset(),
        applications_written=(),
    )


def test_what_a_footprint_says_of_the_definition_only_adds_refusals():
    """So a smallest violation has nothing of it, and the solver's histories do without."""
    fewer = 0
    for attempt, winner in random_attempts(4, 5_000):
        plain = replace(attempt, footprint=_without_definition(attempt.footprint))
        other = replace(winner, footprint=_without_definition(winner.footprint))
        refused = DEFAULT.conflict(attempt, [winner]) is not None
        if DEFAULT.conflict(plain, [other]) is not None:
            assert refused, (attempt, winner)
        else:
            fewer += refused
    assert fewer > 100


@pytest.mark.slow
def test_no_theorem_is_about_a_profile_with_a_counterexample():
    """What the solver finds a smallest violation of has no theorem, all else has one."""
    bounds = Bounds(2)
    for name in PROFILES:
        strongest = name.startswith("databricks") and ":" not in name
        if not strongest and name != "delta-rs-1.6":
            continue
        serial = exists(2, SERIALIZABLE, profile(name), bounds).answer
        assert (serial == "none") == log_order.THEOREM.about(name)
        two = exists(2, WRITE_SERIALIZABLE, profile(name), bounds).answer
        assert (two == "none") == unseen_append.THEOREM.about(name)
