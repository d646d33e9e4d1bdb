"""The conflicts of pairs of jobs, by which of their parameters are equal.

The model decides them: for each pattern of equal and different values some instances of the two
jobs run in the schedule in which one misses the other's commit, on the table of the set-up and on
tables with more rows. A pattern counts as a conflict if any of these runs ends in one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from checker.robustness.histories import Stage
from checker.robustness.jobs.domain import instances
from checker.robustness.jobs.workload import Instance, Jobs
from checker.robustness.other_rows import with_other_rows
from checker.robustness.search import MISSED

MOST_RUNS = 6
"""The most pairs of instances that are run for one pattern and table."""

MOST_COLUMNS = 4
"""The most columns whose values are told apart as equal or different; of more, the first."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Whether a run of one job fails because of one of another that commits before it.

    ``columns`` are those that parameters of both stand for. ``conflicts`` has the patterns that end
    in a conflict: for each column whether the values are equal.
    """

    columns: tuple[str, ...]
    conflicts: frozenset[tuple[bool, ...]]

    def probability(self, same: Mapping[str, float]) -> float:
        """The probability of a conflict, if values of different columns are independent."""
        total = 0.0
        for pattern in self.conflicts:
            share = 1.0
            for column, equal in zip(self.columns, pattern, strict=True):
                often = same.get(column, 1.0)
                share *= often if equal else 1.0 - often
            total += share
        return total


def pairs(jobs: Jobs) -> dict[tuple[str, str], Pair]:
    """Every ordered pair of writing jobs: the one that may fail, and the winner.

    A job of which only an outline is known conflicts whenever its outline allows it. Raises
    InvalidScenario with the place of a job whose SQL is wrong.
    """
    tried = instances(jobs)
    stages = [
        Stage(jobs, in_order=False),
        *(Stage(other, in_order=False) for other in with_other_rows(jobs)),
    ]
    writing = [name for name, some in tried.items() if not jobs.statement(some[0].sql).reads_only]
    made = {
        (current, winner): _pair(jobs, stages, tried[current], tried[winner])
        for current, winner in product(writing, writing)
    }
    outlines = {name: one for name, one in jobs.widening.outlines.items() if one.writes}
    everything = Pair((), frozenset({()}))
    for current, winner in product((*writing, *outlines), repeat=2):
        if (current, winner) in made:
            continue
        mine = outlines.get(current)
        made[current, winner] = everything if mine is None or not mine.blind else _NEVER
    return made


_NEVER = Pair((), frozenset())


def _pair(
    jobs: Jobs, stages: Sequence[Stage], mine: Sequence[Instance], others: Sequence[Instance]
) -> Pair:
    here, there = _columns(jobs, mine[0].job), _columns(jobs, others[0].job)
    columns = tuple(sorted(here.keys() & there.keys()))[:MOST_COLUMNS]
    conflicts = set()
    for pattern in product((True, False), repeat=len(columns)):
        fitting = [
            (one, other)
            for one, other in product(mine, others)
            if all(
                equal == (one.values[here[column]] == other.values[there[column]])
                for column, equal in zip(columns, pattern, strict=True)
            )
        ]
        if any(_conflict(stage, pair) for pair in fitting[:MOST_RUNS] for stage in stages):
            conflicts.add(pattern)
    return Pair(columns, frozenset(conflicts))


def _columns(jobs: Jobs, job: str) -> dict[str, str]:
    """The parameter of a job that stands for each column, by the column's name."""
    parameters = jobs.templates[job].parameters
    return {column: p.name for p in reversed(parameters) for column in reversed(p.columns)}


def _conflict(stage: Stage, group: Sequence[Instance]) -> bool:
    return stage.play(group, MISSED)[0].conflict is not None
