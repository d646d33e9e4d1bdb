"""For every pair of levels a smallest history that one admits and the other forbids.

The levels are told apart by what they mean, not by what any engine does: the histories are those
of an engine without conflict rules, over a part of the alphabet with reads of items and of
predicates, readers, and writes of either kind.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations

from checker import alphabet
from checker.exhaustive import READERS, WRITERS, Search
from checker.minimal import Path
from checker.schedules import ScheduleClass
from model.history import History
from model.levels import LEVELS, implies
from model.profiles import DEFAULT
from model.rules.base import WRITE_SERIALIZABLE
from model.scenario import Scenario

NO_RULES = replace(DEFAULT, name="no conflict rules", rules=())

STATEMENTS = (
    *("append to 1", "sum of 1 into 2", "sum of 2 into 1", "count everything", "delete 1"),
    *("raise 1", "raise everything", "move 1 to 2", "move 2 to 1", "read everything", "read 1"),
)


@dataclass(frozen=True, slots=True)
class Separation:
    """What is known of two levels: a history that holds ``held`` and violates ``violated``.

    ``scenario`` is None where there is none: ``implied`` tells that the table of levels says
    so, and otherwise there is none up to the size that was searched.
    """

    held: str
    violated: str
    implied: bool
    anomaly: str = ""
    scenario: Scenario | None = None

    @property
    def transactions(self) -> int | None:
        """How many transactions the history has."""
        return None if self.scenario is None else len(self.scenario.transactions)


def separations(
    transactions: int = 3, statements: Sequence[str] = STATEMENTS
) -> tuple[Separation, ...]:
    """Every ordered pair of different levels, in the order of the table.

    All histories of up to ``transactions`` over ``statements`` (by their names in the alphabet)
    are looked at; the fewest transactions win, then the shortest SQL, then the least overlap.
    """
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
    search.run(WRITE_SERIALIZABLE, transactions, judged=tuple(LEVELS), observer=note)
    return tuple(_separations(best, chosen))


def _separations(
    best: Mapping[tuple[str, str], tuple[tuple[object, ...], Path, str]],
    chosen: Sequence[alphabet.NamedStatement],
) -> Iterator[Separation]:
    for held, violated in permutations(LEVELS, 2):
        found = best.get((held, violated))
        if found is None:
            yield Separation(held, violated, implies(held, violated))
            continue
        _, path, anomaly = found
        name = f"holds {held}, violates {violated}"
        yield Separation(held, violated, False, anomaly, _scenario(path, chosen, name))


def _size(path: Path, chosen: Sequence[alphabet.NamedStatement]) -> tuple[object, ...]:
    length = sum(len(chosen[i].sql) for i in path.statements)
    return (len(path.statements), length, -sum(path.begins), path.statements, path.begins)


def _scenario(path: Path, chosen: Sequence[alphabet.NamedStatement], name: str) -> Scenario:
    writers, readers = WRITERS[: len(path.writers)], READERS[: len(path.readers)]
    texts = {
        who: chosen[i].sql for who, i in zip((*writers, *readers), path.statements, strict=True)
    }
    schedule = ScheduleClass(writers, path.begins, readers, path.reader_begins).representative
    return alphabet.scenario("partitioned", WRITE_SERIALIZABLE, texts, schedule, name)
