"""Lemmas as SMT-LIB: they say what they said, and a second solver confirms every one."""

from __future__ import annotations

import json
from functools import cache

import pytest
import z3

from checker.proofs import THEOREMS
from checker.proofs.certificates import second_solver
from checker.proofs.certificates.second_solver import SolverMissing, confirm
from checker.proofs.certificates.smt_lib import certificates, export, unsat_core
from checker.proofs.lemma import Assumption, CannotBeStated, Claim, Lemma, Theorem
from checker.proofs.theorems import snapshot_levels
from isodelta.cli import run
from isodelta.commands.prove import certificates as exporting

pytestmark = pytest.mark.slow

EVERY = list(certificates(THEOREMS))

answer = cache(second_solver.answer)
"""cvc5's answer to a text, asked for once."""


def _theorem(*assumptions: Assumption, goal) -> Theorem:
    lemma = Lemma("a lemma", "It is so.", lambda: Claim(assumptions, goal, goal), {})
    return Theorem("a theorem", "So it is.", (lemma,), profile=None)


@pytest.mark.parametrize("certificate", EVERY, ids=lambda each: each.path)
def test_a_second_solver_confirms_every_lemma_and_every_witness(certificate):
    assert answer(certificate.text) == certificate.expected


@pytest.mark.parametrize("certificate", EVERY, ids=lambda each: each.path)
def test_the_file_says_what_was_proved(certificate):
    solver = z3.Solver()
    solver.set("timeout", 60_000)
    solver.from_string(certificate.text)
    assert str(solver.check()) == certificate.expected


def test_every_lemma_has_a_file_and_a_witness():
    lemmas = [(t.name, lemma.name) for t in THEOREMS for lemma in t.lemmas]
    for expected in ("unsat", "sat"):
        assert [(e.theorem, e.lemma) for e in EVERY if e.expected == expected] == lemmas
    assert len({each.path for each in EVERY}) == len(EVERY)


def test_every_assertion_stands_below_its_words():
    for theorem in THEOREMS:
        for lemma in theorem.lemmas:
            text = next(e.text for e in EVERY if (e.theorem, e.lemma) == (theorem.name, lemma.name))
            plain = " ".join(text.replace("\n; ", " ").split())
            assert " ".join(lemma.words.split()) in plain
            for assumption in lemma.build().assumptions:
                assert " ".join(assumption.words.split()) in plain


def test_a_wrong_lemma_is_not_confirmed():
    p = z3.Bool("p")
    lemma, witness = confirm(list(certificates([_theorem(goal=p)])))
    assert (lemma.answer, lemma.agrees) == ("sat", False)
    assert witness.agrees


def test_a_vacuous_lemma_is_not_confirmed():
    p = z3.Bool("p")
    nothing = Assumption("nothing", "Nothing is so.", z3.And(p, z3.Not(p)))
    lemma, witness = confirm(list(certificates([_theorem(nothing, goal=p)])))
    assert lemma.agrees
    assert (witness.answer, witness.agrees) == ("unsat", False)


def test_no_answer_is_no_confirmation():
    """Factors of a product of large primes are not found within a millisecond."""
    x, y = z3.BitVecs("x y", 64)
    product = z3.And(x * y == 3_369_993_333_393_829_974_333_376_885_877, x != 1, y != 1)
    (lemma, _) = certificates([_theorem(goal=z3.Not(z3.And(product, z3.ULT(x, y))))])
    assert answer(lemma.text, timeout_ms=1) == "unknown"


def test_the_unsatisfiable_core_leaves_out_what_is_not_needed():
    p, q = z3.Bools("p q")
    both = (Assumption("p", "p.", p), Assumption("q", "q.", q))
    assert unsat_core(Claim(both, p, p)) == ("assumption-1", "negated-goal")
    assert unsat_core(Claim((), p, p)) is None


def test_export_writes_every_file_and_lists_it(tmp_path):
    written = export([snapshot_levels.THEOREM], tmp_path)
    listed = (tmp_path / "README.md").read_text()
    for each in written:
        assert (tmp_path / each.path).read_text() == each.text
        assert f"({each.path}) | {each.expected} |" in listed


def test_prove_exports_and_confirms(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(second_solver, "answer", answer)
    arguments = ["prove", "--profile", "delta-spark-4.4-repaired", "--json", "--confirm"]
    assert run([*arguments, "--export", str(tmp_path / "new")]) == 0
    theorems = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    lemmas = [lemma for theorem in theorems for lemma in theorem["lemmas"]]
    assert all(each["cvc5"] == {"lemma": "unsat", "witness": "sat"} for each in lemmas)
    assert len(list((tmp_path / "new").glob("*/*.smt2"))) == 2 * len(lemmas)

    monkeypatch.setattr(second_solver, "answer", lambda text: "unknown")
    assert run(["prove", "--profile", "delta-spark-4.4-repaired", "--confirm"]) == 1
    assert "cvc5: unknown, not unsat" in capsys.readouterr().out


def test_what_cannot_be_exported_or_confirmed_is_said(tmp_path, capsys, monkeypatch):
    (tmp_path / "file").write_text("")
    assert run(["prove", "--export", str(tmp_path / "file" / "folder")]) == 2
    assert "--export" in capsys.readouterr().err

    def missing(_: str) -> str:
        raise SolverMissing("cvc5 is not installed")

    monkeypatch.setattr(second_solver, "answer", missing)
    assert run(["prove", "--confirm"]) == 2
    assert "--confirm: cvc5 is not installed" in capsys.readouterr().err

    def unstated(theorems: object) -> None:
        raise CannotBeStated("a rule")

    monkeypatch.setattr(exporting.smt_lib, "certificates", unstated)
    assert run(["prove", "--export", str(tmp_path / "other")]) == 2
    assert "--export: a rule" in capsys.readouterr().err
