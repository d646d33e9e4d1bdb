"""All histories of n writers over k partitions as one formula.

A transaction is its footprint: the cells that it reads, those that it takes rows out of, and
those that it adds rows to. A cell is a partition together with a value of one data column.
The statement follows from that (``checker.synthesis.sql``), so there is no alphabet. Writers are
numbered by their commits; the schedule is one variable for each of them, the number of commits
that its snapshot shows.

Rows of one writer in one cell share their fate, so a pair (writer, cell) names a row version;
what was there before is written by ``SETUP``. A file is named by who wrote it and its partition.
Where the data column has several values, a file may hold versions of several cells: who rewrites
it copies those that it does not read, and they are in the new file then. So files are variables,
too: which file holds which version after so many commits.

The rules are those of a profile about files (``checker.synthesis.rules``), the edges those of
``checker.dependencies``. Compactions, readers and changes of the definition have no part: by the
theorems (``docs/theorems.md``) they add no violation to the rules of delta-spark-4.4.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from typing import Any

import z3

from checker.proofs.lemma import SEED
from checker.synthesis.footprints import SETUP, Footprints
from checker.synthesis.rules import SPARK, RuleSet
from model.rules.base import SERIALIZABLE

Version = tuple[int, int]
"""A row version: its writer and its cell."""

MOST_VALUES = 2
"""A file with three values may match a predicate by its statistics and not by its rows."""


class Encoding:
    """The variables and constraints for ``n`` writers over ``k`` partitions.

    ``values`` is the number of values of the data column; ``ValueError`` for more than two.
    ``every_kind``: a transaction may also read partitions that it takes no rows out of (MERGE),
    put new rows in the place of others (REPLACE WHERE), and add to several cells what it has
    read; if not, it takes rows out of all that it reads, or of nothing.
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
        self._ways: dict[tuple[int, int], tuple[Any, Any]] = {}
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
        self.removes = [self._named(f"removes{i}", _any(self.in_target[i])) for i in self.writers]
        self.replaces = [z3.Bool(f"replaces{i}") for i in self.writers]
        self.filled = self._bools("filled", self.cells)
        self.together = self._bools("together", self.partitions if values > 1 else ())
        self.begin = [[z3.Bool(f"begin{i}_{m}") for m in range(i + 1)] for i in self.writers]
        self._schedules()
        self._statements()
        self._files()
        self._rules()

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
        return _any(self.begin[i][m] for m in range(j + 1, i + 1))

    def _schedules(self) -> None:
        for i in self.writers:
            self._add(z3.PbEq([(slot, 1) for slot in self.begin[i]], 1))

    def _statements(self) -> None:
        """What SQL can say: see ``checker.synthesis.sql`` for each case."""
        self.blind, self.in_place = [], []
        for i in self.writers:
            reads, adds, removes = self.takes_out[i], self.adds[i], self.removes[i]
            none = z3.Not(_any(self.in_partition[i]))
            if self.values == 1:
                self._add(self.with_value[i][0])
            else:
                self._add(_any(self.with_value[i]) == z3.Not(none))
            one = z3.PbEq([(a, 1) for a in adds], 1)
            same = z3.And(*(r == a for r, a in zip(reads, adds, strict=True)))
            apart = z3.Not(_any(z3.And(r, a) for r, a in zip(reads, adds, strict=True)))
            inside = z3.And(*(z3.Implies(a, r) for r, a in zip(reads, adds, strict=True)))
            both = zip(self.in_target[i], self.in_source[i], strict=True)
            self._add(*(z3.Not(z3.And(taken, read)) for taken, read in both))
            replaces = z3.And(removes, _any(adds), inside)
            self._add(z3.Implies(self.replaces[i], replaces))
            rewrites = z3.Or(z3.Not(_any(adds)), same, z3.And(one, apart), self.replaces[i])
            appends = _any(adds)
            if not self.every_kind:
                self._add(z3.Not(self.replaces[i]))
                self._add(z3.Not(z3.And(removes, _any(self.in_source[i]))))
                appends = z3.If(none, _any(adds), one)
            self._add(z3.If(removes, rewrites, appends))
            self.blind.append(none)
            self.in_place.append(z3.And(removes, same, z3.Not(self.replaces[i])))

    def _versions(self, writers: int) -> Iterator[Version]:
        """The row versions that there may be after so many commits."""
        yield from product((SETUP, *range(writers)), self.cells)

    def _holders(self, version: Version, commits: int) -> Iterator[int]:
        """Who may have written the file that holds a version after so many commits."""
        writer, _ = version
        yield writer
        if self.values > 1:
            yield from range(max(0, writer + 1), commits)

    def _files(self) -> None:
        """Which file holds which row version after so many commits, and what each commit does.

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
                finds = z3.Or(self.replaces[i], _any(takes.values()))
                self._add(z3.Implies(self.removes[i], finds))
            puts = []
            for c in self.cells:
                taken = _any(takes[x, c] for x in (SETUP, *range(i)))
                moved_in = z3.If(self.in_place[i], taken, _any(takes.values()))
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
                    _any(
                        z3.And(self.begin[i][m], self.holds[m][v][y])
                        for m in range(i + 1)
                        if v in self.holds[m] and y in self.holds[m][v]
                    ),
                )
                for y in self._holders(v, i)
            }
        self.shown.append(shown)
        self.sees.append({v: _any(by.values()) for v, by in shown.items()})

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
                    _any(z3.And(held, gone[y]) for y, held in by.items()),
                    z3.Not(self.takes_out[i][v[1]]),
                )
                after[v][i] = self._named(f"holds{i + 1}_{v[0]}_{v[1]}_{i}", copied)
        for c in self.cells:
            after[i, c] = {i: self.puts[i][c]}
        self.holds.append(after)

    def _in_file(self, i: int, y: int, cell: int) -> Iterator[tuple[Any, Version]]:
        """What i's snapshot shows of the file that y wrote and that may hold a row of a cell.

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
        return _any(z3.And(there, self.reads[i][v[1]]) for there, v in self._in_file(i, y, cell))

    def removes_file(self, i: int, y: int, cell: int) -> Any:
        """Whether i removes a file: it takes rows out and copies the others."""
        return _any(
            z3.And(there, self.takes_out[i][v[1]]) for there, v in self._in_file(i, y, cell)
        )

    def reads_file(self, i: int, y: int, cell: int) -> Any:
        """Whether a file of i's snapshot counts as read by the rules."""
        touched = self.touches_file(i, y, cell)
        there = _any(there for there, _ in self._in_file(i, y, cell))
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
            found = _any(z3.And(self.reads[i][c], self.writes_cell(j, c)) for c in self.cells)
            return z3.And(self.removes[i], found)
        return _any(
            z3.And(self.in_partition[i][p], _any(self.writes_cell(j, c) for c in self.of(p)))
            for p in self.partitions
        )

    def touches_read(self, i: int, j: int) -> Any:
        """Whether j removes a file that counts as read by i."""
        older = min(i, j)
        return _any(
            z3.And(self.removes_file(j, y, c), self.reads_file(i, y, c))
            for y, c in product((SETUP, *range(older)), self.cells)
        )

    def _rules(self) -> None:
        for i in self.writers:
            for j in range(i):
                added = z3.And(self._counts(i, j), self.covers(i, j))
                conflict = z3.Or(added, self.touches_read(i, j))
                self._add(z3.Implies(z3.Not(self.shows(i, j)), z3.Not(conflict)))
            if self.rules.repaired and self.table_level != SERIALIZABLE:
                self._add(*self._no_way_back(i))

    def _counts(self, i: int, j: int) -> Any:
        """Whether files that the winner j added count for i."""
        counted = z3.BoolVal(True)
        if self.table_level != SERIALIZABLE:
            if self.rules.appends == "blind":
                counted = z3.Not(self.blind[j])
            elif self.rules.appends == "all":
                counted = z3.And(self.removes[j], _any(self.takes[j].values()))
        if self.rules.inserts_apart:
            counted = z3.And(counted, z3.Or(self.removes[i], self.removes[j]))
        return counted

    def _takes_from(self, i: int, j: int, *, unseen: bool) -> Any:
        """Whether j removes a file of a partition that i reads; ``unseen``: one new to i."""
        older = range(j) if unseen else (SETUP, *range(j))
        return _any(
            z3.And(
                *(self.removes_file(j, y, c), self.in_partition[i][c // self.values]),
                z3.Not(self.shows(i, y)) if unseen and y < i else z3.BoolVal(True),
            )
            for y, c in product(older, self.cells)
        )

    def _follows(self, i: int, j: int) -> Any:
        """Whether i has seen j and may have read what j added or took away."""
        touched = z3.Or(self.covers(i, j), self._takes_from(i, j, unseen=False))
        return z3.And(self.shows(i, j), touched)

    def _misses(self, i: int, j: int) -> Any:
        """Whether what j wrote, which i has not seen, may change what i has read.

        Of files that were there i has noted which it read; of others partitions tell.
        """
        unseen = z3.Not(self.shows(i, j)) if j < i else z3.BoolVal(True)
        if self.values == 1:
            taken = self._takes_from(i, j, unseen=False)  # A file is all of its partition.
        else:
            taken = z3.Or(self.touches_read(i, j), self._takes_from(i, j, unseen=True))
        return z3.And(unseen, z3.Or(self.covers(i, j), taken))

    def _way(self, y: int, z: int) -> tuple[Any, Any]:
        """Whether y misses z, and whether z follows y: the two ways in which y may come first."""
        if (y, z) not in self._ways:
            follows = self._follows(z, y) if y < z else z3.BoolVal(False)
            self._ways[y, z] = (
                self._named(f"misses{y}_{z}", self._misses(y, z)),
                self._named(f"follows{y}_{z}", follows),
            )
        return self._ways[y, z]

    def _no_way_back(self, i: int) -> tuple[Any, ...]:
        """That the rule "read through append" does not refuse i: there is a set of winners.

        Those that have read an append which i misses are in it, those that may have to follow
        one of it are, and none of it may have to come before i.
        """
        reached = self._bools(f"reached{i}", range(i))
        hidden = [z3.Not(self.shows(i, j)) for j in range(i)]
        found = []
        for y, z in product(range(i), range(i)):
            if y == z:
                continue
            follows, built = self._way(y, z)
            if y < z:
                missed = z3.And(hidden[y], self.blind[y], self.covers(i, y))
                found.append(z3.Implies(z3.And(missed, built), reached[z]))
            found.append(
                z3.Implies(z3.And(reached[y], hidden[z], z3.Or(follows, built)), reached[z])
            )
        for y in range(i):
            older = _any(z3.And(self.shows(i, m), z3.Not(self.shows(y, m))) for m in range(y))
            back = z3.Or(z3.And(older, z3.Not(self.blind[y])), self._way(y, i)[0])
            found.append(z3.Not(z3.And(reached[y], back)))
        return tuple(found)

    def changes_matches(self, i: int, j: int) -> Any:
        """Whether j's commit changes for some row whether a predicate of i matches it."""
        if not self.every_kind:
            return self._changes_matches(self.reads[i], j)
        return z3.Or(
            self._changes_matches(self.takes_out[i], j),
            self._changes_matches(self.only_reads[i], j),
        )

    def _changes_matches(self, reads: list[Any], j: int) -> Any:
        taken = [_any(self.takes[j][x, c] for x in (SETUP, *range(j))) for c in self.cells]
        leaves = _any(z3.And(taken[c], reads[c]) for c in self.cells)
        enters = _any(z3.And(self.puts[j][c], reads[c]) for c in self.cells)
        from_outside = _any(z3.And(taken[c], z3.Not(reads[c])) for c in self.cells)
        # Rows that stay where they are match as before; a move has one target, which it
        # takes no rows out of.
        moved_in = z3.And(enters, z3.Or(z3.Not(self.removes[j]), from_outside))
        moved_out = z3.And(leaves, z3.Not(enters))
        moved = z3.If(self.replaces[j], z3.Or(enters, leaves), z3.Or(moved_in, moved_out))
        return z3.And(z3.Not(self.in_place[j]), moved)

    def changes_item(self, i: int, j: int) -> Any:
        """Whether j ends a row version that i has read."""
        return _any(
            z3.And(self.takes[j][v], self.sees[i][v], self.reads[i][v[1]])
            for v in self._versions(min(i, j))
        )

    def edge(self, i: int, j: int) -> Any:
        """Whether the graph has a direct conflict from i to j (ww, wr or rw)."""
        parts = []
        if i < j:
            seen = [
                z3.And(self.sees[j][i, c], self.reads[j][c]) for c in self.cells
            ]  # wr of an item; who overwrites has read, so ww needs no case of its own
            shown = self.shows(j, i)
            parts.append(z3.And(shown, z3.Or(*seen, self.changes_matches(j, i))))
        hidden = z3.Not(self.shows(i, j)) if j < i else z3.BoolVal(True)
        parts.append(z3.And(hidden, z3.Or(self.changes_item(i, j), self.changes_matches(i, j))))
        return z3.Or(*parts)

    def violates(self, level: str) -> tuple[Any, ...]:
        """That the graph of the writers has a cycle: a set in which each has a successor.

        At Serializable the order of the log is part of the graph.
        """
        inside = [z3.Bool(f"on_cycle{i}") for i in self.writers]
        found: list[Any] = [_any(inside)]
        for i in self.writers:
            onwards = [
                inside[j]
                if level == SERIALIZABLE and i < j
                else z3.And(inside[j], self._named(f"edge_{level}_{i}_{j}", self.edge(i, j)))
                for j in self.writers
                if j != i
            ]
            found.append(z3.Implies(inside[i], _any(onwards)))
        return tuple(found)

    def is_not(self, found: Footprints) -> Any:
        """That a solution is another one."""
        parts: list[Any] = []

        def other(variables: Iterable[Any], places: frozenset[int]) -> None:
            parts.extend(v != (place in places) for place, v in enumerate(variables))

        def partitions(cells: frozenset[int]) -> frozenset[int]:
            return frozenset(cell // self.values for cell in cells)

        for i in self.writers:
            reads, removes = found.reads[i], found.removes[i]
            other(self.in_target[i], partitions(removes))
            other(self.in_source[i], partitions(reads - removes))
            if self.values > 1:
                other(self.with_value[i], frozenset(cell % self.values for cell in reads))
            other(self.adds[i], found.adds[i])
            other(self.begin[i], frozenset({found.begins[i]}))
        other(self.replaces, found.replaces)
        other(self.filled, found.filled)
        other(self.together, found.together)
        return z3.Or(*parts)

    @property
    def sizes(self) -> tuple[list[Any], ...]:
        """What a small solution has few of, the most important first: steps, then files.

        Each is a list of formulas, the number of those that are true being what counts. Files
        are those at the beginning and those that the writers add.
        """
        overlapping = [z3.Not(self.begin[i][i]) for i in self.writers]
        files = [
            _any(self.writes_cell(i, c) for c in self.of(p))
            for i, p in product(self.writers, self.partitions)
        ]
        # A partition's first row is in a file, and so is every other that is not beside it.
        for p in self.partitions:
            first, *others = (self.filled[c] for c in self.of(p))
            files.append(_any([first, *others]))
            files += [z3.And(first, other, z3.Not(self.together[p])) for other in others]
        return overlapping, files

    @property
    def cells_used(self) -> list[Any]:
        """The cells that are read, added to and filled, as formulas like those of ``sizes``."""
        return [v for row in (*self.reads, *self.adds, self.filled) for v in row]

    def solver(self, timeout_ms: int) -> Any:
        """A solver with all constraints."""
        solver = z3.SolverFor("QF_FD")
        solver.set("timeout", timeout_ms)
        solver.set("random_seed", SEED)
        solver.add(*self.constraints)
        return solver

    def solution(self, model: Any) -> Footprints:
        """The solution that a model of the solver is."""

        def true(formula: Any) -> bool:
            return bool(z3.is_true(model.eval(formula, model_completion=True)))

        def which(row: list[Any]) -> frozenset[int]:
            return frozenset(p for p, formula in enumerate(row) if true(formula))

        return Footprints(
            tuple(map(which, self.reads)),
            tuple(map(which, self.adds)),
            tuple(map(which, self.takes_out)),
            tuple(min(which(row)) for row in self.begin),
            which(self.filled),
            self.values,
            which(self.together),
            frozenset(i for i in self.writers if true(self.replaces[i])),
        )


def _any(parts: Iterable[Any]) -> Any:
    return z3.Or(*parts)
