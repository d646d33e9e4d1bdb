"""``isodelta prove``: the theorems, each lemma checked by the solver."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from isodelta.exits import FOUND, OK, BadInput
from isodelta.options import Common, common_options

if TYPE_CHECKING:
    from checker.proofs.lemma import TheoremResult
    from checker.proofs.second_solver import Confirmation


@click.command(short_help="The theorems, each lemma checked.")
@common_options
@click.option(
    "--export",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Write each lemma and its witness as SMT-LIB.",
)
@click.option("--confirm", is_flag=True, help="Ask cvc5 as well; it has to agree on every lemma.")
def command(common: Common, folder: Path | None, confirm: bool) -> int:
    """Prove what holds for any number of transactions, partitions and files.

    Every lemma is checked by z3, its assumptions are checked to leave room for what the lemma
    is about, and every rule that it uses is dropped and weakened in turn: each such mutant has
    to break the lemma, or there is a reason why it need not. Exit code 1 says that some lemma
    is refuted, or not decided within its time, by z3 or by the second solver.
    """
    from checker.proofs import THEOREMS
    from checker.proofs.lemma import prove
    from isodelta.certificates import second_opinion, write_certificates
    from isodelta.console import output, progress
    from isodelta.proof_results import theorem_result, write_proof_report
    from isodelta.results import print_json
    from model.profiles import DEFAULT

    asked = common.profile
    chosen = [t for t in THEOREMS if asked == DEFAULT or t.about(asked.name)]
    if not chosen:
        raise BadInput(
            f"--profile: there is no theorem about {common.profile.name}; "
            "explore --symbolic looks for what breaks it"
        )
    if folder is not None:
        write_certificates(chosen, folder)
    confirmed = second_opinion(chosen) if confirm else None
    started = time.monotonic()
    results: list[TheoremResult] = []
    try:
        with progress("proving") as tell:
            for theorem in chosen:
                result = prove(theorem, lambda lemma: tell(f"{theorem.name}: {lemma}"))  # noqa: B023
                results.append(result)
                if common.json:
                    print_json(theorem_result(result, confirmed))
                else:
                    _print(result, confirmed, output())
    finally:
        if common.report is not None:
            seconds = time.monotonic() - started
            write_proof_report(common, results, len(results) == len(chosen), seconds)
    agreed = confirmed is None or all(each.agrees for each in confirmed)
    return OK if agreed and all(result.verdict == "proved" for result in results) else FOUND


def _print(result: TheoremResult, confirmed: Sequence[Confirmation] | None, console: Any) -> None:
    from rich.padding import Padding
    from rich.text import Text

    from isodelta.certificates import confirmations

    colours = {"proved": "green", "refuted": "red", "unknown": "yellow"}
    title = Text(f"{result.theorem.name}: ", "bold")
    console.print(title + Text(result.verdict, colours[result.verdict]))
    console.print(Padding(Text(result.theorem.words), (0, 0, 1, 2)))
    if result.theorem.also:
        also = f"Also of {', '.join(result.theorem.also)}, where conflicts are resolved by files."
        console.print(Padding(Text(also), (0, 0, 1, 2)))
    for lemma in result.lemmas:
        broken = sum(mutant.lemma_is == "refuted" for mutant in lemma.mutants)
        head = Text(f"{lemma.verdict} ", colours[lemma.verdict]) + Text(lemma.lemma.name, "bold")
        console.print(Padding(head, (0, 0, 0, 2)))
        console.print(Padding(Text(lemma.lemma.words), (0, 0, 0, 4)))
        count = f"{broken} of {len(lemma.mutants)} weaker versions break it, {lemma.seconds:.1f} s"
        console.print(Padding(Text(count, "dim"), (0, 0, 0, 4)))
        for each in confirmations(confirmed, result.theorem.name, lemma.lemma.name):
            if not each.agrees:
                what = f"cvc5: {each.answer}, not {each.certificate.expected}"
                text = Text(f"{what} ({each.certificate.path})", "red")
                console.print(Padding(text, (0, 0, 0, 4)))
        for mutant in lemma.mutants:
            if mutant.redundant:
                reason = f"redundant, {mutant.name}: {mutant.redundant}"
                console.print(Padding(Text(reason, "dim"), (0, 0, 0, 4)))
        if lemma.because:
            console.print(Padding(Text(lemma.because, "red"), (0, 0, 0, 4)))
    if confirmed is not None:
        of_theorem = [e for e in confirmed if e.certificate.theorem == result.theorem.name]
        agree = sum(each.agrees for each in of_theorem)
        summary = f"cvc5 confirms {agree} of {len(of_theorem)} lemmas and witnesses."
        console.print(Padding(Text(summary), (0, 0, 0, 2)))
    console.print()
