"""The ground of every premise: a lemma, a test, or the definition of the history in question.

A premise is taken for granted in its lemma and by nobody else, so each has an entry here, and a
test follows every reference.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Proved:
    """It is the goal of other lemmas, or of the same one for the step before."""

    lemmas: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CheckedBy:
    """It is about the model's code, and tests hold it against runs."""

    tests: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Defined:
    """It says which history a lemma is about, or what a term means; nothing is claimed."""


@dataclass(frozen=True, slots=True)
class Engine:
    """It is about the engine, and rests on what is said there."""

    source: str


Ground = Proved | CheckedBy | Defined | Engine

_PREMISES = "tests/checker/proofs/test_premises.py"
_FORMULAS = "tests/checker/proofs/test_premise_formulas.py"
_JOBS = "tests/checker/robustness/test_roles.py"
_WEAKEST = "tests/checker/proofs/test_repair_weakest.py"
_THEOREMS = "tests/checker/proofs/test_theorems.py"
_REPAIR = "tests/checker/proofs/test_repair.py"
_PROPOSED = "tests/model/rules/test_proposed.py"

_RUNS = f"{_PREMISES}::test_they_hold_in_random_scenarios_of_every_statement"
_FORMULA = f"{_FORMULAS}::test_a_premise_about_footprints_holds_just_where_its_check_finds_nothing"
_COMMITS = f"{_FORMULAS}::test_a_premise_about_commits_holds_just_where_its_check_finds_nothing"
_GRAPHS = f"{_FORMULAS}::test_a_premise_about_edges_holds_of_the_graphs_of_runs"
_LEVELS = f"{_FORMULAS}::test_the_premises_about_levels_hold_in_runs"
_ROLES = f"{_JOBS}::test_whoever_plays_a_part_can"
_WORST = f"{_WEAKEST}::test_every_refusal_has_a_violation_with_the_same_situation"
_STEPS = (
    *("one more winner", "paths lead forward", "some edge of a cycle is a way back"),
    *("a cycle stays in one group", "from there a path leads to X", "paths are seen"),
    *("versions of a row are joined by overwriting", "what a path comes from is seen"),
    "a path does not go back over a cut",
)

