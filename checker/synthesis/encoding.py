"""All histories of n writers over k partitions as one formula.

A transaction is its footprint: the partitions that it reads, those that it adds a file to, and
whether it removes what it reads. The statement follows from that (``checker.synthesis.sql``),
so there is no alphabet. Writers are numbered by their commits; the schedule is one variable for
each of them, the number of commits that its snapshot shows. Rows of one writer in one partition
are one file and share their fate, so a pair (writer, partition) names a row version; what was
there before is written by ``SETUP``.

The rules are those of delta-spark-4.4 about files, the edges those of ``checker.dependencies``.
Compactions, readers and changes of the definition have no part: by the theorems
(``docs/theorems.md``) they add no violation.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import permutations, product
from typing import Any

import z3

from checker.proofs.lemma import SEED
from model.rules.base import SERIALIZABLE

SETUP = -1


@dataclass(frozen=True, slots=True)
class Footprints:
    """One solution: the footprints of writers in log order, and the schedule.

    ``reads`` and ``adds`` have partitions from 0; ``removes`` tells whether a writer takes out
    the rows that it reads. ``begins`` has the number of commits that each snapshot shows;
    ``filled`` are the partitions with a row at the beginning.
    """

    reads: tuple[frozenset[int], ...]
    adds: tuple[frozenset[int], ...]
    removes: tuple[bool, ...]
    begins: tuple[int, ...]
    filled: frozenset[int]

    @property
    def canonical(self) -> Footprints:
        """The same with its partitions renamed so that the key is the smallest."""
        used = sorted(frozenset().union(self.filled, *self.reads, *self.adds))
        renamings = (
            dict(zip(order, range(len(used)), strict=True)) for order in permutations(used)
        )
        return min(map(self._renamed, renamings), key=Footprints.key)

    def _renamed(self, names: dict[int, int]) -> Footprints:
        def renamed(partitions: frozenset[int]) -> frozenset[int]:
            return frozenset(names[p] for p in partitions)

        reads, adds = tuple(map(renamed, self.reads)), tuple(map(renamed, self.adds))
        return replace(self, reads=reads, adds=adds, filled=renamed(self.filled))

    def key(self) -> tuple[object, ...]:
        """What solutions are put in order by."""
        sets = (*self.reads, *self.adds, self.filled)
        return (self.begins, self.removes, tuple(tuple(sorted(each)) for each in sets))


class Encoding:
    """The variables and constraints for ``n`` writers over ``k`` partitions.

    ``repaired`` adds the rule "read through append".
    """

    def __init__(self, n: int, k: int, table_level: str, *, repaired: bool = False) -> None:
        self.n, self.k = n, k
        self.table_level = table_level
        self.writers, self.partitions = range(n), range(k)
        self.reads = [self._bools(f"reads{i}") for i in self.writers]
        self.adds = [self._bools(f"adds{i}") for i in self.writers]
        self.removes = [z3.Bool(f"removes{i}") for i in self.writers]
        self.filled = self._bools("filled")
        self.begin = [[z3.Bool(f"begin{i}_{m}") for m in range(i + 1)] for i in self.writers]
        self.constraints: list[Any] = []
        self._schedules()
        self._statements()
        self._files()
        self._rules(repaired)

    def _bools(self, name: str) -> list[Any]:
        return [z3.Bool(f"{name}_{p}") for p in self.partitions]

    def _add(self, *constraints: Any) -> None:
        self.constraints += constraints

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
            reads, adds, removes = self.reads[i], self.adds[i], self.removes[i]
            none = z3.Not(_any(reads))
            one = z3.PbEq([(a, 1) for a in adds], 1)
            same = z3.And(*(r == a for r, a in zip(reads, adds, strict=True)))
            apart = z3.Not(_any(z3.And(r, a) for r, a in zip(reads, adds, strict=True)))
            appends = z3.If(none, _any(adds), one)
            rewrites = z3.And(z3.Not(none), z3.Or(z3.Not(_any(adds)), same, z3.And(one, apart)))
            self._add(z3.If(removes, rewrites, appends))
            self.blind.append(z3.And(none, z3.Not(removes)))
            self.in_place.append(z3.And(removes, same))

    def _files(self) -> None:
        """Which row versions are live after so many commits, and what each commit does."""
        versions = [(x, p) for x in (SETUP, *self.writers) for p in self.partitions]
        live = {(x, p): self.filled[p] if x == SETUP else z3.BoolVal(False) for x, p in versions}
        self.live = [live]
        self.sees: list[dict[tuple[int, int], Any]] = []
        self.takes: list[dict[tuple[int, int], Any]] = []
        self.puts: list[list[Any]] = []
        for i in self.writers:
            sees = {}
            takes = {}
            for x, p in versions:
                shown = _any(
                    z3.And(self.begin[i][m], self.live[m][x, p])
                    for m in range(max(0, x + 1), i + 1)
                )
                sees[x, p] = self._named(f"sees{i}_{x}_{p}", shown)
                takes[x, p] = self._named(
                    f"takes{i}_{x}_{p}", z3.And(self.removes[i], self.reads[i][p], sees[x, p])
                )
            taken = [_any(takes[x, p] for x in (SETUP, *range(i))) for p in self.partitions]
            self._add(z3.Implies(self.removes[i], _any(taken)))
            puts = []
            for p in self.partitions:
                moved_in = z3.If(self.in_place[i], taken[p], _any(taken))
                added = z3.And(self.adds[i][p], z3.Implies(self.removes[i], moved_in))
                puts.append(self._named(f"puts{i}_{p}", added))
            self.sees.append(sees)
            self.takes.append(takes)
            self.puts.append(puts)
            after = {
                (x, p): self._named(
                    f"live{i + 1}_{x}_{p}",
                    puts[p] if x == i else z3.And(self.live[i][x, p], z3.Not(takes[x, p])),
                )
                for x, p in versions
                if x <= i
            }
            self.live.append({**live, **after})

    def _named(self, name: str, formula: Any) -> Any:
        variable = z3.Bool(name)
        self._add(variable == formula)
        return variable

    def _older(self, i: int) -> Iterator[tuple[int, int]]:
        yield from product((SETUP, *range(i)), self.partitions)

    def covers(self, i: int, j: int) -> Any:
        """Whether the reads of i cover a file that j adds."""
        return _any(z3.And(self.reads[i][p], self.puts[j][p]) for p in self.partitions)

    def _touches_read(self, i: int, j: int) -> Any:
        """Whether j removes a file that i has read."""
        return _any(
            z3.And(self.takes[j][x, p], self.sees[i][x, p], self.reads[i][p])
            for x, p in self._older(min(i, j))
        )

    def _rules(self, repaired: bool) -> None:
        for i in self.writers:
            for j in range(i):
                counted = z3.BoolVal(True)
                if self.table_level != SERIALIZABLE:
                    counted = z3.Not(self.blind[j])
                conflict = z3.Or(z3.And(counted, self.covers(i, j)), self._touches_read(i, j))
                self._add(z3.Implies(z3.Not(self.shows(i, j)), z3.Not(conflict)))
            if repaired and self.table_level != SERIALIZABLE:
                self._add(z3.Not(self._refused_by_repair(i)))

    def _refused_by_repair(self, i: int) -> Any:
        through = []
        for b in range(i):
            for x in range(b + 1, i):
                through.append(
                    z3.And(
                        *(z3.Not(self.shows(i, b)), self.blind[b], self.covers(i, b)),
                        *(self.shows(x, b), self.covers(x, b)),
                    )
                )
        back = []
        for y in range(i):
            older = _any(z3.And(self.shows(i, m), z3.Not(self.shows(y, m))) for m in range(y))
            leads = z3.Or(older, self.covers(y, i), self._touches_read(y, i))
            back.append(z3.And(z3.Not(self.shows(i, y)), z3.Not(self.blind[y]), leads))
        return z3.And(_any(through), _any(back))

    def changes_matches(self, i: int, j: int) -> Any:
        """Whether j's commit changes for some row whether the predicate of i matches it."""
        reads = self.reads[i]
        leaves = [
            z3.And(_any(self.takes[j][x, p] for x in (SETUP, *range(j))), reads[p])
            for p in self.partitions
        ]
        enters = [z3.And(self.puts[j][p], reads[p]) for p in self.partitions]
        from_outside = _any(
            z3.And(_any(self.takes[j][x, p] for x in (SETUP, *range(j))), z3.Not(reads[p]))
            for p in self.partitions
        )
        # Rows that stay where they are match as before; a move has one target, which it
        # does not read itself.
        moved_in = z3.And(_any(enters), z3.Or(z3.Not(self.removes[j]), from_outside))
        moved_out = z3.And(_any(leaves), z3.Not(_any(enters)))
        return z3.And(z3.Not(self.in_place[j]), z3.Or(moved_in, moved_out))

    def edge(self, i: int, j: int) -> Any:
        """Whether the graph has a direct conflict from i to j (ww, wr or rw)."""
        parts = []
        if i < j:
            seen = [
                z3.And(self.sees[j][i, p], self.reads[j][p]) for p in self.partitions
            ]  # wr of an item; who overwrites has read, so ww needs no case of its own
            shown = self.shows(j, i)
            parts.append(z3.And(shown, z3.Or(*seen, self.changes_matches(j, i))))
        hidden = z3.Not(self.shows(i, j)) if j < i else z3.BoolVal(True)
        parts.append(z3.And(hidden, z3.Or(self._touches_read(i, j), self.changes_matches(i, j))))
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

    @property
    def chosen(self) -> list[Any]:
        """The variables that make up a solution."""
        flat = [v for row in (*self.reads, *self.adds, *self.begin) for v in row]
        return [*flat, *self.removes, *self.filled]

    @property
    def weight(self) -> list[Any]:
        """The variables of which a small solution has few: files and partitions."""
        flat = [v for row in (*self.reads, *self.adds) for v in row]
        return [*flat, *self.filled, *self.removes]

    def solver(self, timeout_ms: int) -> Any:
        """A solver with all constraints."""
        solver = z3.SolverFor("QF_FD")
        solver.set("timeout", timeout_ms)
        solver.set("random_seed", SEED)
        solver.add(*self.constraints)
        return solver

    def solution(self, model: Any) -> Footprints:
        """The solution that a model of the solver is."""

        def true(variable: Any) -> bool:
            return bool(z3.is_true(model.eval(variable, model_completion=True)))

        def which(row: list[Any]) -> frozenset[int]:
            return frozenset(p for p, variable in enumerate(row) if true(variable))

        return Footprints(
            tuple(map(which, self.reads)),
            tuple(map(which, self.adds)),
            tuple(map(true, self.removes)),
            tuple(min(which(row)) for row in self.begin),
            which(self.filled),
        )


def _any(parts: Any) -> Any:
    return z3.Or(*parts)
