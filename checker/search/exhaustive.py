"""Exhaustive search: every schedule of up to n transactions over an alphabet of statements.

The search walks the tree of commits: a path is a sequence of writers in the order in which they
commit, each with the snapshot that it began with, and readers at any snapshot on the path. So
one path stands for a whole class of schedules (``checker.search.schedules``), schedules with a
common prefix share it, and transactions are named by their place, so that two of one statement are
not told apart. Two more reductions come from what happened:

- a transaction that aborted leaves no trace: the rest is a shorter history, seen already;
- a commit that wrote no version leaves one snapshot: beginning before or after it is the same.

All schedules are counted all the same; ``schedules`` adds up to every interleaving.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import combinations_with_replacement
from math import factorial
from multiprocessing import get_context

from checker.judging import graph
from checker.judging.dependencies import BIT, KINDS, Dependencies, dependencies
from checker.search import alphabet
from checker.search.alphabet import NamedStatement
from checker.search.interrupted import Interrupted
from checker.search.minimal import MinimalFindings, Path
from checker.search.search_result import Coverage, SearchResult
from model.history import History, Transaction
from model.levels import DELTA_LEVELS, PL_3, SNAPSHOT_ISOLATION
from model.outcomes import COMMITTED, NO_COMMIT
from model.physical.log import Snapshot
from model.preparation import prepare
from model.profiles import DEFAULT
from model.profiles.base import Profile
from model.scenario import Step
from model.simulator import InFlight, begin, commit
from model.workload import initial_rows

WRITERS = ("A", "B", "C", "D", "E", "F")
READERS = ("R", "S", "U", "V", "W", "X")
JUDGED = (*DELTA_LEVELS, SNAPSHOT_ISOLATION, PL_3)
"""Delta's levels; what both promise to readers; and whether readers fit into any serial order."""

Progress = Callable[[int, int], None]
"""Called now and then with the schedules seen and the minimal violations found so far."""

Observer = Callable[[Path, History, Mapping[str, str]], None]
"""Called with every history judged, its path, and the levels that it violates with anomalies."""

_BETWEEN_LOOKS = 512
"""Commits between two looks at the clock."""


class Search:
    """Searches over one layout of the alphabet's table, under one profile.

    ``statements`` are those that the layout allows unless given. Raises InvalidScenario for a
    statement that is wrong.
    """

    def __init__(
        self,
        layout: str = "partitioned",
        profile: Profile = DEFAULT,
        statements: Sequence[NamedStatement] | None = None,
    ) -> None:
        self.layout = layout
        self.profile = profile
        self.alphabet = tuple(alphabet.statements(layout) if statements is None else statements)
        texts = {statement.name: statement.sql for statement in self.alphabet}
        steps = [Step(action, name) for name in texts for action in ("begin", "commit")]
        scenario = alphabet.scenario(layout, profile.levels[0], texts, steps, "the alphabet")
        self.workload = prepare(scenario, profile)
        self.statements = tuple(self.workload.statements[s.name] for s in self.alphabet)
        self.initial = initial_rows(self.workload)

    def run(
        self,
        level: str,
        transactions: int = 3,
        *,
        judged: Sequence[str] = JUDGED,
        budget: float | None = None,
        progress: Progress | None = None,
        observer: Observer | None = None,
    ) -> SearchResult:
        """All histories of 1 to ``transactions`` transactions on a table of ``level``.

        ``judged`` are the levels to judge them at. An ``observer`` gets every history, in the
        place of the collection of minimal findings, which stays empty then. ``budget`` in
        seconds ends the search early; the result says that it is not complete. Ctrl-C raises
        Interrupted, with the result so far. Raises ``ValueError`` for a level that the profile does
        not have or for more transactions than there are names.
        """
        if level not in self.profile.levels:
            raise ValueError(f"profile {self.profile.name} has no level {level}")
        if not 1 <= transactions <= len(WRITERS):
            raise ValueError(f"a search takes 1 to {len(WRITERS)} transactions")
        walk = _Walk(self, level, tuple(judged), budget, progress, observer)
        with _no_cycle_collection():
            return walk.run(transactions)


