"""Theorems with their lemmas checked, and their JSON objects."""

from __future__ import annotations

from dataclasses import dataclass

from checker.proofs.lemma import LemmaResult, TheoremResult


@dataclass(frozen=True, slots=True)
class CheckedTheorem:
    """A theorem, each lemma of which was handed to the solver."""

    checked: TheoremResult

    @property
    def proved(self) -> bool:
        """Whether every lemma is proved."""
        return self.checked.verdict == "proved"

    def to_json(self) -> dict[str, object]:
        """The object that ``prove --json`` prints."""
        theorem = self.checked.theorem
        return {
            "theorem": theorem.name,
            "profile": theorem.profile,
            "also": list(theorem.also),
            "statement": theorem.statement,
            "verdict": self.checked.verdict,
            "lemmas": [_lemma(lemma) for lemma in self.checked.lemmas],
        }


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
