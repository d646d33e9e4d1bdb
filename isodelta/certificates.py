"""The certificates of ``isodelta prove``: written to a folder, and confirmed by a second solver."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from checker.proofs import certificates, second_solver
from checker.proofs.lemma import CannotBeStated, Theorem
from checker.proofs.second_solver import Confirmation, SolverMissing
from isodelta.console import progress
from isodelta.exits import BadInput


def write_certificates(theorems: Sequence[Theorem], folder: Path) -> None:
    """Writes each lemma and its witness as SMT-LIB. Raises ``BadInput``."""
    try:
        certificates.export(theorems, folder)
    except OSError as error:
        raise BadInput(f"--export: {folder}: {error.strerror or error}") from error
    except CannotBeStated as error:
        raise BadInput(f"--export: {error}") from error


def second_opinion(theorems: Sequence[Theorem]) -> list[Confirmation]:
    """What cvc5 answers to every certificate of some theorems. Raises ``BadInput``."""
    try:
        with progress("confirming") as tell:
            return second_solver.confirm(list(certificates.certificates(theorems)), tell)
    except (SolverMissing, CannotBeStated) as error:
        raise BadInput(f"--confirm: {error}") from error


def confirmations(
    confirmed: Sequence[Confirmation] | None, theorem: str, lemma: str
) -> list[Confirmation]:
    """The answers about one lemma and its witness; empty where nobody was asked."""
    return [
        each
        for each in confirmed or ()
        if (each.certificate.theorem, each.certificate.lemma) == (theorem, lemma)
    ]
