"""Theorems in words for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from checker.proofs.certificates.second_solver import Confirmation
from checker.proofs.lemma import LemmaResult
from isodelta.commands.prove.results import CheckedTheorem

COLOURS = {"proved": "green", "refuted": "red", "unknown": "yellow"}


def print_theorem(theorem: CheckedTheorem, console: Console) -> None:
    """The verdict, the statement, and each lemma with the results of its mutants."""
    checked, stated = theorem.checked, theorem.checked.theorem
    title = Text(f"{stated.name}: ", "bold")
    console.print(title + Text(checked.verdict, COLOURS[checked.verdict]))
    console.print(Padding(Text(stated.statement), (0, 0, 1, 2)))
    if stated.also:
        also = f"Also of {', '.join(stated.also)}, where conflicts are resolved by files."
        console.print(Padding(Text(also), (0, 0, 1, 2)))
    for lemma in checked.lemmas:
        _print_lemma(lemma, theorem.confirmations_of(lemma.lemma.name), console)
    if theorem.confirmations is not None:
        agree = sum(answer.agrees for answer in theorem.confirmations)
        summary = f"cvc5 confirms {agree} of {len(theorem.confirmations)} lemmas and witnesses."
        console.print(Padding(Text(summary), (0, 0, 0, 2)))
    console.print()


def _print_lemma(
    lemma: LemmaResult, confirmations: Sequence[Confirmation], console: Console
) -> None:
    broken = sum(mutant.lemma_is == "refuted" for mutant in lemma.mutants)
    head = Text(f"{lemma.verdict} ", COLOURS[lemma.verdict]) + Text(lemma.lemma.name, "bold")
    console.print(Padding(head, (0, 0, 0, 2)))
    console.print(Padding(Text(lemma.lemma.words), (0, 0, 0, 4)))
    count = f"{broken} of {len(lemma.mutants)} weaker versions break it, {lemma.seconds:.1f} s"
    console.print(Padding(Text(count, "dim"), (0, 0, 0, 4)))
    for answer in confirmations:
        if not answer.agrees:
            what = f"cvc5: {answer.answer}, not {answer.certificate.expected}"
            text = Text(f"{what} ({answer.certificate.path})", "red")
            console.print(Padding(text, (0, 0, 0, 4)))
    for mutant in lemma.mutants:
        if mutant.redundant:
            reason = f"redundant, {mutant.name}: {mutant.redundant}"
            console.print(Padding(Text(reason, "dim"), (0, 0, 0, 4)))
    if lemma.because:
        console.print(Padding(Text(lemma.because, "red"), (0, 0, 0, 4)))
