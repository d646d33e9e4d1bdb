"""The same universe of statements for the solver and for the exhaustive search."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain, combinations, product
from random import Random

from checker.search import alphabet
from checker.search.alphabet import NamedStatement
from checker.search.exhaustive import Search
from checker.synthesis.footprints import Footprints
from checker.synthesis.search import Bounds, Change, solutions
from checker.synthesis.sql import scenario, statement
from model.profiles.base import Profile

Histories = set[tuple[tuple[str, ...], tuple[int, ...]]]
"""The statements of writers in log order, and the commits that each snapshot shows."""


def _subsets(places: range) -> Iterator[tuple[int, ...]]:
    return chain.from_iterable(combinations(places, size) for size in range(len(places) + 1))


def sql(change: Change, values: int) -> str:
    """The statement of a change, as the first writer would say it."""
    replaces = frozenset({0}) if change.replaces else frozenset()
    footprints = Footprints(
        (change.reads,),
        (change.adds,),
        (change.removes,),
        (0,),
        frozenset(),
        values,
        replaces=replaces,
    )
    return statement(footprints, 0)


def expressible(partitions: int, values: int, *, every_kind: bool = False) -> list[Change]:
    """Every change that the encoding knows a statement for."""
    reading = {
        frozenset(p * values + s for p, s in product(some, which))
        for some in _subsets(range(partitions))
        for which in _subsets(range(values))
    }
    adding = list(map(frozenset, _subsets(range(partitions * values))))
    found = []
    for reads, adds in product(sorted(reading, key=sorted), adding):
        for taken in map(frozenset, _subsets(range(partitions))):
            removes = frozenset(cell for cell in reads if cell // values in taken)
            if {cell // values for cell in removes} != taken:
                continue
            apart = len(adds) == 1 and not removes & adds
            if not removes:
                sound = bool(adds) and (every_kind or not reads or len(adds) == 1)
            else:
                sound = not adds or adds == removes or apart
                sound = sound and (every_kind or removes == reads)
            if sound:
                found.append(Change(reads, adds, removes))
            if every_kind and removes and adds and adds <= removes:
                found.append(Change(reads, adds, removes, replaces=True))
    return found


@dataclass(frozen=True)
class Universe:
    """Some changes by n writers, on a table with a row in each cell at the beginning.

    ``together``: the rows of a partition share a file at the beginning. For the search alone,
    ``filled`` has other cells with a row, ``properties`` are more properties of the table, and
    without ``partitioned`` it has no partitions (there has to be one in the solver's).
    """

    n: int
    partitions: int
    values: int
    together: bool
    changes: tuple[Change, ...]
    every_kind: bool = False
    properties: Mapping[str, str] = field(default_factory=dict)
    filled: frozenset[int] | None = None
    partitioned: bool = True

    def searched(self, profile: Profile, level: str) -> tuple[Histories, Histories]:
        """What the search admits and what of it violates; n transactions that all write."""
        cells = self.filled
        if cells is None:
            cells = frozenset(range(self.partitions * self.values))
        begin = Footprints((), (), (), (), cells, self.values, self._together)
        table = scenario(begin, level, "universe").table
        table = replace(table, properties={**table.properties, **self.properties})
        if not self.partitioned:
            table = replace(table, partition_by=())
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
            Bounds(self.partitions, self.values, self.every_kind),
            filled=True,
            among=self.changes,
            violating=violating,
        ):
            if each.together != self._together:
                continue
            changes = (
                Change(*change, replaces=i in each.replaces)
                for i, change in enumerate(zip(each.reads, each.adds, each.removes, strict=True))
            )
            found.add((tuple(sql(change, self.values) for change in changes), each.begins))
        return found

    def violations(self, profile: Profile, level: str) -> Iterator[Footprints]:
        """Those that the search finds, as the solver has them."""
        _, violating = self.searched(profile, level)
        changes = {sql(change, self.values): change for change in self.changes}
        for texts, begins in violating:
            did = [changes[text] for text in texts]
            yield Footprints(
                tuple(change.reads for change in did),
                tuple(change.adds for change in did),
                tuple(change.removes for change in did),
                begins,
                frozenset() if self.filled is None else self.filled,
                self.values,
                replaces=frozenset(i for i, change in enumerate(did) if change.replaces),
            )

    @property
    def _together(self) -> frozenset[int]:
        apart = self.values == 1 or not self.together
        return frozenset() if apart else frozenset(range(self.partitions))


def universe(
    n: int,
    partitions: int,
    values: int,
    *,
    together: bool = True,
    sample: int | None = None,
    every_kind: bool = False,
) -> Universe:
    """All expressible changes, or a random sample of so many of them."""
    changes = expressible(partitions, values, every_kind=every_kind)
    if sample is not None:
        changes = sorted(Random(sample).sample(changes, sample), key=changes.index)
    return Universe(n, partitions, values, together, tuple(changes), every_kind)
