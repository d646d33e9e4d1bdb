"""The report page of theorems."""

from __future__ import annotations

from collections.abc import Sequence

from checker.proofs.lemma import LemmaResult, TheoremResult
from isodelta.commands.prove.results import CheckedTheorem
from isodelta.options import Common
from isodelta.report import Report
from isodelta.report.start import new_report
from isodelta.report.views.theory import LemmaLine, MutantLine, TheoremLine


def page(common: Common, theorems: Sequence[CheckedTheorem]) -> Report:
    """The theorems, each lemma with its premises and mutants."""
    report = new_report(
        common,
        "What holds for any number of transactions, partitions, files and rows, as far as the "
        "premises go that are listed with each lemma.",
    )
    report.theorems = [_theorem_line(theorem.checked) for theorem in theorems]
    return report


def _theorem_line(result: TheoremResult) -> TheoremLine:
    return TheoremLine(
        name=result.theorem.name,
        about=result.theorem.profile or "",
        statement=result.theorem.statement,
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