GROUNDS: dict[str, Ground] = {
    "footprint completeness, files to come": CheckedBy((_RUNS, _FORMULA)),
    "footprint completeness, files there": CheckedBy((_RUNS, _FORMULA)),
    "reading the whole table is noted beside a predicate or a file": CheckedBy((_RUNS, _FORMULA)),
    "who states files again reads no row": CheckedBy((_RUNS, _FORMULA)),
    "stating files again": CheckedBy((_RUNS, _COMMITS)),
    "rearranging": CheckedBy(
        (_RUNS, f"{_FORMULAS}::test_a_rearranging_commit_satisfies_its_premise")
    ),
    "no change of data, no reads": CheckedBy((_RUNS, _LEVELS)),
    "operations that never change data": CheckedBy((_RUNS, _LEVELS)),
    "who always writes a version": CheckedBy((_RUNS, _LEVELS)),
    "who overwrites has seen": CheckedBy((_RUNS, _GRAPHS)),
    "who overwrites has read": CheckedBy((_RUNS,)),
    "removed files are of the snapshot": CheckedBy((_RUNS,)),
    "blind appends read nothing": CheckedBy((_RUNS, _GRAPHS)),
    "blind appends only add": CheckedBy((_RUNS, _GRAPHS)),
    "one feature at a time": CheckedBy((_RUNS,)),
    "properties have names": CheckedBy((_RUNS,)),
    "the levels": CheckedBy((f"{_THEOREMS}::test_every_commit_is_checked_at_one_of_three_levels",)),
    "footprint completeness": CheckedBy(
        (f"{_REPAIR}::test_every_dependency_shows_in_the_footprints",)
    ),
    "a row is in one file": CheckedBy((f"{_JOBS}::test_a_row_is_in_one_file_of_a_snapshot",)),
    "what runs do, their jobs can": CheckedBy((_ROLES,)),
    "the worst rows": CheckedBy((_WORST,)),
    "the worst past": CheckedBy((_WORST,)),
    "what a statement may take over": Engine(
        "ConflictChecker.scala, metadataConfigurationChangeAllowList"
    ),
    "skipping is sound": CheckedBy(
        (f"{_PROPOSED}::test_serializable_is_kept_in_the_strongest_reading",)
    ),
    "a compaction moves rows": Proved(("a compaction loses",)),
    "level in force": Proved(("level in force",)),
    "induction hypothesis": Proved((*_STEPS, "some place on a cycle is the last")),
    "no winner did harm": Proved(
        ("one more winner", "before the first winner", "over the winners")
    ),
    "winners did no more harm": Proved(
        ("one more winner", "before the first winner", "over the winners")
    ),
    "no winner changed what was read": Proved(("from rows to edges",)),
    "what a winner may have changed": Proved(("from rows to edges",)),
    "any number of ww edges": Proved(("along a path",)),
    "edges lead forward": Proved(("edges lead forward", "the log is in real time")),
    "paths lead forward": Proved(("paths lead forward", "along a path")),
    "the order is strict": Proved(
        ("places are a strict order", "places at snapshots are a strict order")
    ),
    "base": Proved(("before the first winner", "edges lead forward")),
    "step": Proved(_STEPS),
    "the shape": Proved(("the last on the cycle misses an append",)),
    "the missed append": Proved(("the last place on the cycle misses an append",)),
    "no edge of the cycle is a way back": Proved(("an edge leads forward, or is a way back",)),
    "joined by overwriting": Proved(("versions of a row are joined by overwriting",)),
    "paths are seen": Proved(("what a path comes from is seen", "paths are seen")),
    "what it removes is there": Proved(("one more winner",)),
    "the winner read a row": Proved(("who meets a row is no blind append",)),
    "both parts are on every cycle": Proved(
        (
            "the last place on the cycle misses an append",
            "some edge of a cycle is a way back",
            "X may be the one that met the append",
        )
    ),
    "no path goes back over a cut": Proved(("a path does not go back over a cut", "along a path")),
    "a cycle is in one group": Proved(("a cycle stays in one group",)),
    **dict.fromkeys(
        (
            *("finitely many", "a path", "no winner yet", "a cycle and its last commit"),
            *("a cycle and its last place", "on the cycle", "the level", "paths"),
            *("what the rule finds", "Y overwrites X", "snapshots are fresh", "ww", "wr", "rw"),
            *("rw of an item", "rw, by rows", "edges of a version that goes", "the next version"),
            *("a version in its snapshot", "what X read", "edges are conflicts", "groups"),
            *("the answer robust", "the axiom", "the visibility chosen", "the last version"),
            *("the version that follows", "wr of a predicate", "rw of a predicate"),
            *("its own commit is not in its snapshot", "the last version before the reader"),
            "places are in a line up to those that are equal",
            *("a cut", "on the path", "X and Y on a cycle", "wr of a version", "rw of a version"),
            *("X has no place", "what the winner does", "it replaces its files"),
            *("it takes out all that it reads", "a row version that is taken out is gone"),
            "the guard would have refused",
        ),
        Defined(),
    ),
}
"""The ground of each premise, by its name."""


def in_words(premise: str) -> str:
    """The ground of a premise for a reader of a lemma. Raises ``KeyError``."""
    match GROUNDS[premise]:
        case Proved(lemmas=lemmas):
            return "proved: " + ", ".join(f'"{lemma}"' for lemma in lemmas)
        case CheckedBy(tests=tests):
            return "tested: " + ", ".join(test.split("::")[1] for test in tests)
        case Engine(source=source):
            return f"the engine: {source}"
    return "which history the lemma is about"
