"""Whether a conflict was needed, from two transactions that end in it."""

from __future__ import annotations

import pytest

from checker.refusals.advice import ADVICE
from checker.refusals.necessity import SCHEDULE, examples, together, tried
from checker.refusals.texts import Refusal
from model.levels import DELTA_LEVELS, SERIALIZABLE, WRITE_SERIALIZABLE
from model.outcomes import CONFLICT_NAMES, ConflictName
from model.profiles import DEFAULT
from model.scenario import Scenario, TableSpec

TABLE = TableSpec(
    {"k": "int", "p": "int"},
    ("p",),
    setup=("INSERT INTO t VALUES (1, 1)", "INSERT INTO t VALUES (2, 1)"),
)

PAIRS = {
    # job, winner: conflict, needed at Serializable and at WriteSerializable
    "a delete, and a row that it should have deleted": (
        "DELETE FROM t WHERE p = 1",
        "INSERT INTO t VALUES (3, 1)",
        ("ConcurrentAppend", "yes", "no"),
    ),
    "a delete, and another row of the partition": (
        "DELETE FROM t WHERE p = 1 AND k = 1",
        "INSERT INTO t VALUES (3, 1)",
        ("ConcurrentAppend", "no", "no"),
    ),
    "a delete, and a compaction": (
        "DELETE FROM t WHERE p = 1 AND k = 1",
        "OPTIMIZE t",
        ("ConcurrentAppend", "no", "no"),
    ),
    "two compactions": ("OPTIMIZE t", "OPTIMIZE t", ("ConcurrentDeleteRead", "no", "no")),
    "two updates of one row": (
        "UPDATE t SET k = k + 1 WHERE p = 1 AND k = 1",
        "UPDATE t SET k = k + 2 WHERE p = 1 AND k = 1",
        ("ConcurrentAppend", "yes", "yes"),
    ),
}


@pytest.mark.parametrize("name", PAIRS)
def test_a_pair_of_transactions(name: str) -> None:
    job, winner, (conflict, *expected) = PAIRS[name]
    scenario = Scenario(name, TABLE, {"job": job, "winner": winner}, SCHEDULE)
    found = tried(scenario, conflict, DEFAULT, SERIALIZABLE)
    assert found is not None
    assert [found.needed[level] for level in (SERIALIZABLE, WRITE_SERIALIZABLE)] == expected


def test_a_pair_that_ends_otherwise_is_no_example() -> None:
    scenario = Scenario(
        "apart", TABLE, {"job": "DELETE FROM t WHERE p = 2", "winner": "OPTIMIZE t"}, SCHEDULE
    )
    assert tried(scenario, "ConcurrentAppend", DEFAULT, SERIALIZABLE) is None


NEVER: set[ConflictName] = {"ConcurrentWrite", "ConcurrentDeleteDelete"}
"""Conflicts in which Delta on Spark ends no pair of small statements: another one comes first."""


@pytest.mark.parametrize("conflict", [name for name in CONFLICT_NAMES if name not in NEVER])
def test_every_conflict_has_an_example_that_ends_in_it(conflict: ConflictName) -> None:
    refusal = Refusal(conflict, "delta-spark", conflict)
    found = next(examples(refusal, DEFAULT, SERIALIZABLE))
    assert set(found.needed) == set(DELTA_LEVELS)


def test_what_the_text_says_narrows_the_examples() -> None:
    blind = Refusal(
        "ConcurrentAppend", "delta-spark", "", {"operation": "WRITE", "isBlindAppend": "true"}
    )
    found = list(examples(blind, DEFAULT, SERIALIZABLE))
    assert {each.scenario.transactions["winner"].split()[0] for each in found} == {"INSERT"}
    assert together(found)[WRITE_SERIALIZABLE] == "no"
    assert together(found)[SERIALIZABLE] == "unknown"
    asked = list(examples(blind, DEFAULT, SERIALIZABLE, statement="MERGE INTO t", partitioned=True))
    assert {each.scenario.transactions["job"].split()[0] for each in asked} == {"MERGE"}
    assert all(each.scenario.table.partition_by for each in asked)


def test_there_is_advice_for_every_conflict() -> None:
    assert set(ADVICE) == set(CONFLICT_NAMES)
    for advice in ADVICE.values():
        assert all(1 <= int(claim[1:]) <= 100 for claim in advice.claims)