def search_all(
    levels: Sequence[str] = DELTA_LEVELS,
    layouts: Sequence[str] = tuple(alphabet.LAYOUTS),
    transactions: int = 3,
    *,
    profile: Profile = DEFAULT,
    budget: float | None = None,
    progress: Progress | None = None,
    jobs: int = 1,
) -> tuple[SearchResult, ...]:
    """A search for each layout and level, in this order of loops.

    ``budget`` is for all of them together: each gets an equal share of what is left. With
    ``jobs`` > 1 they run in that many processes, the budget is shared out beforehand, and
    progress is told when one of them ends.
    """
    tasks = [(layout, level) for layout in layouts for level in levels]
    if jobs > 1:
        return _in_processes(tasks, transactions, profile, budget, progress, jobs)
    deadline = None if budget is None else time.monotonic() + budget
    results: list[SearchResult] = []
    for place, (layout, level) in enumerate(tasks):
        share = None
        if deadline is not None:
            share = max(0.0, deadline - time.monotonic()) / (len(tasks) - place)
        search = Search(layout, profile)
        so_far = _offset(progress, results)
        results.append(search.run(level, transactions, budget=share, progress=so_far))
    return tuple(results)


def _offset(progress: Progress | None, results: Sequence[SearchResult]) -> Progress | None:
    if progress is None:
        return None
    schedules = sum(result.schedules for result in results)
    findings = sum(result.minimal for result in results)
    return lambda more, violations: progress(schedules + more, findings + violations)


