"""Runs of a few instances in the model, under given schedules, and their judging."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from checker.judging import graph
from checker.judging.dependencies import dependencies
from checker.robustness.jobs.domain import values
from checker.robustness.jobs.workload import Instance, Jobs
from checker.robustness.readings import Readings, of_cycle
from model.history import History
from model.levels import DELTA_LEVELS, PL_3
from model.outcomes import SUCCEEDED
from model.physical.log import Snapshot
from model.preparation import run_scenario
from model.scenario import Expectation, Scenario, Step
from model.simulator import Ended, InFlight, Run, begin, commit
from model.statements import Statement
from model.workload import initial_rows

MOST_REMEMBERED = 20_000
"""The most beginnings that a stage remembers."""

SERIAL = PL_3
"""The level that a history satisfies if some serial order of all its transactions explains it."""

Play = Sequence[tuple[str, int]]
"""A schedule over numbered transactions: ("begin" or "commit", number)."""


@dataclass(frozen=True, slots=True)
class Found:
    """The result of a search: instances, and their history as a scenario.

    ``readings`` says which readings of the level the history breaks; None if the search was for
    something else. ``run`` is the history's run in the model; it is None where another process
    found the history, since a run holds functions, which cannot be pickled.
    """

    instances: tuple[Instance, ...]
    scenario: Scenario
    readings: Readings | None = None
    run: Run | None = field(default=None, compare=False, repr=False)

    def __reduce__(self) -> tuple[type[Found], tuple[object, ...]]:
        return Found, (self.instances, self.scenario, self.readings)

    @property
    def transactions(self) -> int:
        return len(self.instances)


class Stage:
    """Runs instances of one workload from the end of its set-up.

    With ``in_order`` each instance comes after the earlier statements of its run; without, the
    table may be as any of them leave it.
    """

    def __init__(self, jobs: Jobs, *, in_order: bool = True) -> None:
        self.jobs = jobs
        self.in_order = in_order
        self.runs = 0
        self._begun: dict[tuple[int, str, str], InFlight] = {}
        self._first: dict[tuple[str, str], Ended] = {}
        self._kept: dict[int, Snapshot] = {id(jobs.base): jobs.base}

    def begin(self, name: str, sql: str, at: Snapshot) -> InFlight:
        """An instance between begin and commit; remembered on the first snapshots.

        Begin and commit depend on nothing but what they are given, and plays have their first
        commits in common.
        """
        if self._kept.get(id(at)) is not at:
            return self._began(name, sql, at)
        key = (id(at), name, sql)
        if key not in self._begun:
            if len(self._begun) >= MOST_REMEMBERED:
                self._begun.clear()
            self._begun[key] = self._began(name, sql, at)
        return self._begun[key]

    def _commit(self, running: InFlight, sql: str, latest: Snapshot) -> Ended:
        """The end of an instance; remembered if its commit is the first."""
        profile, level = self.jobs.profile, self.jobs.level
        if latest is not self.jobs.base:
            return commit(running, latest, profile, level)
        key = (running.name, sql)
        if key not in self._first:
            ended = self._first[key] = commit(running, latest, profile, level)
            self._kept[id(ended.latest)] = ended.latest
        return self._first[key]

    def _began(self, name: str, sql: str, at: Snapshot) -> InFlight:
        return begin(name, self._statement(sql, at), at, self.jobs.others, self.jobs.profile)

    def _statement(self, sql: str, at: Snapshot) -> Statement:
        if at.table == self.jobs.target:
            return self.jobs.statement(sql)
        return self.jobs.prepared([Instance("", {}, sql)]).statement(sql, at.table)

    def play(self, instances: Sequence[Instance], steps: Play) -> dict[int, Ended]:
        """The end of each instance under a schedule, by its number."""
        self.runs += 1
        latest = self.jobs.base
        running: dict[int, InFlight] = {}
        ended: dict[int, Ended] = {}
        earlier = self.earlier(instances)
        for action, number in (*_opening(earlier), *steps):
            late = number >= FIRST_EARLIER
            instance = earlier[number - FIRST_EARLIER] if late else instances[number]
            if action == "begin":
                running[number] = self.begin(_name(number), instance.sql, latest)
            else:
                ended[number] = self._commit(running[number], instance.sql, latest)
                latest = ended[number].latest
        return ended

    def earlier(self, instances: Sequence[Instance]) -> tuple[Instance, ...]:
        """The runs of statements that come before these instances, in the same runs of jobs."""
        before = self.jobs.widening.before
        if not before or not self.in_order:
            return ()
        return tuple(
            self._earlier(name, instance)
            for instance in instances
            for name in before.get(instance.job, ())
        )

    def _earlier(self, job: str, instance: Instance) -> Instance:
        """An instance of ``job`` in the run that ``instance`` belongs to: with its parameters."""
        template = self.jobs.templates[job]
        given = {
            parameter.name: instance.values.get(parameter.name, values(self.jobs, parameter)[0])
            for parameter in template.parameters
        }
        return Instance(job, given, template.filled(given))

    def violates(self, ended: Mapping[int, Ended], level: str) -> bool:
        """Whether the transactions that succeeded violate a level."""
        history = self.history(ended)
        if len(history.transactions) < 2:
            return False
        return bool(graph.decide(dependencies(history), level).cycle)

    def readings(self, ended: Mapping[int, Ended], level: str) -> Readings | None:
        """The readings of a level for the transactions that succeeded; None if they satisfy it."""
        return of_cycle(self.history(ended), level) if self.violates(ended, level) else None

    def history(self, ended: Mapping[int, Ended]) -> History:
        """The history of the transactions that succeeded."""
        good = [end.logical for end in ended.values() if end.outcome in SUCCEEDED]
        last = max(ended.values(), key=lambda end: end.latest.version).latest
        table = self.jobs.target.name
        base = self.jobs.base.version
        return History(table, base, self._initial, tuple(good), last.rows())

    @cached_property
    def _initial(self) -> Mapping[str, Mapping[tuple[str, int], tuple[object, ...]]]:
        return initial_rows(self.jobs.prepared(()))

    def found(
        self,
        title: str,
        instances: Sequence[Instance],
        steps: Play,
        readings: Readings | None = None,
    ) -> Found:
        """A schedule as a scenario, with its result in the model as the expectation."""
        earlier = self.earlier(instances)
        all_instances = (*earlier, *instances)
        names = unique([instance.job for instance in all_instances])

        def name(number: int) -> str:
            if number >= FIRST_EARLIER:
                return names[number - FIRST_EARLIER]
            return names[number + len(earlier)]

        scenario = self.jobs.scenario(
            title,
            {name: instance.sql for name, instance in zip(names, all_instances, strict=True)},
            (
                Step(action, name(number))  # type: ignore[arg-type]
                for action, number in (*_opening(earlier), *steps)
            ),
        )
        done = run_scenario(scenario, self.jobs.profile, self.jobs.level)
        return Found(all_instances, expecting(scenario, done), readings, done)


NAMES = tuple("ABCDEFGH")

FIRST_EARLIER = 100
"""From this number on, transactions of a play are earlier statements of its runs."""


def _opening(earlier: Sequence[Instance]) -> Play:
    """Steps before all others: the earlier statements of each run, one after the other."""
    numbers = range(FIRST_EARLIER, FIRST_EARLIER + len(earlier))
    return tuple((action, n) for n in numbers for action in ("begin", "commit"))


def _name(number: int) -> str:
    return NAMES[number] if number < FIRST_EARLIER else f"earlier{number}"


ODD = 20
"""The number of characters that an odd value adds to the length of an instance's SQL."""


