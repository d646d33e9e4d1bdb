"""The certificates of ``isodelta prove``: written to a folder, and confirmed by a second solver."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from checker.proofs.certificates import second_solver, smt_lib
from checker.proofs.certificates.second_solver import Confirmation, SolverMissing
from checker.proofs.lemma import CannotBeStated, Theorem
from isodelta.exits import BadInput


def write_certificates(theorems: Sequence[Theorem], folder: Path) -> None:
    """Writes each lemma and its witness as SMT-LIB. Raises ``BadInput``."""
    try:
        smt_lib.export(theorems, folder)
    except OSError as error:
        raise BadInput(f"--export: {folder}: {error.strerror or error}") from error
    except CannotBeStated as error:
        raise BadInput(f"--export: {error}") from error


def second_opinion(theorem: Theorem, progress: Callable[[str], None]) -> tuple[Confirmation, ...]:
    """The answers of cvc5 to every certificate of a theorem. Raises ``BadInput``."""
    try:
        return tuple(second_solver.confirm(list(smt_lib.certificates([theorem])), progress))
    except (SolverMissing, CannotBeStated) as error:
        raise BadInput(f"--confirm: {error}") from error
