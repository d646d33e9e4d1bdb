"""The conflict rules of a profile and the violations of a level, over histories of n writers.

The rules are those of a profile about files (``checker.synthesis.rules``), the edges those of
``checker.judging.dependencies``. Compactions, readers and changes of the definition are left out:
by the theorems (``docs/theorems.md``) they add no violation to the rules of delta-spark-4.4.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import Any

import z3

from checker.synthesis.footprints import SETUP, Footprints
from checker.synthesis.histories import Histories, any_of
from checker.synthesis.rules import SPARK, RuleSet
from model.levels import SERIALIZABLE

SEED = 0
"""The solver's seed: one question has its answers in one order."""


class Encoding(Histories):
    """The histories of ``Histories`` that the rules admit, their edges, and solutions."""

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
        super().__init__(n, k, table_level, rules, values, every_kind=every_kind)
        self._ways: dict[tuple[int, int], tuple[Any, Any]] = {}
        self._rules()

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
                counted = z3.And(self.removes[j], any_of(self.takes[j].values()))
        if self.rules.inserts_apart:
            counted = z3.And(counted, z3.Or(self.removes[i], self.removes[j]))
        return counted

    def _takes_from(self, i: int, j: int, *, unseen: bool) -> Any:
        """Whether j removes a file of a partition that i reads; ``unseen``: one new to i."""
        older = range(j) if unseen else (SETUP, *range(j))
        return any_of(
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
        """Whether what j wrote, unseen by i, may change what i has read.

        For files of its snapshot i has noted which it read; for later files partitions decide.
        """
        unseen = z3.Not(self.shows(i, j)) if j < i else z3.BoolVal(True)
        if self.values == 1:
            taken = self._takes_from(i, j, unseen=False)  # A file is all of its partition.
        else:
            taken = z3.Or(self.touches_read(i, j), self._takes_from(i, j, unseen=True))
        return z3.And(unseen, z3.Or(self.covers(i, j), taken))

    def _way(self, y: int, z: int) -> tuple[Any, Any]:
        """Whether y misses z, and whether z follows y: two reasons for y to come first."""
        if (y, z) not in self._ways:
            follows = self._follows(z, y) if y < z else z3.BoolVal(False)
            self._ways[y, z] = (
                self._named(f"misses{y}_{z}", self._misses(y, z)),
                self._named(f"follows{y}_{z}", follows),
            )
        return self._ways[y, z]

    def _no_way_back(self, i: int) -> tuple[Any, ...]:
        """That the rule "read through append" does not refuse i: a set of winners exists.

        It has the winners that have read an append which i misses, and those that may have to
        follow one of the set; none of the set may have to come before i.
        """
        reached = self._bools(f"reached{i}", range(i))
        hidden = [z3.Not(self.shows(i, j)) for j in range(i)]
        constraints = []
        for y, z in product(range(i), range(i)):
            if y == z:
                continue
            follows, built = self._way(y, z)
            if y < z:
                missed = z3.And(hidden[y], self.blind[y], self.covers(i, y))
                constraints.append(z3.Implies(z3.And(missed, built), reached[z]))
            constraints.append(
                z3.Implies(z3.And(reached[y], hidden[z], z3.Or(follows, built)), reached[z])
            )
        for y in range(i):
            older = any_of(z3.And(self.shows(i, m), z3.Not(self.shows(y, m))) for m in range(y))
            back = z3.Or(z3.And(older, z3.Not(self.blind[y])), self._way(y, i)[0])
            constraints.append(z3.Not(z3.And(reached[y], back)))
        return tuple(constraints)

    def changes_matches(self, i: int, j: int) -> Any:
        """Whether j's commit changes for some row whether a predicate of i matches it."""
        if not self.every_kind:
            return self._changes_matches(self.reads[i], j)
        return z3.Or(
            self._changes_matches(self.takes_out[i], j),
            self._changes_matches(self.only_reads[i], j),
        )

    def _changes_matches(self, reads: list[Any], j: int) -> Any:
        taken = [any_of(self.takes[j][x, c] for x in (SETUP, *range(j))) for c in self.cells]
        leaves = any_of(z3.And(taken[c], reads[c]) for c in self.cells)
        enters = any_of(z3.And(self.puts[j][c], reads[c]) for c in self.cells)
        from_outside = any_of(z3.And(taken[c], z3.Not(reads[c])) for c in self.cells)
        # Rows that stay where they are match as before; a move has one target, which it
        # takes no rows out of.
        moved_in = z3.And(enters, z3.Or(z3.Not(self.removes[j]), from_outside))
        moved_out = z3.And(leaves, z3.Not(enters))
        moved = z3.If(self.replaces[j], z3.Or(enters, leaves), z3.Or(moved_in, moved_out))
        return z3.And(z3.Not(self.in_place[j]), moved)

    def changes_item(self, i: int, j: int) -> Any:
        """Whether j ends a row version that i has read."""
        return any_of(
            z3.And(self.takes[j][v], self.sees[i][v], self.reads[i][v[1]])
            for v in self._versions(min(i, j))
        )

    def edge(self, i: int, j: int) -> Any:
        """Whether the graph has a direct conflict from i to j (ww, wr or rw)."""
        parts = []
        if i < j:
            seen = [
                z3.And(self.sees[j][i, c], self.reads[j][c]) for c in self.cells
            ]  # wr of an item; a writer that overwrites has read, so ww needs no case of its own
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
        constraints: list[Any] = [any_of(inside)]
        for i in self.writers:
            onwards = [
                inside[j]
                if level == SERIALIZABLE and i < j
                else z3.And(inside[j], self._named(f"edge_{level}_{i}_{j}", self.edge(i, j)))
                for j in self.writers
                if j != i
            ]
            constraints.append(z3.Implies(inside[i], any_of(onwards)))
        return tuple(constraints)

    def is_not(self, excluded: Footprints) -> Any:
        """That a solution differs from one that the solver has given."""
        parts: list[Any] = []

        def other(variables: Iterable[Any], places: frozenset[int]) -> None:
            parts.extend(v != (place in places) for place, v in enumerate(variables))

        def partitions(cells: frozenset[int]) -> frozenset[int]:
            return frozenset(cell // self.values for cell in cells)

        for i in self.writers:
            reads, removes = excluded.reads[i], excluded.removes[i]
            other(self.in_target[i], partitions(removes))
            other(self.in_source[i], partitions(reads - removes))
            if self.values > 1:
                other(self.with_value[i], frozenset(cell % self.values for cell in reads))
            other(self.adds[i], excluded.adds[i])
            other(self.begin[i], frozenset({excluded.begins[i]}))
        other(self.replaces, excluded.replaces)
        other(self.filled, excluded.filled)
        other(self.together, excluded.together)
        return z3.Or(*parts)

    @property
    def sizes(self) -> tuple[list[Any], ...]:
        """The measures of a solution, the most important first: steps, then files.

        Each is a list of formulas: the fewer are true, the smaller the solution. Files are those
        at the beginning and those that the writers add.
        """
        overlapping = [z3.Not(self.begin[i][i]) for i in self.writers]
        files = [
            any_of(self.writes_cell(i, c) for c in self.of(p))
            for i, p in product(self.writers, self.partitions)
        ]
        # A partition's first row is in a file, and so is every other that is not beside it.
        for p in self.partitions:
            first, *others = (self.filled[c] for c in self.of(p))
            files.append(any_of([first, *others]))
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
        """The solution that a model of the solver stands for."""

        def true(formula: Any) -> bool:
            return bool(z3.is_true(model.eval(formula, model_completion=True)))

        def places(row: list[Any]) -> frozenset[int]:
            return frozenset(p for p, formula in enumerate(row) if true(formula))

        return Footprints(
            tuple(map(places, self.reads)),
            tuple(map(places, self.adds)),
            tuple(map(places, self.takes_out)),
            tuple(min(places(row)) for row in self.begin),
            places(self.filled),
            self.values,
            places(self.together),
            frozenset(i for i in self.writers if true(self.replaces[i])),
        )
