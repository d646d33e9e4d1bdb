"""The parts of a proof: premises, lemmas, mutants of rules, and the check of each by z3.

A lemma says that its goal follows from its assumptions. It is *valid* when the assumptions
and the goal's negation contradict each other. It is *vacuous* when the assumptions contradict
each other alone, so they are checked on their own, together with a ``witness``: the interesting
situation that they have to leave room for.

Formulas are of the Bernays-Schoenfinkel-Ramsey kind with stratified functions (from rows to
files to partitions, from transactions to times, never back), which z3 decides: a refuted lemma
comes with a finite model, and ``unknown`` means that z3 reached its limit of work
(``checker.solving``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import monotonic
from typing import Any, Literal

from checker.solving import Answer, Limits, ask_alone

VerdictName = Literal["proved", "refuted", "unknown"]

SEED = 0
LIMITS = Limits(resources=100_000_000, wall_ms=600_000)
"""The budget of z3 for one question: some 15 times the steps that the costliest lemma has taken."""

Formula = Any
"""A z3 formula."""

SCOPE = (
    "This is said of histories of one table (the other tables that its statements read are never "
    "written) in which every statement notes all that it reads. On Delta on Spark an UPDATE with a "
    "scalar subquery in SET does not note what the subquery reads, and with such statements both "
    "levels can be violated (scenarios/subquery_in_set.yaml). Scalar subqueries in VALUES and in "
    "MERGE's SET, and time travel, are not modelled, so nothing is said of them."
)
"""The histories that a theorem about an engine's rules speaks of, with the exceptions known."""


IN_EVERY_READING = (
    "The graph then has no cycle, so this holds in all three readings: conflict, view and final "
    "state (the theorem from the conflict reading to the others)."
)
"""The sentence on readings in a theorem that rules out every cycle."""

OF_VIOLATIONS = (
    "A violation is a cycle here, which is the conflict reading. What breaks the view or the final "
    "state has a cycle as well, so it contains the same. The converse fails: some histories have a "
    "serial order in spite of their cycle."
)
"""The sentences on readings in a theorem about the shape of violations."""


class CannotBeStated(Exception):
    """A lemma that has no formulas, and why; its verdict is ``unknown``."""


@dataclass(frozen=True, slots=True)
class Assumption:
    """One thing that a lemma takes for granted.

    ``rule`` names the conflict rule (or the rule about levels) that it states, None for a
    premise about the engine, a definition, or the result of another lemma. ``weakened`` has
    what is left of the rule in each of its mutants besides the one that drops it.
    """

    name: str
    words: str
    formula: Formula
    rule: str | None = None
    weakened: Mapping[str, Formula] | None = None
    premise: bool = False


@dataclass(frozen=True, slots=True)
class Claim:
    """The formulas of a lemma. ``background`` are axioms of orders, in no need of a mention."""

    assumptions: tuple[Assumption, ...]
    goal: Formula
    witness: Formula
    background: tuple[Formula, ...] = ()

    @property
    def facts(self) -> list[Formula]:
        """All that is taken for granted."""
        return [*self.background, *(assumption.formula for assumption in self.assumptions)]


@dataclass(frozen=True, slots=True)
class Lemma:
    """A step of a proof: its name, what it says in words, and its formulas.

    ``redundant`` gives the reason for each mutant (as ``rule: how``) that leaves the lemma
    valid; any other mutant has to break it.
    """

    name: str
    words: str
    build: Callable[[], Claim]
    redundant: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Theorem:
    """A theorem: its name, what it says in words, and its lemmas in the order of the proof.

    ``profile`` names the profile whose rules it is about, None where it is about none. ``also``
    names those that refuse whatever these rules refuse where it matters for rows, so that they
    have no more histories; of them it holds for tables whose conflicts are resolved by files.
    ``of_histories`` is False for a theorem about the rules' code alone, which needs no scope.
    ``readings`` says in which readings of a level it holds, if it speaks of violations.
    """

    name: str
    words: str
    lemmas: tuple[Lemma, ...]
    profile: str | None = "delta-spark-4.4"
    also: tuple[str, ...] = ()
    of_histories: bool = True
    readings: str = ""

    @property
    def statement(self) -> str:
        """The statement of the theorem, with its readings and its scope: never print less."""
        scope = SCOPE if self.profile is not None and self.of_histories else ""
        return " ".join(part for part in (self.words, self.readings, scope) if part)

    def about(self, profile: str) -> bool:
        """True if it says something of a profile's rules."""
        return profile == self.profile or profile in self.also


@dataclass(frozen=True, slots=True)
class MutantResult:
    """The effect of a dropped or weakened assumption on a lemma.

    ``redundant`` is the reason why the lemma may hold all the same; None where it must not.
    ``why`` gives the reason for ``unknown``.
    """

    name: str
    premise: bool
    lemma_is: VerdictName
    redundant: str | None
    why: str = ""

    @property
    def as_expected(self) -> bool:
        """True if the mutant breaks the lemma, or is redundant for a reason that is written."""
        return self.lemma_is == ("refuted" if self.redundant is None else "proved")


