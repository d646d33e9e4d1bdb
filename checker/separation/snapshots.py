"""The smallest histories of snapshots that separate the levels of a Delta table.

The levels are told apart by what they mean, not by what any engine does: the histories are those
of an engine without conflict rules, over a part of the alphabet with item and predicate reads,
readers, and both kinds of writes. If no history separates two levels, the table of levels or a
proof about histories of snapshots (``model.levels.snapshots``) gives the reason; otherwise the
answer holds up to the number of transactions that were examined.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import permutations

from checker.judging import graph, solver
from checker.judging.dependencies import dependencies
from checker.judging.verdict import Verdict, judge
from checker.search import alphabet
from checker.search.exhaustive import READERS, WRITERS, Progress, Search
from checker.search.minimal import Path
from checker.search.schedules import ScheduleClass
from checker.search.shrinking import minimise
from checker.separation.result import Reason, SeparatingHistory, Separation, SeparationResult
from model.history import History
from model.levels import LEVELS, WRITE_SERIALIZABLE, implies
from model.levels.snapshots import implies_on_snapshots
from model.preparation import run_scenario
from model.profiles import NO_RULES
from model.scenario import Scenario
from model.simulator import Run

STATEMENTS = (
    *("append to 1", "sum of 1 into 2", "sum of 2 into 1", "count everything", "delete 1"),
    *("raise 1", "raise everything", "move 1 to 2", "move 2 to 1", "read everything", "read 1"),
)


@dataclass(frozen=True, eq=False)
class SnapshotHistory(SeparatingHistory):
    """A separating history: a scenario that runs without any engine's conflict rules."""

    scenario: Scenario

    @cached_property
    def run(self) -> Run:
        """The run of the scenario without rules."""
        return run_scenario(self.scenario, NO_RULES)

    @property
    def history(self) -> History:
        """The history of that run."""
        return self.run.history

    @cached_property
    def judged(self) -> Mapping[str, Verdict]:
        """The verdict at each level, with the readings of those that promise a serial order."""
        return judge(self.history, tuple(LEVELS))

    @property
    def size(self) -> int:
        """The number of transactions."""
        return len(self.scenario.transactions)

    @cached_property
    def verdicts(self) -> Mapping[str, bool]:
        """Whether it holds each level."""
        conflicts = dependencies(self.history)
        return {level: graph.decide(conflicts, level).verdict == "holds" for level in LEVELS}

    def confirmed_by(self, expected: Mapping[str, bool]) -> tuple[str, ...]:
        """Those of graph, solver and definition that agree with the expected verdicts.

        The definition decides levels that promise a serial order, and cannot contradict a
        violation: it confirms what holds.
        """
        return tuple(name for name, agrees in self._decided(expected) if agrees)

    def _decided(self, expected: Mapping[str, bool]) -> Iterator[tuple[str, bool]]:
        words = {level: "holds" if holds else "violated" for level, holds in expected.items()}
        verdicts = self.judged
        yield "graph", all(verdicts[level].verdict == word for level, word in words.items())
        yield (
            "solver",
            all(solver.judge(self.history, level).verdict == word for level, word in words.items()),
        )
        readings = [
            reading.verdict == "holds"
            for level, holds in expected.items()
            if holds
            for reading in (verdicts[level].view, verdicts[level].final_state)
            if reading is not None
        ]
        yield "definition", bool(readings) and all(readings)


SnapshotSeparation = Separation[SnapshotHistory]


@dataclass(frozen=True)
class SnapshotSeparations(SeparationResult[SnapshotHistory]):
    """Every ordered pair of different levels, and how far the search went.

    ``finished`` is the largest number of transactions for which every history was examined;
    ``histories`` and ``schedules`` count those examined over ``statements`` statements.
    """

    finished: int
    statements: int
    schedules: int
    histories: int

    @property
    def complete(self) -> bool:
        """Whether every history was examined."""
        return self.finished == self.transactions


def separations(
    transactions: int = 3, statements: Sequence[str] = STATEMENTS
) -> tuple[SnapshotSeparation, ...]:
    """Every ordered pair of different levels, in the order of the table."""
    return separate(transactions, statements).separations