def expecting(scenario: Scenario, done: Run) -> Scenario:
    """The scenario with its run in the model as the expectation."""
    conflicts = dependencies(done.history)
    levels = {
        level: graph.decide(conflicts, level).verdict
        for level in dict.fromkeys((*DELTA_LEVELS, SERIAL))
    }
    outcomes = {name: ended.outcome for name, ended in done.ended.items()}
    expect = Expectation({name: outcomes[name] for name in scenario.transactions}, None, levels)
    return replace(scenario, expect=expect)


def unique(jobs: Iterable[str]) -> list[str]:
    """Names of transactions for jobs, numbered if a job occurs more than once."""
    names: list[str] = []
    for job in jobs:
        plain = re.sub(r"[^\w.-]+", "_", job) or "job"
        if re.fullmatch(r"setup\d*", plain):
            plain = f"job_{plain}"
        number, name = 1, plain
        while name in names:
            number += 1
            name = f"{plain}_{number}"
        names.append(name)
    return names


def shortest(groups: Iterable[Sequence[Instance]]) -> Iterator[tuple[Instance, ...]]:
    """Groups of instances, those with the shortest SQL first. The value '' counts as odd."""

    def length(instance: Instance) -> int:
        return len(instance.sql) + ODD * ("" in instance.values.values())

    tuples = [tuple(group) for group in groups]
    tuples.sort(key=lambda group: sum(map(length, group)))
    return iter(tuples)
