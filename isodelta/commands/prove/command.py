"""``isodelta prove``: the theorems, each lemma checked by the solver."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from isodelta.commands.pipeline import Course, Progress, run
from isodelta.exits import BadInput
from isodelta.options import Common, common_options

if TYPE_CHECKING:
    from rich.console import Console

    from isodelta.commands.prove.results import CheckedTheorem
    from isodelta.report import Report


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
    """Prove theorems about any number of transactions, partitions and files.

    z3 checks every lemma, and that its assumptions do not make it vacuous. Every rule that a
    lemma uses is dropped and weakened in turn: each such mutant has to break the lemma, or there
    is a reason why it need not. Exit code 1 means that some lemma is refuted, or not decided in
    time, by z3 or by the second solver.
    """
    return run(Proving(common, folder, confirm), common)


@dataclass
class Proving(Course["CheckedTheorem"]):
    """Every theorem; with a profile other than the default, only those about it."""

    common: Common
    folder: Path | None = None
    confirm: bool = False
    doing = "proving"

    def results(self, progress: Progress) -> Iterator[CheckedTheorem]:
        from checker.proofs import THEOREMS
        from checker.proofs.lemma import prove
        from isodelta.commands.prove.certificates import second_opinion, write_certificates
        from isodelta.commands.prove.results import CheckedTheorem
        from model.profiles import DEFAULT

        rules = self.common.profile
        chosen = [t for t in THEOREMS if rules == DEFAULT or t.about(rules.name)]
        if not chosen:
            raise BadInput(
                f"--profile: there is no theorem about {rules.name}; "
                "explore --symbolic searches for violations under it"
            )
        if self.folder is not None:
            write_certificates(chosen, self.folder)
        for theorem in chosen:
            confirmations = second_opinion(theorem, progress) if self.confirm else None
            result = prove(theorem, lambda lemma: progress(f"{theorem.name}: {lemma}"))  # noqa: B023
            yield CheckedTheorem(result, confirmations)

    def good(self, results: Sequence[CheckedTheorem]) -> bool:
        return all(theorem.proved for theorem in results)

    def words(self, result: CheckedTheorem, console: Console) -> None:
        from isodelta.commands.prove.words import print_theorem

        print_theorem(result, console)

    def page(self, results: Sequence[CheckedTheorem]) -> Report:
        from isodelta.commands.prove.page import page

        return page(self.common, results)
