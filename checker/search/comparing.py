"""Two profiles compared: every pair of statements, one committing while the other runs.

Of an alphabet and a layout, for each ordered pair: does the second one to commit fail under the one
profile, under the other, and what does the level say of it where it commits? So a proposal's gain
is counted in aborts that it saves, and its cost in aborts that it adds and levels that it breaks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from checker.judging.verdict import judge
from checker.search.alphabet import NamedStatement, scenario
from model.outcomes import COMMITTED, NO_COMMIT
from model.preparation import prepare
from model.profiles.base import Profile
from model.scenario import Scenario, Step
from model.simulator import run

SCHEDULE = (Step("begin", "A"), Step("begin", "B"), Step("commit", "B"), Step("commit", "A"))
"""A is the one that commits second and may fail, B the one that commits while it runs."""


@dataclass(frozen=True, slots=True)
class Pair:
    """One ordered pair of statements under two profiles, at one layout and level.

    ``before`` and ``after`` are A's outcomes. ``broken`` tells for each whether the table's level
    is violated by what was committed. ``kinds`` are those of A and B.
    """

    layout: str
    level: str
    kinds: tuple[str, str]
    scenario: Scenario
    before: str
    after: str
    broken: tuple[bool, bool]

    @property
    def saved(self) -> bool:
        """An abort that the second profile turns into a commit."""
        return not _passed(self.before) and _passed(self.after)

    @property
    def lost(self) -> bool:
        """A commit that the second profile turns into an abort."""
        return _passed(self.before) and not _passed(self.after)

    @property
    def breaks(self) -> bool:
        """The second profile breaks the level where the first one keeps it."""
        return self.broken[1] and not self.broken[0]


def compare(
    before: Profile,
    after: Profile,
    layout: str,
    level: str,
    statements: Sequence[NamedStatement],
) -> Iterator[Pair]:
    """Every ordered pair of the statements. Raises InvalidScenario for one that is wrong."""
    for a in statements:
        for b in statements:
            name = f"{a.name}, while {b.name} commits ({layout}, {level})"
            story = scenario(layout, level, {"A": a.sql, "B": b.sql}, SCHEDULE, name)
            old, new = (_trial(story, level, profile) for profile in (before, after))
            workload = prepare(story, before, level)
            kinds = (workload.statements["A"].kind, workload.statements["B"].kind)
            yield Pair(layout, level, kinds, story, old[0], new[0], (old[1], new[1]))


def _trial(story: Scenario, level: str, profile: Profile) -> tuple[str, bool]:
    """A's outcome, and whether the level is violated by what was committed."""
    done = run(prepare(story, profile, level), SCHEDULE, profile)
    outcome = done.ended["A"].outcome
    if any(ended.outcome != COMMITTED for ended in done.ended.values()):
        return outcome, False  # One writer alone breaks nothing.
    return outcome, judge(done.history, (level,))[level].verdict == "violated"


def _passed(outcome: str) -> bool:
    return outcome in (COMMITTED, NO_COMMIT, "read")
