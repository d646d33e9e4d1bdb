"""Lemmas as SMT-LIB, to be checked without this project, and by a second solver.

Each lemma becomes two files. The one with the lemma asserts what is taken for granted and the
negation of the goal, and is unsatisfiable; the one with its witness asserts the situation that
the lemma is about in place of the goal, and is satisfiable. Every assertion stands below its
statement in words.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from checker.proofs.lemma import LIMITS, Assumption, Claim, Formula, Lemma, Theorem
from checker.proofs.premises.grounds import GROUNDS, in_words
from checker.solving import ask

Answer = Literal["unsat", "sat", "unknown"]


@dataclass(frozen=True, slots=True)
class Certificate:
    """One file: its path within the folder, what solvers have to answer, and its text."""

    path: str
    theorem: str
    lemma: str
    expected: Answer
    text: str


def certificates(theorems: Sequence[Theorem]) -> Iterator[Certificate]:
    """The files of every lemma of some theorems. Raises ``CannotBeStated``."""
    for number, theorem in enumerate(theorems, 1):
        folder = f"{number:02}-{_slug(theorem.name)}"
        for place, lemma in enumerate(theorem.lemmas, 1):
            claim = lemma.build()
            name = f"{folder}/{place:02}-{_slug(lemma.name)}"
            yield Certificate(
                f"{name}.smt2", theorem.name, lemma.name, "unsat", _lemma_text(lemma, claim)
            )
            yield Certificate(
                f"{name}-witness.smt2", theorem.name, lemma.name, "sat", _witness_text(lemma, claim)
            )


def export(theorems: Sequence[Theorem], folder: Path) -> list[Certificate]:
    """Writes the files and a README that lists them. Raises ``OSError``, ``CannotBeStated``."""
    written = list(certificates(theorems))
    for certificate in written:
        path = folder / certificate.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(certificate.text, encoding="utf-8")
    (folder / "README.md").write_text(_readme(theorems, written), encoding="utf-8")
    return written


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def _comment(text: str) -> str:
    return textwrap.fill(text, 96, initial_indent="; ", subsequent_indent="; ")


def _declarations(formulas: Sequence[Formula]) -> str:
    import z3

    solver = z3.Solver()
    solver.add(*formulas)
    lines = solver.sexpr().splitlines()
    first = next((n for n, line in enumerate(lines) if line.startswith("(assert")), len(lines))
    return "\n".join(lines[:first])


def _assertion(words: str, formula: Formula, name: str) -> str:
    return f"{_comment(words)}\n(assert (! {formula.sexpr()} :named {name}))\n"


def _named(claim: Claim) -> list[tuple[str, str, Formula]]:
    """Every formula that is taken for granted: its name, what it says, and the formula."""
    named = [
        (f"background-{n}", "Background: an axiom of the orders and constants used.", formula)
        for n, formula in enumerate(claim.background, 1)
    ]
    for number, assumption in enumerate(claim.assumptions, 1):
        ground = (
            f" ({in_words(assumption.name)})"
            if assumption.premise and assumption.name in GROUNDS
            else ""
        )
        words = f"{_kind(assumption)}, {assumption.name}: {assumption.words}{ground}"
        named.append((f"assumption-{number}", words, assumption.formula))
    return named


def _kind(assumption: Assumption) -> str:
    if assumption.rule is not None:
        return f'Rule "{assumption.rule}"'
    return "Premise" if assumption.premise else "Definition"


def _text(lemma: Lemma, claim: Claim, last: tuple[str, str, Formula], about: str) -> str:
    parts = [*_named(claim), last]
    head = [
        _comment(f"Lemma: {lemma.name}"),
        _comment(lemma.words),
        ";",
        _comment(about),
        "(set-option :produce-unsat-cores true)",
        "(set-logic ALL)",
        _declarations([formula for _, _, formula in parts]),
        "",
    ]
    body = [_assertion(words, formula, name) for name, words, formula in parts]
    return "\n".join([*head, *body, "(check-sat)"]) + "\n"


def _lemma_text(lemma: Lemma, claim: Claim) -> str:
    import z3

    about = "Unsatisfiable: the goal, negated here, follows from what is asserted above it."
    core = unsat_core(claim)
    if core is not None:
        about += f" An unsatisfiable core, by z3: {', '.join(core)}."
    return _text(lemma, claim, ("negated-goal", "The goal, negated.", z3.Not(claim.goal)), about)


def _witness_text(lemma: Lemma, claim: Claim) -> str:
    about = (
        "Satisfiable: what the lemma takes for granted leaves room for the situation that it is "
        "about, so it does not hold for want of cases."
    )
    return _text(lemma, claim, ("witness", "The situation.", claim.witness), about)


def unsat_core(claim: Claim) -> tuple[str, ...] | None:
    """The assertions that contradict each other, by name; None where z3 finds no contradiction."""
    import z3

    solver = z3.Solver()
    for name, _, formula in _named(claim):
        solver.assert_and_track(formula, name)
    solver.assert_and_track(z3.Not(claim.goal), "negated-goal")
    if ask(solver, LIMITS).answer != "unsat":
        return None
    return tuple(sorted(map(str, solver.unsat_core())))


def _readme(theorems: Sequence[Theorem], written: Sequence[Certificate]) -> str:
    lines = [
        "# Certificates",
        "",
        "Every lemma of `isodelta prove` in SMT-LIB 2.6. A solver has to answer `unsat` for a "
        "lemma (its negated goal contradicts what is asserted) and `sat` for its witness:",
        "",
        "    z3 FILE.smt2",
        "    cvc5 --finite-model-find FILE.smt2",
        "",
    ]
    for theorem in theorems:
        lines += [f"## {theorem.name}", "", theorem.words, "", "| file | answer |", "|---|---|"]
        lines += [
            f"| [{file.lemma}{'' if file.expected == 'unsat' else ', witness'}]({file.path}) "
            f"| {file.expected} |"
            for file in written
            if file.theorem == theorem.name
        ]
        lines.append("")
    return "\n".join(lines)
