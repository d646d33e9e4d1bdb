"""``isodelta prove``: the theorems, each lemma checked by the solver."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from isodelta.commands.pipeline import Course, Tell, run
from isodelta.exits import BadInput
from isodelta.options import Common, common_options

if TYPE_CHECKING:
    from rich.console import Console

    from isodelta.commands.prove.results import CheckedTheorem
    from isodelta.report import Report


@click.command(short_help="The theorems, each lemma checked.")
@common_options
def command(common: Common) -> int:
    """Prove what holds for any number of transactions, partitions and files.

    Every lemma is checked by z3, its assumptions are checked to leave room for what the lemma
    is about, and every rule that it uses is dropped and weakened in turn: each such mutant has
    to break the lemma, or there is a reason why it need not. Exit code 1 says that some lemma
    is refuted, or not decided within its time.
    """
    return run(Proving(common), common)


@dataclass
class Proving(Course["CheckedTheorem"]):
    """Every theorem, or with another profile than the default those about it."""

    common: Common
    doing = "proving"

    def results(self, tell: Tell) -> Iterator[CheckedTheorem]:
        from checker.proofs import THEOREMS
        from checker.proofs.lemma import prove
        from isodelta.commands.prove.results import CheckedTheorem
        from model.profiles import DEFAULT

        rules = self.common.profile
        chosen = [t for t in THEOREMS if rules == DEFAULT or t.about(rules.name)]
        if not chosen:
            raise BadInput(
                f"--profile: there is no theorem about {rules.name}; "
                "explore --symbolic looks for what breaks it"
            )
        for theorem in chosen:
            result = prove(theorem, lambda lemma: tell(f"{theorem.name}: {lemma}"))  # noqa: B023
            yield CheckedTheorem(result)

    def good(self, results: Sequence[CheckedTheorem]) -> bool:
        return all(theorem.proved for theorem in results)

    def words(self, result: CheckedTheorem, console: Console) -> None:
        from isodelta.commands.prove.words import print_theorem

        print_theorem(result, console)

    def page(self, results: Sequence[CheckedTheorem]) -> Report:
        from isodelta.commands.prove.page import page

        return page(self.common, results)
