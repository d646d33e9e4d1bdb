"""cvc5, asked the same questions as z3. It reads the certificates, nothing else of the project."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from checker.proofs.certificates.smt_lib import Answer, Certificate

TIMEOUT_MS = 120_000

OPTIONS = {"finite-model-find": "true"}
"""It looks for finite models, which refuted lemmas and witnesses have, and gives proofs as well."""


class SolverMissing(Exception):
    """cvc5 is not installed."""


@dataclass(frozen=True, slots=True)
class Confirmation:
    """cvc5's answer to one certificate."""

    certificate: Certificate
    answer: Answer

    @property
    def agrees(self) -> bool:
        """True if it is the answer that the certificate expects; ``unknown`` never is."""
        return self.answer == self.certificate.expected


def answer(text: str, timeout_ms: int = TIMEOUT_MS) -> Answer:
    """cvc5's answer to an SMT-LIB text. Raises ``SolverMissing``."""
    try:
        import cvc5
    except ImportError as error:
        raise SolverMissing("cvc5 is not installed (pip install cvc5)") from error
    solver = cvc5.Solver(cvc5.TermManager())
    for option, value in OPTIONS.items():
        solver.setOption(option, value)
    solver.setOption("tlimit-per", str(timeout_ms))
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "certificate")
    symbols = parser.getSymbolManager()
    said = ""
    while not (command := parser.nextCommand()).isNull():
        said = command.invoke(solver, symbols).strip() or said
    return "unsat" if said == "unsat" else "sat" if said == "sat" else "unknown"


def confirm(
    certificates: Sequence[Certificate], progress: Callable[[str], None] | None = None
) -> list[Confirmation]:
    """cvc5's answer to each certificate. Raises ``SolverMissing``."""
    confirmations = []
    for certificate in certificates:
        if progress is not None:
            progress(f"cvc5: {certificate.lemma}")
        confirmations.append(Confirmation(certificate, answer(certificate.text)))
    return confirmations
