"""Theorems that were checked: their JSON objects, and their report folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from checker.proofs.lemma import LemmaResult, TheoremResult
from checker.proofs.second_solver import Confirmation
from isodelta.certificates import confirmations
from isodelta.model_report import finish, new_report
from isodelta.options import Common
from isodelta.report.theory import LemmaLine, MutantLine, TheoremLine


def theorem_result(
    result: TheoremResult, confirmed: Sequence[Confirmation] | None = None
) -> dict[str, Any]:
    """The JSON object of one theorem, with the second solver's answers where it was asked."""
    name = result.theorem.name
    return {
        "theorem": result.theorem.name,
        "profile": result.theorem.profile,
        "also": list(result.theorem.also),
        "statement": result.theorem.words,
        "verdict": result.verdict,
        "lemmas": [
            _lemma_result(lemma) | _answers(confirmed, name, lemma.lemma.name)
            for lemma in result.lemmas
        ],
    }


def _answers(confirmed: Sequence[Confirmation] | None, theorem: str, lemma: str) -> dict[str, Any]:
    found = confirmations(confirmed, theorem, lemma)
    if not found:
        return {}
    kinds = {"unsat": "lemma", "sat": "witness"}
    return {"cvc5": {kinds[each.certificate.expected]: each.answer for each in found}}


def _lemma_result(result: LemmaResult) -> dict[str, Any]:
    found: dict[str, Any] = {
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
        found["because"] = result.because
    return found


def theorem_line(result: TheoremResult) -> TheoremLine:
    """One theorem as a report shows it."""
    return TheoremLine(
        name=result.theorem.name,
        about=result.theorem.profile or "",
        statement=result.theorem.words,
        verdict=result.verdict,
        lemmas=tuple(map(_lemma_line, result.lemmas)),
    )


def _lemma_line(result: LemmaResult) -> LemmaLine:
    return LemmaLine(
        name=result.lemma.name,
        statement=result.lemma.words,
        verdict=result.verdict,
        seconds=round(result.seconds, 3),
        assumptions=result.assumptions,
        premises=tuple((a.name, a.words) for a in result.claim.assumptions if a.premise),
        mutants=tuple(
            MutantLine(
                name=mutant.name,
                kind="premise" if mutant.premise else "rule",
                lemma=mutant.lemma_is,
                redundant=mutant.redundant or "",
                as_expected=mutant.as_expected,
            )
            for mutant in result.mutants
        ),
        because=result.because,
    )


def write_proof_report(
    common: Common, theorems: Sequence[TheoremResult], finished: bool, seconds: float
) -> Path:
    """Writes the report of theorems; returns the path of its page. Raises BadInput.

    ``finished`` is False where some of those asked for were not checked.
    """
    assert common.report is not None
    report = new_report(
        common,
        "What holds for any number of transactions, partitions, files and rows, as far as the "
        "premises go that are listed with each lemma.",
    )
    report.theorems = [theorem_line(each) for each in theorems]
    if not finished:
        report.incomplete_because = "not every theorem was checked"
    return finish(report, common.report, seconds, complete=finished)
