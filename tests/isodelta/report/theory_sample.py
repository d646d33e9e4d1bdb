"""Theorems and a lattice of levels, for the tests of the report."""

from __future__ import annotations

from isodelta.report.views.theory import (
    LatticeCell,
    LatticeEdge,
    LatticeHistory,
    LatticePicture,
    LemmaLine,
    MutantLine,
    TheoremLine,
)

PROFILE = "delta-spark-4.4"


def sample_lattice() -> LatticePicture:
    """Four groups of levels, two of them side by side."""
    history = LatticeHistory(
        "H1",
        "h1",
        "G2-item",
        (("A", "UPDATE t SET v = v + 1"), ("B", "DELETE FROM t WHERE p = 1")),
        "begin B, A, commit B",
        ("graph", "solver"),
        (("Serializable", "B: ConcurrentAppend"), ("WriteSerializable", "admitted")),
    )
    levels = ("ReadCommitted", "RepeatableRead", "WriteSerializable", "Serializable")
    return LatticePicture(
        groups=(("ReadUncommitted", *levels[:1]), *((level,) for level in levels[1:])),
        edges=(
            *(LatticeEdge(low, high, True, history) for low, high in ((0, 1), (0, 2))),
            *(LatticeEdge(low, 3, True, history) for low in (1, 2)),
            *(LatticeEdge(held, 3 - held, False, history) for held in (1, 2)),
        ),
        equal=("ReadUncommitted and ReadCommitted: proved to be the same.",),
        table=tuple(
            (held, tuple(LatticeCell("H1", f"{held}, {other}", "finding-h1") for other in levels))
            for held in levels
        ),
        headline="4 of 12 ordered pairs of levels are told apart; 8 are implications.",
        facts=(("4", "pairs separated by a history"),),
        signs="⇒: implied by the table of levels",
    )


def sample_theorem() -> TheoremLine:
    """A theorem with a lemma that is proved and one that is not."""
    mutants = (
        MutantLine("a rule: dropped", "rule", "refuted"),
        MutantLine("a premise: dropped", "premise", "proved", "It says nothing.", True),
    )
    lemmas = (
        LemmaLine("a step", "One step.", "proved", 0.2, "satisfiable", (("p", "q."),), mutants),
        LemmaLine("a gap", "A gap.", "refuted", 0.1, "vacuous", (), (), "it is vacuous"),
    )
    return TheoremLine("Serializable", PROFILE, "All is well.", "refuted", lemmas)
