"""Theorems with their lemmas checked, and their JSON objects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from checker.proofs.certificates.second_solver import Confirmation
from checker.proofs.lemma import LemmaResult, TheoremResult


@dataclass(frozen=True, slots=True)
class CheckedTheorem:
    """A theorem whose lemmas were checked by z3.

    ``confirmations`` has the second solver's answers; None if it was not asked.
    """

    checked: TheoremResult
    confirmations: tuple[Confirmation, ...] | None = None

    @property
    def proved(self) -> bool:
        """Whether every lemma is proved, and the second solver agrees if it was asked."""
        agrees = all(answer.agrees for answer in self.confirmations or ())
        return agrees and self.checked.verdict == "proved"

    def confirmations_of(self, lemma: str) -> list[Confirmation]:
        """The second solver's answers about one lemma and its witness."""
        return [answer for answer in self.confirmations or () if answer.certificate.lemma == lemma]

    def to_json(self) -> dict[str, object]:
        """The object that ``prove --json`` prints."""
        theorem = self.checked.theorem
        return {
            "theorem": theorem.name,
            "profile": theorem.profile,
            "also": list(theorem.also),
            "statement": theorem.statement,
            "verdict": self.checked.verdict,
            "lemmas": [
                _lemma(lemma) | _answers(self.confirmations_of(lemma.lemma.name))
                for lemma in self.checked.lemmas
            ],
        }


def _answers(confirmations: Sequence[Confirmation]) -> dict[str, object]:
    if not confirmations:
        return {}
    kinds = {"unsat": "lemma", "sat": "witness"}
    return {"cvc5": {kinds[answer.certificate.expected]: answer.answer for answer in confirmations}}


def _lemma(result: LemmaResult) -> dict[str, object]:
    written: dict[str, object] = {
        "lemma": result.lemma.name,
        "statement": result.lemma.words,
        "verdict": result.verdict,
        "seconds": round(result.seconds, 3),
        "assumptions": result.assumptions,
        "premises": [
            {"premise": assumption.name, "statement": assumption.words}
            for assumption in result.claim.assumptions
            if assumption.premise
        ],
        "mutants": [
            {
                "mutant": mutant.name,
                "of": "premise" if mutant.premise else "rule",
                "lemma": mutant.lemma_is,
                **({"redundant": mutant.redundant} if mutant.redundant else {}),
            }
            for mutant in result.mutants
        ],
    }
    if result.because:
        written["because"] = result.because
    return written
