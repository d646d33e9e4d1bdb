"""For every pair of levels a smallest history that one admits and the other forbids.

The levels are told apart by what they mean, not by what any engine does: the histories are those
of an engine without conflict rules, over a part of the alphabet with reads of items and of
predicates, readers, and writes of either kind. Where there is no such history, the table of
levels or a proof about histories of snapshots (``model.levels.snapshots``) says why, or else it is
a matter of how many transactions were looked at.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from typing import Literal

from checker.judging import graph, solver
from checker.judging.dependencies import dependencies
from checker.judging.verdict import judge
from checker.search import alphabet
from checker.search.exhaustive import READERS, WRITERS, Progress, Search
from checker.search.minimal import Path
from checker.search.schedules import ScheduleClass
from checker.search.shrinking import minimise
from model.history import History
from model.levels import LEVELS, WRITE_SERIALIZABLE, implies
from model.levels.snapshots import implies_on_snapshots
from model.preparation import run_scenario
from model.profiles import NO_RULES
from model.scenario import Scenario

STATEMENTS = (
    *("append to 1", "sum of 1 into 2", "sum of 2 into 1", "count everything", "delete 1"),
    *("raise 1", "raise everything", "move 1 to 2", "move 2 to 1", "read everything", "read 1"),
)

SeparationVerdict = Literal["separated", "implied", "proved for snapshots", "equal"]


@dataclass(frozen=True, slots=True)
class Separation:
    """What is known of two levels: a history that holds ``held`` and violates ``violated``.

    ``scenario`` is None where there is none. ``up_to`` says how many transactions were looked at
    in full.
    """

    held: str
    violated: str
    up_to: int
    anomaly: str = ""
    scenario: Scenario | None = None

    @property
    def implied(self) -> bool:
        """Whether the table of levels says that ``held`` implies ``violated``."""
        return implies(self.held, self.violated)

    @property
    def verdict(self) -> SeparationVerdict:
        """Whether there is a history, and otherwise why there is none.

        ``equal`` is no proof: none of up to so many transactions was found.
        """
        if self.scenario is not None:
            return "separated"
        if self.implied:
            return "implied"
        proved = implies_on_snapshots(self.held, self.violated)
        return "proved for snapshots" if proved else "equal"

    @property
    def transactions(self) -> int | None:
        """How many transactions the history has."""
        return None if self.scenario is None else len(self.scenario.transactions)


@dataclass(frozen=True, slots=True)
class SeparationResult:
    """Every ordered pair of different levels, and how far the search went.

    ``finished`` is the largest number of transactions of which every history was looked at.
    """

    separations: tuple[Separation, ...]
    transactions: int
    finished: int
    statements: int
    schedules: int
    histories: int
    seconds: float

    @property
    def complete(self) -> bool:
        """Whether every history was looked at."""
        return self.finished == self.transactions

    def between(self, held: str, violated: str) -> Separation:
        """The answer for one ordered pair. Raises ``KeyError``."""
        for each in self.separations:
            if (each.held, each.violated) == (held, violated):
                return each
        raise KeyError((held, violated))


def separations(
    transactions: int = 3, statements: Sequence[str] = STATEMENTS
) -> tuple[Separation, ...]:
    """Every ordered pair of different levels, in the order of the table."""
    return separate(transactions, statements).separations


def separate(
    transactions: int = 3,
    statements: Sequence[str] = STATEMENTS,
    *,
    budget: float | None = None,
    progress: Progress | None = None,
) -> SeparationResult:
    """Tells every ordered pair of different levels apart, as far as it can be done.

    All histories of up to ``transactions`` over ``statements`` (by their names in the alphabet)
    are looked at; the fewest transactions win, then the fewest steps, then the shortest SQL.
    What was found is then made smaller: set-up rows and conditions that do not matter go.
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
                known = best.get((held, level))
                if known is None or size < known[0]:
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
    return SeparationResult(
        tuple(_separations(best, chosen, result.finished)),
        transactions,
        result.finished,
        len(chosen),
        result.schedules,
        result.histories,
        time.monotonic() - started,
    )


def _separations(
    best: Mapping[tuple[str, str], tuple[tuple[object, ...], Path, str]],
    chosen: Sequence[alphabet.NamedStatement],
    finished: int,
) -> Iterator[Separation]:
    smallest: dict[Path, Scenario] = {}
    for held, violated in permutations(LEVELS, 2):
        found = best.get((held, violated))
        if found is None:
            yield Separation(held, violated, finished)
            continue
        _, path, anomaly = found
        if path not in smallest:
            smallest[path] = _smaller(_scenario(path, chosen))
        name = f"holds {held}, violates {violated}"
        yield Separation(held, violated, finished, anomaly, replace(smallest[path], name=name))


def _size(path: Path, chosen: Sequence[alphabet.NamedStatement]) -> tuple[object, ...]:
    # A writer that begins in the last slot before its commit runs through in one step.
    late = sum(begin == place for place, begin in enumerate(path.begins))
    steps = 2 * len(path.writers) - late + len(path.readers)
    length = sum(len(chosen[i].sql) for i in path.statements)
    return (len(path.statements), steps, length, path.statements, path.begins)


def _scenario(path: Path, chosen: Sequence[alphabet.NamedStatement]) -> Scenario:
    writers, readers = WRITERS[: len(path.writers)], READERS[: len(path.readers)]
    texts = {
        who: chosen[i].sql for who, i in zip((*writers, *readers), path.statements, strict=True)
    }
    schedule = ScheduleClass(writers, path.begins, readers, path.reader_begins).representative
    return alphabet.scenario("partitioned", WRITE_SERIALIZABLE, texts, schedule, "separation")


def _smaller(scenario: Scenario) -> Scenario:
    """The scenario with what does not matter for any level's verdict left out."""
    wanted = _told_apart(scenario)

    def still(candidate: Scenario) -> bool:
        return _told_apart(candidate) == wanted

    setup = tuple(text for text in scenario.table.setup if "NULL" not in text)
    plain = replace(scenario, table=replace(scenario.table, setup=setup))
    return minimise(plain if still(plain) else scenario, still)


def _told_apart(scenario: Scenario) -> tuple[list[str], dict[str, str | None]]:
    """Who changes rows in a scenario, and the levels that it violates, with the anomalies."""
    history = run_scenario(scenario, NO_RULES).history
    conflicts = dependencies(history)
    found = {level: graph.decide(conflicts, level) for level in LEVELS}
    changing = [each.name for each in history.transactions if each.changes]
    return changing, {name: verdict.anomaly for name, verdict in found.items() if verdict.cycle}


def deciders_that_agree(separation: Separation) -> tuple[str, ...]:
    """Which of the three deciders find that the history holds one level and violates the other.

    The definition decides levels that promise a serial order, and cannot contradict a violation:
    it confirms what holds. Empty where there is no history.
    """
    if separation.scenario is None:
        return ()
    history = run_scenario(separation.scenario, NO_RULES).history
    return tuple(name for name, agrees in _decided(history, separation) if agrees)


def _decided(history: History, separation: Separation) -> Iterator[tuple[str, bool]]:
    held, violated = separation.held, separation.violated
    found = judge(history, (held, violated))
    yield "graph", found[held].verdict == "holds" and found[violated].verdict == "violated"
    solved = [solver.judge(history, level).verdict for level in (held, violated)]
    yield "solver", solved == ["holds", "violated"]
    view, final = found[held].view, found[held].final_state
    if view is not None and final is not None:
        yield "definition", view.verdict == final.verdict == "holds"