@dataclass(frozen=True, slots=True)
class LemmaResult:
    """One lemma, checked.

    ``assumptions`` tells whether they leave room for the witness (``satisfiable``), are vacuous
    or could not be decided. ``failure`` says why a lemma has no formulas, or which question z3
    left open and why.
    """

    lemma: Lemma
    claim: Claim
    valid: VerdictName
    assumptions: Literal["satisfiable", "vacuous", "unknown"]
    mutants: tuple[MutantResult, ...]
    seconds: float
    failure: str = ""

    @property
    def verdict(self) -> VerdictName:
        """Proved: valid, not vacuous, and every mutant does what it is said to do."""
        if self.valid != "proved":
            return self.valid
        if self.assumptions == "vacuous":
            return "refuted"
        if self.assumptions == "unknown" or any(m.lemma_is == "unknown" for m in self.mutants):
            return "unknown"
        return "proved" if all(m.as_expected for m in self.mutants) else "refuted"

    @property
    def because(self) -> str:
        """The problem in a few words; empty if the lemma is proved."""
        if self.valid == "refuted":
            return "the goal does not follow from the assumptions"
        if self.assumptions == "vacuous":
            return "the assumptions are vacuous"
        if self.failure:
            return self.failure
        wrong = [mutant for mutant in self.mutants if not mutant.as_expected]
        return "; ".join(f"with {m.name} the lemma is {m.lemma_is}" for m in wrong)


def check(lemma: Lemma, *, mutants: bool = True, limits: Limits = LIMITS) -> LemmaResult:
    """Checks a lemma, its assumptions and (unless told not to) every mutant of them."""
    started = monotonic()
    try:
        claim = lemma.build()
    except CannotBeStated as error:
        nothing = Claim((), None, None)
        seconds = monotonic() - started
        return LemmaResult(lemma, nothing, "unknown", "unknown", (), seconds, str(error))
    valid = follows(claim.facts, claim.goal, limits)
    alone = _ask([*claim.facts, claim.witness], limits)
    changed = _mutants(lemma, claim, limits) if mutants else ()
    left_open = [("the lemma", valid.why), ("its witness", alone.why)]
    left_open += [(mutant.name, mutant.why) for mutant in changed]
    return LemmaResult(
        lemma,
        claim,
        valid.verdict,
        {"sat": "satisfiable", "unsat": "vacuous", "unknown": "unknown"}[alone.answer],  # type: ignore[arg-type]
        changed,
        monotonic() - started,
        "; ".join(f"{question}: {why}" for question, why in left_open if why),
    )


@dataclass(frozen=True, slots=True)
class TheoremResult:
    """One theorem, checked lemma by lemma."""

    theorem: Theorem
    lemmas: tuple[LemmaResult, ...]

    def __repr__(self) -> str:
        count = len(self.lemmas)
        return f"<TheoremResult {self.theorem.name}: {self.verdict}, {count} lemmas>"

    @property
    def verdict(self) -> VerdictName:
        """The worst of the lemmas' verdicts."""
        verdicts = {result.verdict for result in self.lemmas}
        return next((v for v in ("refuted", "unknown") if v in verdicts), "proved")


def prove(theorem: Theorem, progress: Callable[[str], None] | None = None) -> TheoremResult:
    """Checks every lemma of a theorem, with mutants. ``progress`` gets the name of each before."""
    results = []
    for lemma in theorem.lemmas:
        if progress is not None:
            progress(lemma.name)
        results.append(check(lemma))
    return TheoremResult(theorem, tuple(results))


@dataclass(frozen=True, slots=True)
class Entailment:
    """The answer whether a goal follows from facts. ``why`` gives the reason for ``unknown``."""

    verdict: VerdictName
    why: str = ""


def follows(facts: list[Formula], goal: Formula, limits: Limits = LIMITS) -> Entailment:
    """Asks z3 whether the goal follows from the facts."""
    import z3

    asked = _ask([*facts, z3.Not(goal)], limits)
    verdicts: dict[str, VerdictName] = {"unsat": "proved", "sat": "refuted"}
    return Entailment(verdicts.get(asked.answer, "unknown"), asked.why)


def _mutants(lemma: Lemma, claim: Claim, limits: Limits) -> tuple[MutantResult, ...]:
    results = []
    for place, assumption in enumerate(claim.assumptions):
        if assumption.rule is None and not assumption.premise:
            continue
        others = [*claim.assumptions[:place], *claim.assumptions[place + 1 :]]
        rest = [*claim.background, *(other.formula for other in others)]
        changed: dict[str, list[Formula]] = {"dropped": []}
        for how, formula in (assumption.weakened or {}).items():
            changed[how] = [formula]
        for how, left in changed.items():
            name = f"{assumption.rule or assumption.name}: {how}"
            lemma_is = follows([*rest, *left], claim.goal, limits)
            results.append(
                MutantResult(
                    name,
                    assumption.rule is None,
                    lemma_is.verdict,
                    lemma.redundant.get(name),
                    lemma_is.why,
                )
            )
    return tuple(results)


def _ask(formulas: list[Formula], limits: Limits) -> Answer:
    return ask_alone(formulas, limits, SEED)
