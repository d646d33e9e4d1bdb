"""The same universe of statements for the solver and for the exhaustive search."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, combinations, product
from random import Random

from checker import alphabet
from checker.alphabet import NamedStatement
from checker.exhaustive import Search
from checker.synthesis.footprints import Footprints
from checker.synthesis.search import Change, solutions
from checker.synthesis.sql import scenario, statement
from model.profiles.base import Profile

Histories = set[tuple[tuple[str, ...], tuple[int, ...]]]
"""The statements of writers in log order, and the commits that each snapshot shows."""


def _subsets(places: range) -> Iterator[tuple[int, ...]]:
    return chain.from_iterable(combinations(places, size) for size in range(len(places) + 1))


def sql(change: Change, values: int) -> str:
    """The statement of a change, as the first writer would say it."""
    reads, adds, removes = change
    return statement(Footprints((reads,), (adds,), (removes,), (0,), frozenset(), values), 0)


def expressible(partitions: int, values: int) -> list[Change]:
    """Every change that the encoding knows a statement for."""
    reading = {
        frozenset(p * values + s for p, s in product(some, which))
        for some in _subsets(range(partitions))
        for which in _subsets(range(values))
    }
    adding = list(map(frozenset, _subsets(range(partitions * values))))
    found = []
    for reads, adds, removes in product(sorted(reading, key=sorted), adding, (False, True)):
        if removes:
            apart = len(adds) == 1 and not reads & adds
            sound = bool(reads) and (not adds or adds == reads or apart)
        else:
            sound = len(adds) == 1 if reads else bool(adds)
        if sound:
            found.append((reads, adds, removes))
    return found


@dataclass(frozen=True)
class Universe:
    """Some changes by n writers, on a table with a row in each cell at the beginning.

    ``together``: the rows of a partition share a file at the beginning.
    """

    n: int
    partitions: int
    values: int
    together: bool
    changes: tuple[Change, ...]

    def searched(self, profile: Profile, level: str) -> tuple[Histories, Histories]:
        """What the search admits and what of it violates; n transactions that all write."""
        cells = frozenset(range(self.partitions * self.values))
        begin = Footprints((), (), (), (), cells, self.values, self._together)
        table = scenario(begin, level, "universe").table
        texts = [sql(change, self.values) for change in self.changes]
        assert len(texts) == len(set(texts))
        admitted: Histories = set()
        violating: Histories = set()

        def note(path, history, violated):
            writes = all(each.writes for each in history.transactions)
            if len(path.statements) == self.n and writes:
                key = (tuple(texts[i] for i in path.writers), path.begins)
                admitted.add(key)
                if level in violated:
                    violating.add(key)

        known = alphabet.LAYOUTS["partitioned"]
        alphabet.LAYOUTS["partitioned"] = alphabet.Layout("partitioned", table)
        try:
            search = Search("partitioned", profile, [NamedStatement(t, t) for t in texts])
            assert search.run(level, self.n, observer=note).complete
        finally:
            alphabet.LAYOUTS["partitioned"] = known
        return admitted, violating

    def solved(self, profile: Profile, level: str, *, violating: bool) -> Histories:
        """What the solver finds of the same."""
        found: Histories = set()
        for each in solutions(
            self.n,
            level,
            profile,
            self.partitions,
            values=self.values,
            filled=True,
            among=self.changes,
            violating=violating,
        ):
            if each.together != self._together:
                continue
            changes = zip(each.reads, each.adds, each.removes, strict=True)
            found.add((tuple(sql(change, self.values) for change in changes), each.begins))
        return found

    @property
    def _together(self) -> frozenset[int]:
        apart = self.values == 1 or not self.together
        return frozenset() if apart else frozenset(range(self.partitions))


def universe(
    n: int, partitions: int, values: int, *, together: bool = True, sample: int | None = None
) -> Universe:
    """All expressible changes, or a random sample of so many of them."""
    changes = expressible(partitions, values)
    if sample is not None:
        changes = sorted(Random(sample).sample(changes, sample), key=changes.index)
    return Universe(n, partitions, values, together, tuple(changes))
