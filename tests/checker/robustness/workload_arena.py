"""Brute force over the schedules of a few runs of a drawn workload, by the simulator itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from random import Random
from typing import Any

from checker.judging import graph
from checker.judging.dependencies import dependencies
from model.errors import InvalidScenario
from model.history import History
from model.outcomes import SUCCEEDED
from model.physical.log import Snapshot
from model.preparation import prepare
from model.profiles import DEFAULT
from model.scenario import Scenario, Step
from model.simulator import Ended, InFlight, begin, commit, history_of
from model.workload import Workload
from tests.checker.robustness.workload_fuzz import Drawn, Fuzz

SERIAL = "PL-3"

SchedulePlay = tuple[tuple[str, int], ...]

BESIDE: SchedulePlay = (
    *(("begin", 0), ("begin", 1), ("commit", 1)),
    *(("begin", 2), ("commit", 2), ("commit", 0)),
)
"""The first runs while the others begin and commit one after the other."""


def schedules(count: int) -> list[SchedulePlay]:
    """All orders of the beginnings and commits of so many transactions."""

    def extend(done: SchedulePlay) -> Iterator[SchedulePlay]:
        if len(done) == 2 * count:
            yield done
            return
        for number in range(count):
            events = [event for event, who in done if who == number]
            if len(events) < 2:
                yield from extend((*done, (("begin", "commit")[len(events)], number)))

    return list(extend(()))


EVERY = tuple(schedules(3))


@dataclass
class Arena:
    """Plays runs of one workload on the table that its set-up leaves."""

    drawn: Drawn
    texts: Sequence[str]
    played: int = 0
    _begun: dict[tuple[str, int], InFlight] = field(default_factory=dict)

    @cached_property
    def workload(self) -> Workload:
        """The runs, ready. Raises InvalidScenario."""
        names = {f"run{number}": text for number, text in enumerate(self.texts)}
        steps = [Step(action, name) for name in names for action in ("begin", "commit")]
        scenario = Scenario("fuzz", self.drawn.table, names, tuple(steps), dict(self.drawn.tables))
        return prepare(scenario, DEFAULT)

    def ended(self, group: Sequence[int], play: SchedulePlay) -> list[Ended]:
        """How the runs of a group end under a schedule."""
        self.played += 1
        given = self.workload
        latest: Snapshot = given.base
        running: dict[int, InFlight] = {}
        found: list[Ended] = []
        for action, number in play:
            if action == "begin":
                running[number] = self._begin("ABC"[number], group[number], latest)
            else:
                ended = commit(running[number], latest, DEFAULT, given.level)
                found.append(ended)
                latest = ended.latest
        return found

    def violated_beside(self, second: int, third: int) -> Iterator[int]:
        """The runs that, beside two others as in ``BESIDE``, leave a cycle."""
        given = self.workload
        inner = commit(self._begin("B", second, given.base), given.base, DEFAULT, given.level)
        running = self._begin("C", third, inner.latest)
        later = commit(running, inner.latest, DEFAULT, given.level)
        for first in range(len(self.texts)):
            self.played += 1
            running = self._begin("A", first, given.base)
            outer = commit(running, later.latest, DEFAULT, given.level)
            if self.violated((inner, later, outer)):
                yield first

    def _begin(self, name: str, run: int, latest: Snapshot) -> InFlight:
        given = self.workload
        if latest is not given.base:
            return begin(name, given.statements[f"run{run}"], latest, given.others, DEFAULT)
        key = name, run
        if key not in self._begun:
            statement = given.statements[f"run{run}"]
            self._begun[key] = begin(name, statement, latest, given.others, DEFAULT)
        return self._begun[key]

    def violated(self, ended: Sequence[Ended], level: str = SERIAL) -> bool:
        """Whether those that ended well have a cycle."""
        history = self.history(ended)
        if len(history.transactions) < 2:
            return False
        return graph.decide(dependencies(history), level).verdict == "violated"

    def history(self, ended: Sequence[Ended]) -> History:
        """Those that ended well, as a history."""
        good = [each for each in ended if each.outcome in SUCCEEDED]
        return history_of(self.workload, good, ended[-1].latest)

    def shown(self, group: Sequence[int], play: SchedulePlay) -> str:
        """A group in a schedule, to be read in a failure."""
        steps = ", ".join(f"{action} {'ABC'[number]}" for action, number in play)
        texts = "; ".join(f"{'ABC'[n]}: {self.texts[run]}" for n, run in enumerate(group))
        table = self.drawn.table
        return f"{dict(table.columns)} {table.partition_by} {table.setup} | {texts} | {steps}"


def violations(
    arena: Arena, random: Random, most_beside: int, most_every: int
) -> Iterator[tuple[tuple[int, ...], SchedulePlay]]:
    """Groups of three runs and schedules that leave a cycle.

    The schedule in which one runs beside two others is tried for all groups, or for so many of
    them; all schedules for a few groups.
    """
    runs = range(len(arena.texts))
    pairs = list(product(runs, repeat=2))
    random.shuffle(pairs)
    for pair in pairs[: -(-most_beside // len(runs))]:
        for first in arena.violated_beside(*pair):
            yield (first, *pair), BESIDE
    groups = list(product(runs, repeat=3))
    for group in random.sample(groups, min(most_every, len(groups))):
        for play in EVERY:
            if arena.violated(arena.ended(group, play)):
                yield group, play


def drawn(seed: int, most_runs: int = 3) -> tuple[Drawn, dict[str, list[Any]], Arena] | None:
    """The workload of a seed, its runs, and where to play them; None where it is not valid SQL."""
    random = Random(seed)
    workload = Fuzz(random).workload()
    runs = workload.runs(random, most_runs)
    kept: dict[str, list[Any]] = {}
    for job, some in runs.items():
        kept[job] = [run for run in some if _valid(workload, run[1])]
    if not all(kept.values()):
        return None
    texts = [sql for some in kept.values() for _, sql in some]
    arena = Arena(workload, texts)
    try:
        assert arena.workload
    except InvalidScenario:
        return None
    return workload, kept, arena


def _valid(workload: Drawn, text: str) -> bool:
    try:
        assert Arena(workload, [text]).workload
    except InvalidScenario:
        return False
    return True
