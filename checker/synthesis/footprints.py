"""A solution of the encoding: the footprints of some writers, and a schedule."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import permutations, product

SETUP = -1


@dataclass(frozen=True, slots=True)
class Footprints:
    """The footprints of writers in log order, and the schedule.

    A *cell* is a partition together with a value of the data column, numbered partition by
    partition; with one ``value`` for that column a cell is a partition. ``reads`` and ``adds``
    have cells; ``removes`` has those of the cells read whose rows a writer takes out. ``begins``
    has the number of commits that each snapshot shows. ``filled`` are the cells with a row at the
    beginning; the rows of a partition in ``together`` share a file at the beginning, others do
    not. Writers in ``replaces`` add new rows in the place of those that they take out; other
    writers that both take rows out and add some add the same rows, changed.
    """

    reads: tuple[frozenset[int], ...]
    adds: tuple[frozenset[int], ...]
    removes: tuple[frozenset[int], ...]
    begins: tuple[int, ...]
    filled: frozenset[int]
    values: int = 1
    together: frozenset[int] = frozenset()
    replaces: frozenset[int] = frozenset()

    @property
    def steps(self) -> int:
        """The steps of the schedule, where a transaction that runs by itself is one step."""
        return sum(1 if begin == place else 2 for place, begin in enumerate(self.begins))

    @property
    def cells(self) -> int:
        """How many cells are read, added to and filled, each counted on its own."""
        return sum(map(len, (*self.reads, *self.adds, self.filled)))

    @property
    def canonical(self) -> Footprints:
        """The same with its partitions and values renamed so that the key is the smallest."""
        cells = frozenset().union(self.filled, *self.reads, *self.adds)
        used = sorted({cell // self.values for cell in cells})
        return min(self._onto(used, range(len(used))), key=Footprints.key)

    def renamings(self, partitions: int) -> Iterator[Footprints]:
        """The same under every other name of its partitions and values, its own among them."""
        return self._onto(range(partitions), range(partitions))

    def _onto(self, used: Iterable[int], names: Sequence[int]) -> Iterator[Footprints]:
        for order, values in product(permutations(used), permutations(range(self.values))):
            yield self._renamed(dict(zip(order, names, strict=True)), values)

    def _renamed(self, names: dict[int, int], values: tuple[int, ...]) -> Footprints:
        def renamed(cells: frozenset[int]) -> frozenset[int]:
            return frozenset(
                names[cell // self.values] * self.values + values[cell % self.values]
                for cell in cells
            )

        return replace(
            self,
            reads=tuple(map(renamed, self.reads)),
            adds=tuple(map(renamed, self.adds)),
            removes=tuple(map(renamed, self.removes)),
            filled=renamed(self.filled),
            together=frozenset(names[p] for p in self.together if p in names),
        )

    def key(self) -> tuple[object, ...]:
        """The key by which solutions are sorted."""
        removing = tuple(map(bool, self.removes))
        sets = (*self.reads, *self.adds, self.filled, self.together, *self.removes, self.replaces)
        return (self.begins, removing, tuple(tuple(sorted(places)) for places in sets))
