"""Mutants of the conflict rules: the exhaustive search notices every one.

Each rule that the statements can reach is dropped, weakened and strengthened. A mutant is
noticed by what the search of two transactions finds: histories that break a promised level, or
other outcomes than the profile's own. What each mutant does is written down, so that a rule
which does more or less than it says fails here too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

import pytest

from checker.search.alphabet import LAYOUTS, statements
from checker.search.exhaustive import Search
from checker.search.finding import kind_of
from model.levels import SERIALIZABLE, SNAPSHOT_ISOLATION, WRITE_SERIALIZABLE
from model.physical.log import Commit
from model.physical.skipping import scan
from model.profiles import DEFAULT, Profile
from model.rules import delta_spark
from model.rules.base import Attempt, Rule
from model.rules.delta_spark import ADDED_FILES, DELETE_DELETE, DELETE_READ

pytestmark = pytest.mark.slow

LEVELS = (SERIALIZABLE, WRITE_SERIALIZABLE)
PLACES = tuple((layout, level) for layout in LAYOUTS for level in LEVELS)
EVERYWHERE = frozenset(PLACES)
PARTITIONED = frozenset(place for place in PLACES if place[0] == "partitioned")
UNPARTITIONED = EVERYWHERE - PARTITIONED
AT_SERIALIZABLE = frozenset(place for place in PLACES if place[1] == SERIALIZABLE)
NOWHERE: frozenset[tuple[str, str]] = frozenset()

STATEMENTS = (
    *("append to 1", "append to partition NULL", "copy 1 to 2", "count everything"),
    *("sum of 2 into 1", "delete everything", "delete 1", "delete one row", "delete large in 1"),
    *("raise 1", "move 1 to 2", "set an equal value", "compact", "compact 1", "read everything"),
)

Check = Callable[[Attempt, Commit], str | None]


@dataclass(frozen=True)
class Mutant:
    """A changed profile and what it changes, each by layout and table level.

    ``breaks``: some history violates a level that the table promises. ``admits``: more
    transactions get through; ``refuses``: fewer do; ``renames``: as many do, and the others
    fail by another name.
    """

    name: str
    profile: Profile
    breaks: frozenset[tuple[str, str]] = NOWHERE
    admits: frozenset[tuple[str, str]] = NOWHERE
    refuses: frozenset[tuple[str, str]] = NOWHERE
    renames: frozenset[tuple[str, str]] = NOWHERE


def changed(rule: Rule, check: Check) -> Profile:
    return DEFAULT.with_rule(replace(rule, check=check))


def as_at(rule: Rule, levels: dict[str, str]) -> Check:
    """The rule, applied as if other levels were in force."""
    return lambda attempt, winner: rule.check(
        replace(attempt, level=levels.get(attempt.level, attempt.level)), winner
    )


def seen_as(rule: Rule, alter: Callable[[Commit], Commit]) -> Check:
    """The rule, applied to a winner that was altered first."""
    return lambda attempt, winner: rule.check(attempt, alter(winner))


def without_null_partitions(winner: Commit) -> Commit:
    kept = tuple(file for file in winner.footprint.adds if None not in file.partition)
    return replace(winner, footprint=replace(winner.footprint, adds=kept))


def without_rearranged(winner: Commit) -> Commit:
    """OPTIMIZE's removals are left out."""
    if winner.footprint.data_changed:
        return winner
    return replace(winner, footprint=replace(winner.footprint, removes=()))


def not_if_unpartitioned(attempt: Attempt, winner: Commit) -> str | None:
    return delta_spark.added_files(attempt, winner) if attempt.table.partitions else None


def by_statistics(attempt: Attempt, winner: Commit) -> str | None:
    """Added files count only if their statistics allow a match, as with files that are read."""
    if delta_spark.added_files(attempt, winner) is None:
        return None
    adds = winner.footprint.adds
    predicates = attempt.footprint.read_predicates
    return "matches" if any(scan(p, adds, attempt.table) for p in predicates) else None


