"""One solution of the encoding: the footprints of some writers, and a schedule."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import permutations, product

SETUP = -1


@dataclass(frozen=True, slots=True)
class Footprints:
    """The footprints of writers in log order, and the schedule.

    A *cell* is a partition together with a value of the data column, numbered partition by
    partition; with one ``value`` for that column a cell is a partition. ``reads`` and ``adds``
    have cells; ``removes`` tells whether a writer takes out the rows that it reads. ``begins``
    has the number of commits that each snapshot shows. ``filled`` are the cells with a row at the
    beginning; the rows of a partition in ``together`` share a file then, others do not.
    """

    reads: tuple[frozenset[int], ...]
    adds: tuple[frozenset[int], ...]
    removes: tuple[bool, ...]
    begins: tuple[int, ...]
    filled: frozenset[int]
    values: int = 1
    together: frozenset[int] = frozenset()

    @property
    def steps(self) -> int:
        """The steps of the schedule, where a transaction that runs by itself is one step."""
        return sum(1 if begin == place else 2 for place, begin in enumerate(self.begins))

    @property
    def canonical(self) -> Footprints:
        """The same with its partitions and values renamed so that the key is the smallest."""
        cells = frozenset().union(self.filled, *self.reads, *self.adds)
        used = sorted({cell // self.values for cell in cells})
        renamings = product(permutations(used), permutations(range(self.values)))
        return min(
            (
                self._renamed(dict(zip(order, range(len(used)), strict=True)), values)
                for order, values in renamings
            ),
            key=Footprints.key,
        )

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
            filled=renamed(self.filled),
            together=frozenset(names[p] for p in self.together if p in names),
        )

    def key(self) -> tuple[object, ...]:
        """What solutions are put in order by."""
        sets = (*self.reads, *self.adds, self.filled, self.together)
        return (self.begins, self.removes, tuple(tuple(sorted(each)) for each in sets))