def separate(
    transactions: int = 3,
    statements: Sequence[str] = STATEMENTS,
    *,
    budget: float | None = None,
    progress: Progress | None = None,
) -> SnapshotSeparations:
    """Separates every ordered pair of different levels, as far as possible.

    All histories of up to ``transactions`` over ``statements`` (by their names in the alphabet)
    are examined; the fewest transactions win, then the fewest steps, then the shortest SQL.
    The winners are then minimised: set-up rows and conditions that do not matter are dropped.
    ``budget`` in seconds ends the search early.
    """
    started = time.monotonic()
    chosen = [alphabet.named(name) for name in statements]
    best: dict[tuple[str, str], tuple[tuple[object, ...], Path, str]] = {}
    seen: dict[frozenset[str], tuple[object, ...]] = {}

    def note(path: Path, history: History, violated: Mapping[str, str]) -> None:
        if not violated:
            return
        size = _size(path, chosen)
        broken = frozenset(violated)
        if broken in seen and seen[broken] <= size:
            return
        seen[broken] = size
        for level, anomaly in violated.items():
            for held in LEVELS.keys() - broken:
                smallest = best.get((held, level))
                if smallest is None or size < smallest[0]:
                    best[held, level] = (size, path, anomaly)

    search = Search("partitioned", NO_RULES, chosen)
    result = search.run(
        WRITE_SERIALIZABLE,
        transactions,
        judged=tuple(LEVELS),
        budget=budget,
        progress=progress,
        observer=note,
    )
    separated = tuple(_separations(best, chosen, result.finished))
    return SnapshotSeparations(
        tuple(LEVELS),
        separated,
        transactions,
        time.monotonic() - started,
        finished=result.finished,
        statements=len(chosen),
        schedules=result.schedules,
        histories=result.histories,
    )


def _separations(
    best: Mapping[tuple[str, str], tuple[tuple[object, ...], Path, str]],
    chosen: Sequence[alphabet.NamedStatement],
    finished: int,
) -> Iterator[SnapshotSeparation]:
    by_path: dict[Path, SnapshotHistory] = {}
    by_text: dict[tuple[object, ...], SnapshotHistory] = {}
    for held, violated in permutations(LEVELS, 2):
        if (held, violated) not in best:
            reason = _why_not_separated(held, violated)
            yield Separation(held, violated, finished, reason=reason)
            continue
        _, path, anomaly = best[held, violated]
        if path not in by_path:
            scenario = _smaller(_scenario(path, chosen))
            texts = tuple(scenario.transactions.items())
            same = (scenario.table.setup, texts, scenario.schedule)
            by_path[path] = by_text.setdefault(same, SnapshotHistory(scenario))
        yield Separation(held, violated, finished, by_path[path], anomaly)


def _why_not_separated(held: str, violated: str) -> Reason:
    if implies(held, violated):
        return "implied"
    return "proved for snapshots" if implies_on_snapshots(held, violated) else "equal"


def _size(path: Path, chosen: Sequence[alphabet.NamedStatement]) -> tuple[object, ...]:
    # A writer that begins in the last slot before its commit takes only one step.
    late = sum(begin == place for place, begin in enumerate(path.begins))
    steps = 2 * len(path.writers) - late + len(path.readers)
    length = sum(len(chosen[i].sql) for i in path.statements)
    return (len(path.statements), steps, length, path.statements, path.begins)


def _scenario(path: Path, chosen: Sequence[alphabet.NamedStatement]) -> Scenario:
    writers, readers = WRITERS[: len(path.writers)], READERS[: len(path.readers)]
    texts = {
        name: chosen[i].sql for name, i in zip((*writers, *readers), path.statements, strict=True)
    }
    schedule = ScheduleClass(writers, path.begins, readers, path.reader_begins).representative
    return alphabet.scenario("partitioned", WRITE_SERIALIZABLE, texts, schedule, "separation")


def _smaller(scenario: Scenario) -> Scenario:
    """The scenario without the parts that do not matter for any level's verdict."""
    wanted = _told_apart(scenario)

    def still(candidate: Scenario) -> bool:
        return _told_apart(candidate) == wanted

    setup = tuple(text for text in scenario.table.setup if "NULL" not in text)
    plain = replace(scenario, table=replace(scenario.table, setup=setup))
    return minimise(plain if still(plain) else scenario, still)


def _told_apart(scenario: Scenario) -> tuple[list[str], dict[str, str | None]]:
    """The transactions that change rows, and the levels violated, with the anomalies."""
    history = run_scenario(scenario, NO_RULES).history
    conflicts = dependencies(history)
    verdicts = {level: graph.decide(conflicts, level) for level in LEVELS}
    changing = [transaction.name for transaction in history.transactions if transaction.changes]
    return changing, {
        level: verdict.anomaly for level, verdict in verdicts.items() if verdict.cycle
    }
