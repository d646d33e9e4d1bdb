"""Minimal violations: of all histories that violate a level, those that need all they have.

A history is minimal when no part of its statements alone, under any schedule, violates as many
readings of the same level. Minimal histories are grouped by anomaly, readings and kinds of
statements; the simplest of a group stands for it. One that violates a weaker level as well is
listed there; the bounds count it at every level.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from checker.judging.verdict import judge
from checker.search import alphabet
from checker.search.alphabet import NamedStatement
from checker.search.finding import READINGS, Finding, depth, describe, finding, kind_of, weakest
from checker.search.schedules import ScheduleClass
from checker.search.search_result import Bound
from model.history import History
from model.levels import LEVELS
from model.profiles.base import Profile
from model.scenario import Scenario

Multiset = tuple[int, ...]
"""Statements by their number in the alphabet, sorted."""


@dataclass(frozen=True, slots=True)
class Path:
    """A class of schedules: writers as they commit with their begins, readers with theirs.

    Statements by their number in the alphabet, begins by the number of writers before them.
    """

    writers: tuple[int, ...]
    begins: tuple[int, ...]
    readers: tuple[int, ...]
    reader_begins: tuple[int, ...]

    @property
    def statements(self) -> tuple[int, ...]:
        """The statements of writers and readers."""
        return self.writers + self.readers


_GroupKey = tuple[str, int, str, tuple[str, ...]]


class MinimalFindings:
    """Collects the minimal violations of one search, smaller histories first."""

    def __init__(
        self,
        layout: str,
        table_level: str,
        profile: Profile,
        statements: Sequence[NamedStatement],
        kinds: Sequence[str],
        writers: Sequence[str],
        readers: Sequence[str],
    ) -> None:
        self.layout = layout
        self.table_level = table_level
        self.profile = profile
        self.statements = tuple(statements)
        self.kinds = tuple(kinds)
        self.writers = tuple(writers)
        self.readers = tuple(readers)
        self.count = 0
        self._depths: defaultdict[str, dict[Multiset, int]] = defaultdict(dict)
        self._sizes: Counter[tuple[str, int, int]] = Counter()
        self._groups: dict[_GroupKey, tuple[int, Path]] = {}

    def add(self, path: Path, history: History, violated: Mapping[str, str]) -> None:
        """Notes a history and the levels that it violates, each with its anomaly."""
        listed = weakest(violated)
        for level, anomaly in violated.items():
            self._add(path, history, level, anomaly, listed=level in listed)

    def _add(self, path: Path, history: History, level: str, anomaly: str, *, listed: bool) -> None:
        """Notes a history that violates one level, unless a part of it does so already."""
        statements = tuple(sorted(path.statements))
        depths = self._depths[level]
        covered = max((depths.get(part, 0) for part in _parts(statements)), default=0)
        if covered == len(READINGS):
            return
        violated = depth(judge(history, (level,))[level])
        if violated <= covered:
            return
        depths[statements] = max(violated, depths.get(statements, 0))
        self._sizes[level, violated, len(statements)] += 1
        if not listed:
            return
        self.count += 1
        kinds = tuple(self.kinds[i] for i in path.statements)
        key = (level, violated, anomaly, kinds)
        count, best = self._groups.get(key, (0, path))
        self._groups[key] = (count + 1, min(best, path, key=self._simplicity))

    def findings(self) -> tuple[Finding, ...]:
        """One finding for each group: broken promises first, then by size and severity."""
        findings = [
            finding(self._scenario(key[0], path), self.layout, key[0], self.profile, count)
            for key, (count, path) in self._groups.items()
        ]
        findings.sort(
            key=lambda f: (
                f.kind != "level-violation",
                f.level,
                f.transactions,
                -len(f.violated),
                f.anomaly,
                f.statement_kinds,
            )
        )
        return tuple(findings)

    def bounds(self, judged: Sequence[str], finished: int) -> tuple[Bound, ...]:
        """How far each level holds, by reading."""
        return tuple(
            Bound(
                level=level,
                kind=kind_of(self.table_level, level),
                reading=reading,
                finished=finished,
                minimal=self._by_size(level, place + 1),
            )
            for level in judged
            for place, reading in enumerate(READINGS)
            if place == 0 or LEVELS[level].serial_order is not None
        )

    def _by_size(self, level: str, least: int) -> dict[int, int]:
        """Minimal histories that violate at least so many readings, by their transactions."""
        sizes: Counter[int] = Counter()
        for (at, violated, size), count in self._sizes.items():
            if at == level and violated >= least:
                sizes[size] += count
        return dict(sorted(sizes.items()))

    def _simplicity(self, path: Path) -> tuple[object, ...]:
        """Short SQL first, then schedules with little overlap, then the alphabet's order."""
        length = sum(len(self.statements[i].sql) for i in path.statements)
        return (length, -sum(path.begins), path.statements, path.begins, path.reader_begins)

    def _scenario(self, level: str, path: Path) -> Scenario:
        writers = self.writers[: len(path.writers)]
        readers = self.readers[: len(path.readers)]
        chosen = dict(zip((*writers, *readers), path.statements, strict=True))
        schedule = ScheduleClass(writers, path.begins, readers, path.reader_begins).representative
        names = describe([self.statements[i].name for i in path.statements])
        return alphabet.scenario(
            self.layout,
            self.table_level,
            {name: self.statements[i].sql for name, i in chosen.items()},
            schedule,
            f"{names} break {level} ({self.layout})",
        )


def _parts(statements: Multiset) -> Iterator[Multiset]:
    """Every proper part of a multiset that is not empty."""
    for size in range(1, len(statements)):
        yield from combinations(statements, size)
