"""``isodelta prove``: the theorems, each lemma checked by the solver."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import click

from isodelta.exits import FOUND, OK, BadInput
from isodelta.options import Common, common_options

if TYPE_CHECKING:
    from checker.proofs.lemma import TheoremResult


@click.command(short_help="The theorems, each lemma checked.")
@common_options
def command(common: Common) -> int:
    """Prove what holds for any number of transactions, partitions and files.

    Every lemma is checked by z3, its assumptions are checked to leave room for what the lemma
    is about, and every rule that it uses is dropped and weakened in turn: each such mutant has
    to break the lemma, or there is a reason why it need not. Exit code 1 says that some lemma
    is refuted, or not decided within its time.
    """
    from checker.proofs import THEOREMS
    from checker.proofs.lemma import prove
    from isodelta.commands.pipeline import print_json
    from isodelta.commands.prove.results import theorem_result, write_proof_report
    from isodelta.terminal import output, progress
    from model.profiles import DEFAULT

    asked = common.profile
    chosen = [t for t in THEOREMS if asked == DEFAULT or t.about(asked.name)]
    if not chosen:
        raise BadInput(
            f"--profile: there is no theorem about {common.profile.name}; "
            "explore --symbolic looks for what breaks it"
        )
    started = time.monotonic()
    results: list[TheoremResult] = []
    try:
        with progress("proving") as tell:
            for theorem in chosen:
                result = prove(theorem, lambda lemma: tell(f"{theorem.name}: {lemma}"))  # noqa: B023
                results.append(result)
                if common.json:
                    print_json(theorem_result(result))
                else:
                    _print(result, output())
    finally:
        if common.report is not None:
            seconds = time.monotonic() - started
            write_proof_report(common, results, len(results) == len(chosen), seconds)
    return OK if all(result.verdict == "proved" for result in results) else FOUND


def _print(result: TheoremResult, console: Any) -> None:
    from rich.padding import Padding
    from rich.text import Text

    colours = {"proved": "green", "refuted": "red", "unknown": "yellow"}
    title = Text(f"{result.theorem.name}: ", "bold")
    console.print(title + Text(result.verdict, colours[result.verdict]))
    console.print(Padding(Text(result.theorem.statement), (0, 0, 1, 2)))
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
        for mutant in lemma.mutants:
            if mutant.redundant:
                reason = f"redundant, {mutant.name}: {mutant.redundant}"
                console.print(Padding(Text(reason, "dim"), (0, 0, 0, 4)))
        if lemma.because:
            console.print(Padding(Text(lemma.because, "red"), (0, 0, 0, 4)))
    console.print()
