"""The modules that are mutated, each with the tests that speak of it, quick ones first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from tests.mutation.operators import Mutant, mutants


@dataclass(frozen=True)
class Subject:
    """A module, by its path, and the tests that have to notice its mutants.

    ``more`` are slower ones, asked only about mutants that the others let through. ``by_hand`` has
    mutants that the operators do not make, as texts of the module and what stands in their place,
    by name; a module with such mutants has no others.
    """

    path: str
    tests: tuple[str, ...]
    more: tuple[str, ...] = ()
    by_hand: Mapping[str, tuple[str, str]] = field(default_factory=dict)

    def mutants(self, source: str) -> Iterator[Mutant]:
        """The mutants of the module. Raises ``ValueError`` for a text that it does not have."""
        if not self.by_hand:
            yield from mutants(source)
        for name, (old, new) in self.by_hand.items():
            if source.count(old) != 1:
                raise ValueError(f"{self.path}: not there once: {old!r}")
            yield Mutant(f"by hand: {name}", "", source.replace(old, new))

    @property
    def module(self) -> str:
        """The module's name."""
        return self.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


JUDGING = "tests/checker/judging"
RULES = (
    "tests/model/rules/test_rules.py",
    "tests/model/rules/test_conflict_expectations.py",
)
FOOTPRINTS = ("tests/model/physical/test_footprint.py", *RULES)
PROOFS = (
    "tests/checker/proofs/test_rules.py",
    "tests/checker/proofs/test_theorems.py::test_a_lemma_is_proved_with_every_mutant_as_written",
    "tests/model/rules/test_mutants.py",
)
LEVELS = (
    "tests/model/levels/test_phenomena.py",
    f"{JUDGING}/test_anomalies.py",
    "tests/model/levels/test_anomalies.py",
    "tests/model/levels/test_cycles.py",
    "tests/model/levels/test_table.py",
)
DECIDERS = (
    f"{JUDGING}/test_graph.py",
    f"{JUDGING}/test_definition.py",
    f"{JUDGING}/test_anomalies.py",
    f"{JUDGING}/test_agreement.py",
    f"{JUDGING}/test_explanation.py",
    f"{JUDGING}/test_dependencies.py",
    f"{JUDGING}/test_verdict.py",
)
ON_THE_MODEL = (
    f"{JUDGING}/test_by_definition.py",
    f"{JUDGING}/test_deciders.py",
    f"{JUDGING}/test_deciders_on_the_model.py",
)

SUBJECTS = (
    Subject("model/rules/delta_spark.py", RULES, PROOFS),
    Subject("model/physical/footprint.py", FOOTPRINTS, PROOFS),
    Subject("model/levels/anomalies.py", LEVELS),
    Subject("model/levels/axioms.py",
            LEVELS, ("tests/checker/separation/test_key_value_levels.py",)),
    Subject("model/levels/cycles.py", LEVELS),
    Subject("model/levels/snapshots.py", LEVELS),
    Subject("model/levels/table.py", LEVELS),
    Subject("checker/judging/dependencies.py", DECIDERS, ON_THE_MODEL),
    *(
        Subject(f"checker/judging/{name}.py", DECIDERS, ON_THE_MODEL)
        for name in (
            "graph", "verdict", "definition", "agreement", "explanation", "witness", "solver",
            "wellformed",
        )
    ),
    Subject("model/rules/delta_rs.py", (*RULES, "tests/conformance/delta_rs/test_pruning.py"),
            ("tests/conformance/delta_rs/test_engine.py",)),
    Subject("model/physical/row_level.py",
            ("tests/model/profiles/test_databricks.py",),
            ("tests/isodelta/commands/test_claims.py",)),
    Subject("model/rules/documented.py", ("tests/model/profiles/test_databricks.py",)),
    Subject("model/rules/read_through_append.py",
            (*RULES, "tests/checker/proofs/test_repair_weakest.py"),
            ("tests/checker/proofs/test_repair.py",)),
    Subject(
        "model/statements/insert/select.py",
        ("tests/model/statements/test_insert_select.py",),
        by_hand={
            "only files with matching rows are noted": (
                "done.predicates, done.files, items)",
                "done.predicates, tuple(f for f in done.files if any(r.matches(row.values) "
                "for r in (reads or self.predicate_reads) for row in f.rows)), items)",
            ),
        },
    ),
    Subject(
        "checker/robustness/jobs/folding.py",
        ("tests/checker/robustness/test_folding.py",),
        by_hand={
            "no condition folds": (
                "    if not _holes(condition):\n        return split_filter",
                "    return False\n    if not _holes(condition):\n        return split_filter",
            ),
        },
    ),
    Subject(
        "checker/proofs/premises/checks.py",
        ("tests/checker/proofs/test_premise_formulas.py",),
        by_hand={
            "files to come are those of the own snapshot": (
                "    for file in a.files:\n        if not a.covers",
                "    for file in a.snapshot.files.values():\n        if not a.covers",
            ),
        },
    ),
    Subject(
        "checker/proofs/theorems/readings.py",
        ("tests/checker/proofs/test_stated_formulas.py",),
        by_hand={
            "a premise says more than its words": (
                "                row.met(row.shown),\n                premise=True",
                "                z3.And(row.met(row.shown), row.matches(row.shown)),\n"
                "                premise=True",
            ),
        },
    ),
    Subject("conformance/replay/comparison.py",
            ("tests/conformance/replay/test_comparison.py",),
            ("tests/conformance/delta_rs/test_engine.py",)),
)  # fmt: skip