def any_partition(attempt: Attempt, winner: Commit) -> str | None:
    whole = replace(attempt.footprint, read_whole_table=True)
    return delta_spark.added_files(replace(attempt, footprint=whole), winner)


def appends_too(attempt: Attempt, winner: Commit) -> str | None:
    added = winner.footprint.adds and delta_spark.looks_at_added_files(attempt, winner)
    return "added a file" if added else None


def only_removed_files(attempt: Attempt, winner: Commit) -> str | None:
    return delta_spark.delete_delete(attempt, winner)


def any_removal(attempt: Attempt, winner: Commit) -> str | None:
    return "removed a file" if winner.footprint.removes else None


def always(attempt: Attempt, winner: Commit) -> str | None:
    return "committed first"


DROPPED_READ = DEFAULT.without("delete read")

MUTANTS = [
    Mutant("added files: dropped", DEFAULT.without("added files"), EVERYWHERE, EVERYWHERE),
    Mutant(
        "added files: blind appends count at no level",
        changed(ADDED_FILES, as_at(ADDED_FILES, {SERIALIZABLE: WRITE_SERIALIZABLE})),
        AT_SERIALIZABLE,
        AT_SERIALIZABLE,
    ),
    Mutant(
        "added files: no partition is NULL",
        changed(ADDED_FILES, seen_as(ADDED_FILES, without_null_partitions)),
        frozenset({("partitioned", SERIALIZABLE)}),
        frozenset({("partitioned", SERIALIZABLE)}),
    ),
    Mutant(
        "added files: not in a table without partitions",
        changed(ADDED_FILES, not_if_unpartitioned),
        UNPARTITIONED,
        UNPARTITIONED,
    ),
    Mutant(
        # Sound: files that statistics rule out have no match. The engine is stricter than that.
        "added files: by statistics",
        changed(ADDED_FILES, by_statistics),
        NOWHERE,
        EVERYWHERE,
    ),
    Mutant(
        "added files: blind appends count at every level",
        changed(ADDED_FILES, as_at(ADDED_FILES, {WRITE_SERIALIZABLE: SERIALIZABLE})),
        refuses=EVERYWHERE - AT_SERIALIZABLE,
    ),
    Mutant(
        # Against an append the compaction starts over by itself and gets through all the same.
        "added files: compactions count them",
        changed(ADDED_FILES, as_at(ADDED_FILES, {SNAPSHOT_ISOLATION: SERIALIZABLE})),
        renames=EVERYWHERE,
    ),
    Mutant(
        "added files: in any partition",
        changed(ADDED_FILES, any_partition),
        refuses=PARTITIONED,
    ),
    Mutant(
        "added files: against blind appends too",
        changed(ADDED_FILES, appends_too),
        refuses=EVERYWHERE,
    ),
    Mutant("added files: always", changed(ADDED_FILES, always), refuses=EVERYWHERE),
    Mutant("delete read: dropped", DROPPED_READ, EVERYWHERE, EVERYWHERE),
    Mutant(
        "delete read: files that are removed as well",
        changed(DELETE_READ, only_removed_files),
        EVERYWHERE,
        EVERYWHERE,
    ),
    Mutant(
        "delete read: compactions remove nothing",
        changed(DELETE_READ, seen_as(DELETE_READ, without_rearranged)),
        renames=EVERYWHERE,
    ),
    Mutant(
        "delete read: any removal",
        changed(DELETE_READ, any_removal),
        refuses=EVERYWHERE,
    ),
    Mutant("delete read: always", changed(DELETE_READ, always), refuses=EVERYWHERE),
    Mutant(
        "delete read and delete delete: dropped",
        DROPPED_READ.without("delete delete"),
        EVERYWHERE,
        EVERYWHERE,
    ),
    Mutant(
        "delete delete: any removal",
        changed(DELETE_DELETE, any_removal),
        refuses=EVERYWHERE,
    ),
    Mutant("delete delete: always", changed(DELETE_DELETE, always), refuses=EVERYWHERE),
]  # fmt: skip


