"""How many replays a campaign needs to find a planted mutant of a rule, chosen and at random.

Run it with ``python benchmarks/campaign_choice.py [POSITIONS]``. The engine is the model with one
conflict rule changed (tests/model/rules/test_mutants.py has the changes, and what they do; the
rules that those cannot reach are dropped one by one). A replay finds a mutant if an outcome
differs from the profile's prediction. ``chosen`` is the place of the first such replay in the
choice over all histories of the positions, ``random`` the expected place in random order, which is
exact: (n + 1) / (d + 1) for d of n histories. The choice knows nothing of the mutants.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from model.physical.log import Commit
from model.profiles import DEFAULT, Profile
from model.rules.base import Attempt
from model.rules.delta_spark import (
    ADDED_FILES,
    DELETE_DELETE,
    DELETE_READ,
    METADATA_CHANGED,
    metadata_changed,
)
from pipeline.lessons.choice import chosen_first
from pipeline.stages.predictions import Predicted
from pipeline.stream import pool
from tests.model.rules.test_mutants import MUTANTS

SEED = 0
OFFERED = 12


def mutants() -> Iterator[tuple[str, Profile]]:
    """Every mutant by name."""
    for mutant in MUTANTS:
        yield mutant.name, mutant.profile
    for rule in DEFAULT.rules:
        if rule not in (ADDED_FILES, DELETE_READ, DELETE_DELETE, METADATA_CHANGED):
            yield f"{rule.name}: dropped", DEFAULT.without(rule.name)
    # Without the rule the model itself would read files of one definition as if of another.
    weaker = replace(METADATA_CHANGED, check=_only_schemas)
    yield "metadata changed: properties do not count", DEFAULT.with_rule(weaker)


def _only_schemas(attempt: Attempt, winner: Commit) -> str | None:
    change = winner.footprint.metadata
    return metadata_changed(attempt, winner) if change and change.schema_changed else None


def places(positions: int) -> Iterator[tuple[str, int, int, float | None, float | None]]:
    """For each mutant: histories, those that show it, the places chosen and at random."""
    offers: dict[tuple[int, int], list[str]] = {}
    own: dict[int, Predicted] = {}
    for position in range(positions):
        predicted = Predicted.of(pool(SEED, position), DEFAULT)
        assert predicted is not None
        own[position] = predicted
        candidates = {row: predicted.lessons_of(row) for row in range(len(predicted.numbers))}
        for row, lessons in chosen_first(candidates, {}, OFFERED):
            offers[position, predicted.numbers[row]] = lessons
    order = [key for key, _ in chosen_first(offers, {}, len(offers))]
    for name, profile in mutants():
        differing: set[tuple[int, int]] = set()
        count = 0
        for position, predicted in own.items():
            mutated = Predicted.of(pool(SEED, position), profile)
            assert mutated is not None
            for row, number in enumerate(predicted.numbers):
                count += 1
                other = mutated.row_of(number)
                if other is not None and mutated.outcomes(
                    mutated.leaves[other]
                ) != predicted.outcomes(predicted.leaves[row]):
                    differing.add((position, number))
        chosen = next((n for n, key in enumerate(order, 1) if key in differing), None)
        expected = (count + 1) / (len(differing) + 1) if differing else None
        yield name, count, len(differing), chosen, expected


def main(positions: int) -> None:
    started = time.monotonic()
    ratios = []
    missed = []
    print(f"{'mutant':52} {'show it':>9} {'chosen':>7} {'random':>9} {'ratio':>6}")
    histories = 0
    for name, count, shown, chosen, expected in places(positions):
        histories = count
        if expected is None:
            print(f"{name:52} {'none':>9}")
            continue
        if chosen is None:
            missed.append(name)
            print(f"{name:52} {shown:9,} {'-':>7} {expected:9.1f}")
            continue
        ratios.append(chosen / expected)
        print(f"{name:52} {shown:9,} {chosen:7} {expected:9.1f} {ratios[-1]:6.2f}")
    median = statistics.median(ratios)
    print(
        f"{histories:,} histories of {positions} positions; median ratio {median:.2f}; "
        f"{len(missed)} missed; {time.monotonic() - started:.0f} s"
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 16)
