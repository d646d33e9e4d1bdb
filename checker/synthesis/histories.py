"""All histories of n writers over k partitions as one formula.

A transaction is its footprint: the cells that it reads, those that it takes rows out of, and
those that it adds rows to. A cell is a partition together with a value of one data column.
The statement follows from the footprint (``checker.synthesis.sql``), so no alphabet is needed.
Writers are numbered by their commits; the schedule is one variable for each of them, the number of
commits that its snapshot shows.

Rows of one writer in one cell share their fate, so a pair (writer, cell) names a row version;
rows that were there before are written by ``SETUP``. A file is named by its writer and its
partition. Where the data column has several values, a file may hold versions of several cells: a
writer that rewrites it copies the versions that it does not read into the new file. So files are
variables, too: which file holds which version after so many commits.

The rules and the edges are in ``checker.synthesis.encoding``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from typing import Any

import z3

from checker.synthesis.footprints import SETUP
from checker.synthesis.rules import SPARK, RuleSet

Version = tuple[int, int]
"""A row version: its writer and its cell."""

MOST_VALUES = 2
"""A file with three values may match a predicate by its statistics and not by its rows."""


class Histories:
    """The variables and constraints for ``n`` writers over ``k`` partitions.

    ``values`` is the number of values of the data column; ``ValueError`` for more than two.
    ``every_kind``: a transaction may also read partitions that it takes no rows out of (MERGE),
    put new rows in the place of others (REPLACE WHERE), and add to several cells what it has
    read; otherwise it takes rows out of everything that it reads, or of nothing.
    """

    def __init__(
        self,
        n: int,
        k: int,
        table_level: str,
        rules: RuleSet = SPARK,
        values: int = 1,
        *,
        every_kind: bool = False,
    ) -> None:
        if values > MOST_VALUES:
            raise ValueError(f"the data column has at most {MOST_VALUES} values")
        self.n, self.k, self.values = n, k, values
        self.table_level, self.rules = table_level, rules
        self.writers, self.partitions = range(n), range(k)
        self.cells = range(k * values)
        self.constraints: list[Any] = []
        self.every_kind = every_kind
        self.in_target = [self._bools(f"in_target{i}", self.partitions) for i in self.writers]
        self.in_source = [self._bools(f"in_source{i}", self.partitions) for i in self.writers]
        self.in_partition = [
            [z3.Or(self.in_target[i][p], self.in_source[i][p]) for p in self.partitions]
            for i in self.writers
        ]
        self.with_value = [self._bools(f"with_value{i}", range(values)) for i in self.writers]
        self.takes_out = self._cells_of(self.in_target)
        self.only_reads = self._cells_of(self.in_source)
        self.reads = self._cells_of(self.in_partition)
        self.adds = [self._bools(f"adds{i}", self.cells) for i in self.writers]
        self.removes = [self._named(f"removes{i}", any_of(self.in_target[i])) for i in self.writers]
        self.replaces = [z3.Bool(f"replaces{i}") for i in self.writers]
        self.filled = self._bools("filled", self.cells)
        self.together = self._bools("together", self.partitions if values > 1 else ())
        self.begin = [[z3.Bool(f"begin{i}_{m}") for m in range(i + 1)] for i in self.writers]
        self._schedules()
        self._statements()
        self._files()

    def _bools(self, name: str, places: Iterable[int]) -> list[Any]:
        return [z3.Bool(f"{name}_{place}") for place in places]

    def _add(self, *constraints: Any) -> None:
        self.constraints += constraints

    def _named(self, name: str, formula: Any) -> Any:
        variable = z3.Bool(name)
        self._add(variable == formula)
        return variable

    def _cells_of(self, partitions: list[list[Any]]) -> list[list[Any]]:
        """For each writer and cell, whether the cell is one of those that a condition covers."""
        return [
            [
                partitions[i][c // self.values]
                if self.values == 1
                else z3.And(partitions[i][c // self.values], self.with_value[i][c % self.values])
                for c in self.cells
            ]
            for i in self.writers
        ]

    def of(self, partition: int) -> range:
        """The cells of a partition."""
        return range(partition * self.values, (partition + 1) * self.values)

    def shows(self, i: int, j: int) -> Any:
        """Whether the snapshot of i shows the commit of j."""
        return any_of(self.begin[i][m] for m in range(j + 1, i + 1))

    def _schedules(self) -> None:
        for i in self.writers:
            self._add(z3.PbEq([(slot, 1) for slot in self.begin[i]], 1))

    def _statements(self) -> None:
        """The footprints that SQL has a statement for (``checker.synthesis.sql``)."""
        self.blind, self.in_place = [], []
        for i in self.writers:
            reads, adds, removes = self.takes_out[i], self.adds[i], self.removes[i]
            none = z3.Not(any_of(self.in_partition[i]))
            if self.values == 1:
                self._add(self.with_value[i][0])
            else:
                self._add(any_of(self.with_value[i]) == z3.Not(none))
            one = z3.PbEq([(a, 1) for a in adds], 1)
            same = z3.And(*(r == a for r, a in zip(reads, adds, strict=True)))
            apart = z3.Not(any_of(z3.And(r, a) for r, a in zip(reads, adds, strict=True)))
            inside = z3.And(*(z3.Implies(a, r) for r, a in zip(reads, adds, strict=True)))
            both = zip(self.in_target[i], self.in_source[i], strict=True)
            self._add(*(z3.Not(z3.And(taken, read)) for taken, read in both))
            replaces = z3.And(removes, any_of(adds), inside)
            self._add(z3.Implies(self.replaces[i], replaces))
            rewrites = z3.Or(z3.Not(any_of(adds)), same, z3.And(one, apart), self.replaces[i])
            appends = any_of(adds)
            if not self.every_kind:
                self._add(z3.Not(self.replaces[i]))
                self._add(z3.Not(z3.And(removes, any_of(self.in_source[i]))))
                appends = z3.If(none, any_of(adds), one)
            self._add(z3.If(removes, rewrites, appends))
            self.blind.append(none)
            self.in_place.append(z3.And(removes, same, z3.Not(self.replaces[i])))

    def _versions(self, writers: int) -> Iterator[Version]:
        """The row versions that there may be after so many commits."""
        yield from product((SETUP, *range(writers)), self.cells)

    def _holders(self, version: Version, commits: int) -> Iterator[int]:
        """The writers whose file may hold a version after so many commits."""
        writer, _ = version
        yield writer
        if self.values > 1:
            yield from range(max(0, writer + 1), commits)

    def _files(self) -> None:
        """The files that hold each row version after so many commits, and what each commit does.

        ``holds[t][version][y]``: after t commits the version is in the file of y. ``takes``:
        versions that a writer ends, ``puts``: cells in which it writes new ones.
        """
        start = {(SETUP, c): {SETUP: self.filled[c]} for c in self.cells}
        for p in self.partitions if self.values > 1 else ():
            # One row is in a file of its own anyway; this leaves one way to say so.
            self._add(z3.Implies(self.together[p], z3.And(*(self.filled[c] for c in self.of(p)))))
        self.holds: list[dict[Version, dict[int, Any]]] = [start]
        self.shown: list[dict[Version, dict[int, Any]]] = []
        self.sees: list[dict[Version, Any]] = []
        self.takes: list[dict[Version, Any]] = []
        self.puts: list[list[Any]] = []
        for i in self.writers:
            self._snapshot(i)
            takes = {
                v: self._named(
                    f"takes{i}_{v[0]}_{v[1]}",
                    z3.And(self.takes_out[i][v[1]], self.sees[i][v]),
                )
                for v in self._versions(i)
            }
            self.takes.append(takes)
            if not self.rules.empty_version_at(self.table_level):
                finds = z3.Or(self.replaces[i], any_of(takes.values()))
                self._add(z3.Implies(self.removes[i], finds))
            puts = []
            for c in self.cells:
                taken = any_of(takes[x, c] for x in (SETUP, *range(i)))
                moved_in = z3.If(self.in_place[i], taken, any_of(takes.values()))
                moves = z3.And(self.removes[i], z3.Not(self.replaces[i]))
                added = z3.And(self.adds[i][c], z3.Implies(moves, moved_in))
                puts.append(self._named(f"puts{i}_{c}", added))
            self.puts.append(puts)
            self._commit(i)

    def _snapshot(self, i: int) -> None:
        shown: dict[Version, dict[int, Any]] = {}
        for v in self._versions(i):
            shown[v] = {
                y: self._named(
                    f"shown{i}_{v[0]}_{v[1]}_{y}",
                    any_of(
                        z3.And(self.begin[i][m], self.holds[m][v][y])
                        for m in range(i + 1)
                        if v in self.holds[m] and y in self.holds[m][v]
                    ),
                )
                for y in self._holders(v, i)
            }
        self.shown.append(shown)
        self.sees.append({v: any_of(by.values()) for v, by in shown.items()})

    def _commit(self, i: int) -> None:
        after: dict[Version, dict[int, Any]] = {}
        for v, by in self.holds[i].items():
            gone = {y: self.removes_file(i, y, v[1]) for y in by}
            after[v] = {
                y: self._named(f"holds{i + 1}_{v[0]}_{v[1]}_{y}", z3.And(held, z3.Not(gone[y])))
                for y, held in by.items()
            }
            if self.values > 1:
                copied = z3.And(
                    any_of(z3.And(held, gone[y]) for y, held in by.items()),
                    z3.Not(self.takes_out[i][v[1]]),
                )
                after[v][i] = self._named(f"holds{i + 1}_{v[0]}_{v[1]}_{i}", copied)
        for c in self.cells:
            after[i, c] = {i: self.puts[i][c]}
        self.holds.append(after)

    def _in_file(self, i: int, y: int, cell: int) -> Iterator[tuple[Any, Version]]:
        """The versions in the file that y wrote for the partition of a cell, in i's snapshot.

        Each version comes with the condition for it to be in that file.
        """
        partition = cell // self.values
        for v, by in self.shown[i].items():
            if v[1] // self.values != partition or y not in by:
                continue
            if y == SETUP and v[1] != cell:
                yield z3.And(self.together[partition], by[y]), v
            else:
                yield by[y], v

    def touches_file(self, i: int, y: int, cell: int) -> Any:
        """Whether a file of i's snapshot holds a row that i reads."""
        return any_of(z3.And(there, self.reads[i][v[1]]) for there, v in self._in_file(i, y, cell))

    def removes_file(self, i: int, y: int, cell: int) -> Any:
        """Whether i removes a file: it takes rows out and copies the others."""
        return any_of(
            z3.And(there, self.takes_out[i][v[1]]) for there, v in self._in_file(i, y, cell)
        )

    def reads_file(self, i: int, y: int, cell: int) -> Any:
        """Whether a file of i's snapshot counts as read by the rules."""
        touched = self.touches_file(i, y, cell)
        there = any_of(there for there, _ in self._in_file(i, y, cell))
        if self.rules.read_files == "delta-rs":
            return z3.If(self.removes[i], touched, there)
        if self.rules.read_files == "partitions":
            return z3.And(there, self.in_partition[i][cell // self.values])
        return touched

    def writes_cell(self, j: int, cell: int) -> Any:
        """Whether j adds a file with a row of that cell, a new one or a copy."""
        copies = (by[j] for v, by in self.holds[j + 1].items() if v[1] == cell and j in by)
        return z3.Or(self.puts[j][cell], *copies)

    def covers(self, i: int, j: int) -> Any:
        """Whether what i has noted as read covers a file that j adds."""
        if self.rules.added == "statistics":
            row = any_of(z3.And(self.reads[i][c], self.writes_cell(j, c)) for c in self.cells)
            return z3.And(self.removes[i], row)
        return any_of(
            z3.And(self.in_partition[i][p], any_of(self.writes_cell(j, c) for c in self.of(p)))
            for p in self.partitions
        )

    def touches_read(self, i: int, j: int) -> Any:
        """Whether j removes a file that counts as read by i."""
        older = min(i, j)
        return any_of(
            z3.And(self.removes_file(j, y, c), self.reads_file(i, y, c))
            for y, c in product((SETUP, *range(older)), self.cells)
        )


def any_of(parts: Iterable[Any]) -> Any:
    """A disjunction; of nothing it is false."""
    return z3.Or(*parts)