@dataclass(frozen=True)
class Explored:
    broken: int
    committed: int
    outcomes: Counter[str]
    violations: tuple[int, ...]


@cache
def explored(profile: Profile, layout: str, level: str, *, whole: bool = False) -> Explored:
    """A search of two transactions, over a part of the alphabet or the whole."""
    part = [s for s in statements(layout) if whole or s.name in STATEMENTS]
    result = Search(layout, profile, part).run(level, 2)
    promised = sum(
        count for at, count in result.violations.items() if kind_of(level, at) == "level-violation"
    )
    return Explored(
        promised,
        result.coverage.outcomes["committed"],
        result.coverage.outcomes,
        tuple(result.violations.values()),
    )


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_mutant_is_noticed_where_it_matters(mutant):
    breaks, admits, refuses, renames = set(), set(), set(), set()
    for place in PLACES:
        own, other = explored(DEFAULT, *place), explored(mutant.profile, *place)
        assert own.broken == 0
        if other.broken:
            breaks.add(place)
        if other.committed > own.committed:
            admits.add(place)
        if other.committed < own.committed:
            refuses.add(place)
        if other.committed == own.committed and other.outcomes != own.outcomes:
            renames.add(place)
    assert (breaks, admits) == (mutant.breaks, mutant.admits)
    assert (refuses, renames) == (mutant.refuses, mutant.renames)
    assert mutant.breaks or mutant.admits or mutant.refuses or mutant.renames


def test_no_two_mutants_do_the_same():
    seen: dict[object, str] = {}
    for mutant in MUTANTS:
        does = tuple(
            (frozenset(explored(mutant.profile, *place).outcomes.items()),
             explored(mutant.profile, *place).violations)
            for place in PLACES
        )  # fmt: skip
        assert does not in seen, f"{mutant.name} does the same as {seen.get(does)}"
        seen[does] = mutant.name


@pytest.mark.parametrize("place", PLACES, ids=" / ".join)
def test_delete_delete_adds_nothing_to_delete_read_for_these_statements(place):
    """Whatever a statement removes it has read, so the rule before it always speaks first.

    The rule is no dead weight in general: without the other one it is what refuses.
    """
    own = explored(DEFAULT, *place, whole=True)
    assert explored(DEFAULT.without("delete delete"), *place, whole=True) == own
    assert "ConcurrentDeleteDelete" not in own.outcomes
    alone = explored(DROPPED_READ, *place)
    neither = explored(DROPPED_READ.without("delete delete"), *place)
    assert alone.outcomes["ConcurrentDeleteDelete"] > 0
    assert neither.committed > alone.committed
    assert neither.broken > alone.broken


@pytest.mark.parametrize(
    "rule",
    [
        *("next version", "protocol changed", "feature in use", "metadata changed"),
        *("domain metadata", "application transaction"),
    ],
)
def test_the_other_rules_are_out_of_reach_of_these_statements(rule):
    """No statement of this alphabet changes metadata or protocol, or writes for an application."""
    for place in PLACES:
        own = explored(DEFAULT, *place, whole=True)
        assert explored(DEFAULT.without(rule), *place, whole=True) == own


def test_every_rule_of_the_profile_is_accounted_for():
    assert [rule.name for rule in DEFAULT.rules] == [
        *("next version", "protocol changed", "feature in use", "metadata changed"),
        *("domain metadata", "application transaction", "added files"),
        *("delete read", "delete delete"),
    ]


def test_a_compaction_and_an_append_never_conflict():
    """As the documents' conflict table says, at both levels and in both layouts."""
    for layout, level in PLACES:
        result = Search(layout).run(level, 2)
        pairs = {(current, winner) for _, current, winner in result.coverage.conflicts}
        assert ("OPTIMIZE", "INSERT") not in pairs
        assert ("INSERT", "OPTIMIZE") not in pairs