def _in_processes(
    tasks: Sequence[tuple[str, str]],
    transactions: int,
    profile: Profile,
    budget: float | None,
    progress: Progress | None,
    jobs: int,
) -> tuple[SearchResult, ...]:
    rounds = -(-len(tasks) // jobs)
    share = None if budget is None else budget / rounds
    # A forked child of a process with threads (a JVM gateway's, say) may hang; spawn is safe.
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        waiting = [
            pool.submit(_one, layout, level, transactions, profile, share)
            for layout, level in tasks
        ]
        results: list[SearchResult] = []
        for future in waiting:
            results.append(future.result())
            if progress is not None:
                progress(sum(r.schedules for r in results), sum(r.minimal for r in results))
    return tuple(results)


def _one(
    layout: str, level: str, transactions: int, profile: Profile, budget: float | None
) -> SearchResult:
    return Search(layout, profile).run(level, transactions, budget=budget)


@contextmanager
def _no_cycle_collection() -> Iterator[None]:
    """Pauses Python's search for garbage in cycles.

    A walk builds trees, which go by reference counts; looking for cycles among their many
    objects again and again takes two fifths of the time.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


class _OutOfTime(Exception):
    """The budget is used up."""


class _Node:
    """A place on a path: a snapshot, and the transactions that began there, by name."""

    __slots__ = ("running", "snapshot")

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self.running: dict[tuple[int, str], _Running] = {}


class _Running:
    """A transaction in flight and what it becomes in a history, by commit version.

    One that commits after winners that left its files alone is the same transaction whoever
    they were: sharing the object lets the graph share what it knows of it.
    """

    __slots__ = ("in_flight", "logical")

    def __init__(self, in_flight: InFlight) -> None:
        self.in_flight = in_flight
        self.logical: dict[int | None, Transaction] = {}


@dataclass(slots=True)
class _Judged:
    """The levels that histories with one graph violate, and how many of them there were."""

    violated: dict[str, str]
    graph: Dependencies
    histories: int = 0


class _Walk:
    """One run of a search."""

    def __init__(
        self,
        search: Search,
        level: str,
        judged: tuple[str, ...],
        budget: float | None,
        progress: Progress | None,
        observer: Observer | None = None,
    ) -> None:
        self.observer = observer
        self.search = search
        self.level = level
        self.judged = judged
        self.progress = progress
        self.started = time.monotonic()
        self.budget = budget
        self.deadline = None if budget is None else self.started + budget
        self.looks = 0
        kinds = [statement.kind for statement in search.statements]
        readers = [statement.reads_only for statement in search.statements]
        self.kinds = kinds
        self.writers = tuple(i for i, reads in enumerate(readers) if not reads)
        self.readers = tuple(i for i, reads in enumerate(readers) if reads)
        self.base = _Node(search.workload.base)
        self.schedules = self.runs = self.histories = 0
        self.coverage = Coverage.empty()
        self.verdicts: dict[tuple[int, int, tuple[int, ...]], _Judged] = {}
        self.minimal = MinimalFindings(
            search.layout, level, search.profile, search.alphabet, kinds, WRITERS, READERS
        )

    def run(self, transactions: int) -> SearchResult:
        finished = 0
        try:
            for size in range(1, transactions + 1):
                for writers in range(size, -1, -1):
                    _Pass(self, writers, size - writers).extend((self.base,), (), (), (), 1)
                finished = size
        except _OutOfTime:
            pass  # the result tells how far the search came
        except KeyboardInterrupt:
            raise Interrupted(self._result(transactions, finished)) from None
        return self._result(transactions, finished)

    def _result(self, transactions: int, finished: int) -> SearchResult:
        coverage = self.coverage
        violations = dict.fromkeys(self.judged, 0)
        for judged in self.verdicts.values():
            present = 0
            for mask in judged.graph.masks:
                present |= mask
            for kind in KINDS:
                if present & BIT[kind]:
                    coverage.edge_kinds[kind.value] += judged.histories
            for level, anomaly in judged.violated.items():
                violations[level] += judged.histories
                coverage.anomalies[level, anomaly] += judged.histories
        findings = self.minimal.findings()
        return SearchResult(
            profile=self.search.profile.name,
            layout=self.search.layout,
            level=self.level,
            transactions=transactions,
            finished=finished,
            statements=len(self.search.alphabet),
            schedules=self.schedules,
            runs=self.runs,
            histories=self.histories,
            violations=violations,
            findings=findings,
            coverage=coverage,
            bounds=self.minimal.bounds(self.judged, finished),
            complete=finished == transactions,
            seconds=time.monotonic() - self.started,
        )

    def look_at_clock(self) -> None:
        """Tells progress and ends the search when its time is over, now and then."""
        self.looks += 1
        if self.looks % _BETWEEN_LOOKS:
            return
        if self.deadline is not None and time.monotonic() > self.deadline:
            raise _OutOfTime
        if self.progress is not None:
            self.progress(self.schedules, self.minimal.count)

    def judge(self, path: Path, transactions: tuple[Transaction, ...], last: Snapshot) -> None:
        """Judges one history by its graph, once for all histories with the same graph."""
        search = self.search
        history = History(
            search.workload.table.name,
            search.workload.base.version,
            search.initial,
            transactions,
            last.rows(),
        )
        conflicts = dependencies(history)
        key = (len(conflicts.nodes), conflicts.writers, conflicts.masks)
        judged = self.verdicts.get(key)
        if judged is None:
            verdicts = [graph.decide(conflicts, level) for level in self.judged]
            violated = {v.level: v.anomaly or "" for v in verdicts if v.cycle}
            judged = self.verdicts[key] = _Judged(violated, conflicts)
        judged.histories += 1
        self.histories += 1
        if self.observer is not None:
            self.observer(path, history, judged.violated)
        elif judged.violated:
            self.minimal.add(path, history, judged.violated)


class _Pass:
    """The walk over all histories of so many writers and so many readers."""

    def __init__(self, walk: _Walk, writers: int, readers: int) -> None:
        self.walk = walk
        self.count = writers
        self.combinations = tuple(combinations_with_replacement(walk.readers, readers))
        # Schedules for one choice of writers and begins up to each depth, all else left open.
        self.open = tuple(
            len(walk.writers) ** (writers - depth)
            * completions(depth, writers)
            * readings(writers, readers)
            * len(walk.readers) ** readers
            // factorial(readers)
            for depth in range(writers + 1)
        )

    def extend(
        self,
        nodes: tuple[_Node, ...],
        chosen: tuple[int, ...],
        begins: tuple[int, ...],
        done: tuple[Transaction, ...],
        weight: int,
    ) -> None:
        """Goes on with every writer that may commit next, from every snapshot there is.

        ``nodes`` has the places that ``chosen`` writers with ``begins`` lead to; ``weight`` is
        the number of ways in which their steps may follow each other.
        """
        if len(chosen) == self.count:
            self._end(nodes, chosen, begins, done, weight)
            return
        walk = self.walk
        search = walk.search
        depth = len(chosen)
        name, here = WRITERS[depth], nodes[-1]
        last = depth + 1 == self.count
        for index in walk.writers:
            statement = search.statements[index]
            for slot, node in enumerate(nodes):
                ways = weight * (begins.count(slot) + 1)
                if slot and node is nodes[slot - 1]:
                    walk.schedules += ways * self.open[depth + 1]
                    continue
                walk.look_at_clock()
                running = node.running.get((index, name))
                if running is None:
                    others = search.workload.others
                    in_flight = begin(name, statement, node.snapshot, others, search.profile)
                    running = node.running[index, name] = _Running(in_flight)
                ended = commit(running.in_flight, here.snapshot, search.profile, walk.level)
                self._count(ended.outcome, index, nodes, slot, chosen)
                if last:
                    walk.runs += 1
                if ended.conflict is not None:
                    kind = walk.kinds[chosen[WRITERS.index(ended.conflict.winner)]]
                    walk.coverage.conflicts[ended.outcome, walk.kinds[index], kind] += 1
                if ended.outcome not in (COMMITTED, NO_COMMIT):
                    walk.schedules += ways * self.open[depth + 1]
                    continue
                logical = ended.logical
                if logical.changes is running.in_flight.execution.changes or not logical.writes:
                    logical = running.logical.setdefault(logical.commit_version, logical)
                after = here if ended.latest is here.snapshot else _Node(ended.latest)
                self.extend(
                    (*nodes, after), (*chosen, index), (*begins, slot), (*done, logical), ways
                )

    def _count(
        self, outcome: str, index: int, nodes: tuple[_Node, ...], slot: int, chosen: tuple[int, ...]
    ) -> None:
        walk = self.walk
        walk.coverage.outcomes[outcome] += 1
        kind = walk.kinds[index]
        for place in range(slot, len(chosen)):
            if nodes[place + 1] is not nodes[place]:
                walk.coverage.pairs[kind, walk.kinds[chosen[place]]] += 1

    def _end(
        self,
        nodes: tuple[_Node, ...],
        chosen: tuple[int, ...],
        begins: tuple[int, ...],
        done: tuple[Transaction, ...],
        weight: int,
    ) -> None:
        """The writers are through: adds readers at every snapshot, and judges."""
        walk = self.walk
        walk.schedules += weight * self.open[self.count]
        snapshot = nodes[-1].snapshot
        if self.combinations == ((),):
            walk.judge(Path(chosen, begins, (), ()), done, snapshot)
            return
        places = [
            slot for slot, node in enumerate(nodes) if not slot or node is not nodes[slot - 1]
        ]
        for combination in self.combinations:
            for slots in reader_slots(combination, places):
                readers = tuple(
                    self._read(READERS[i], index, nodes[slot])
                    for i, (index, slot) in enumerate(zip(combination, slots, strict=True))
                )
                walk.runs += 1
                walk.judge(Path(chosen, begins, combination, slots), (*done, *readers), snapshot)

    def _read(self, name: str, index: int, node: _Node) -> Transaction:
        walk = self.walk
        walk.look_at_clock()
        running = node.running.get((index, name))
        if running is None:
            search = walk.search
            statement = search.statements[index]
            others = search.workload.others
            running = _Running(begin(name, statement, node.snapshot, others, search.profile))
            ended = commit(running.in_flight, node.snapshot, search.profile, walk.level)
            walk.coverage.outcomes[ended.outcome] += 1
            running.logical[None] = ended.logical
            node.running[index, name] = running
        return running.logical[None]


def reader_slots(readers: Sequence[int], places: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Every choice of snapshots for readers; two of one statement are not told apart."""
    if not readers:
        yield ()
        return
    for slots in reader_slots(readers[:-1], places):
        for place in places:
            if len(readers) > 1 and readers[-1] == readers[-2] and place < slots[-1]:
                continue
            yield (*slots, place)


@cache
def completions(depth: int, writers: int) -> int:
    """Ways to add the steps of the writers from ``depth`` on: each begin in any earlier gap."""
    ways = 1
    for placed in range(depth, writers):
        ways *= 2 * placed + 1
    return ways


@cache
def readings(writers: int, readers: int) -> int:
    """Ways to add the steps of readers, told apart, to a schedule of writers."""
    steps, all_steps = 2 * writers, 2 * (writers + readers)
    return int(factorial(all_steps) // (factorial(steps) * 2**readers))
