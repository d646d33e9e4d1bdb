"""The theorem applied to jobs: it decides whether their runs can form a cycle.

``checker.proofs.theorems.every_transaction`` proves that every cycle over all transactions,
readers included, has two parts:

- a *missed append*: T has an rw edge to a blind append B, and X depends on B. X began after B's
  commit and ended (a reader: took its snapshot) before T's;
- a *way back*: W has an rw edge to Z, which is not a blind append, and W began and ended (a
  reader: took its snapshot) while Z ran.

So if no three jobs can be T, B and X, or no two can be W and Z, the jobs always have a serial
order. z3 decides both, job by job, over unknown rows and parameters.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any

import z3

from checker.robustness.symbolic.access import Job
from checker.robustness.symbolic.expressions import SymbolicRow, fresh_row
from checker.robustness.symbolic.footprint import Access, Addition
from checker.solving import Limits, ask

LIMITS = Limits(resources=5_000_000, wall_ms=10_000)
"""Limits of one question to z3; the steps are reached first."""

MOST_REMEMBERED = 20_000
"""The number of answers about the same jobs that are remembered: remedies ask them again."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The jobs that can play each part of a cycle, by name.

    ``appends`` can be blind appends, ``missed`` are pairs (T, B), ``triples`` (T, B, X), ``backs``
    (W, Z). The last two have only jobs that can be on one cycle.
    """

    appends: tuple[str, ...]
    missed: tuple[tuple[str, str], ...]
    triples: tuple[tuple[str, str, str], ...]
    backs: tuple[tuple[str, str], ...]

    @property
    def impossible(self) -> bool:
        """Whether no run of the jobs can have a cycle."""
        return not self.triples or not self.backs


def shape(jobs: Sequence[Job], among: Sequence[Job] = ()) -> Shape:
    """The jobs that can play the parts that every cycle needs.

    ``among`` are all jobs that a cycle may contain, if these are more than ``jobs``: a job that
    runs alone plays none of the parts, but may still be on a cycle.
    """
    appends = [job for job in jobs if job.run().blind]
    missed = [(t, b) for t, b in product(jobs, appends) if misses(t, b)]
    triples = [(t, b, x) for (t, b), x in product(missed, jobs) if builds_on(t, b, x)]
    backs = [(w, z) for w, z in product(jobs, jobs) if leads_back(w, z)]
    groups = _groups(among or jobs)
    together = [
        (triple, back)
        for triple, back in product(triples, backs)
        if len({groups[job.name] for job in (*triple, *back)}) == 1
    ]
    return Shape(
        tuple(job.name for job in appends),
        tuple((t.name, b.name) for t, b in missed),
        tuple(dict.fromkeys((t.name, b.name, x.name) for (t, b, x), _ in together))
        if backs
        else tuple((t.name, b.name, x.name) for t, b, x in triples),
        tuple(dict.fromkeys((w.name, z.name) for _, (w, z) in together))
        if triples
        else tuple((w.name, z.name) for w, z in backs),
    )


@lru_cache(maxsize=MOST_REMEMBERED)
def misses(t: Job, b: Job) -> bool:
    """Whether T, a writer, may read a row that B adds."""
    miss, append = t.run(), b.run()
    if not miss.writer or miss.alone:
        return False
    return any(_possible(row.when, miss.reads(row.row)) for row in append.appended)


@lru_cache(maxsize=MOST_REMEMBERED)
def builds_on(t: Job, b: Job, x: Job) -> bool:
    """Whether X may read a row of B, T may miss one, and T may commit nevertheless."""
    return any(_possible(*way) for way, _ in ways_to_build(t, b, t.run(), x.run()))


def ways_to_build(
    t: Job, b: Job, miss: Access, builder: Access
) -> Iterator[tuple[list[Any], Access]]:
    """The conditions of each way in which X can build on a row of B that T misses.

    ``miss`` is the run of T, ``builder`` the one of X; the second part is the run of B.
    """
    for missed, met, append in _pairs(b):
        conditions = [missed.when, met.when, miss.reads(missed.row), builder.reads(met.row)]
        if builder.reader and not builder.takes_what_it_reads:
            # A run that takes what it reads is a reader only if it read nothing.
            yield conditions, append[0]
        if builder.writer:
            written = (*builder.surely_adds(met.row), *_surely(builder, append))
            passes = _passes(miss, written, (missed.row, met.row), t)
            yield conditions + passes, append[0]


def _pairs(b: Job) -> Iterator[tuple[Addition, Addition, Sequence[Access]]]:
    """Two rows that one run of B appends, or one row twice, with the accesses of that run."""
    one, again = b.looks(2)
    rows = one.appended
    for place, row in enumerate(rows):
        yield row, row, (one,)
        if row.many:
            yield row, again.appended[place], (one, again)
        for other in (*rows[:place], *rows[place + 1 :]):
            yield row, other, (one,)


@lru_cache(maxsize=MOST_REMEMBERED)
def leads_back(w: Job, z: Job) -> bool:
    """Whether Z may change what W read although W ran within it, and commit nevertheless."""
    return any(_possible(*way) for way, _ in ways_back(z, w.run(), z.run()))


def ways_back(
    z: Job, inner: Access, outer: Access
) -> Iterator[tuple[list[Any], SymbolicRow | None]]:
    """The conditions of each way in which Z can change what W read while W ran within it.

    ``inner`` is the run of W, ``outer`` the one of Z. The second part is the row that the table
    has before both, if the way needs one.
    """
    if not outer.writer or outer.alone or outer.only_blind:
        return
    for row in outer.adds:
        conditions = [row.when, inner.reads(row.row)]
        if row.origin is not None:
            # Z cannot change a row that W took out: it would fail.
            conditions.append(z3.Not(inner.takes(row.origin)))
        if inner.reader:
            yield conditions, row.origin
        # W did not necessarily meet the row: Z adds it later.
        if inner.writer:
            passes = _passes(outer, _surely(inner, (outer,)), (row.row,), z)
            yield conditions + passes, row.origin
    if inner.takes_what_it_reads:
        return  # Z would take out rows that are gone.
    job_row = _row(z)
    conditions = [outer.removes(job_row), inner.reads(job_row), z3.Not(inner.takes(job_row))]
    if inner.reader:
        yield conditions, job_row
    if inner.writer:
        written = (*inner.surely_adds(job_row), *inner.surely_adds(None))
        yield conditions + _passes(outer, written, (job_row,), z), job_row


def _row(job: Job) -> SymbolicRow:
    return fresh_row(job.types)


def _surely(run: Access, others: Sequence[Access]) -> list[Addition]:
    """The rows that a run adds whatever it read, given the rows of other tables that others met."""
    derived = [
        added
        for other in others
        for table, row in other.sources
        for added in run.surely_derives(table, row)
    ]
    return [*run.surely_adds(None), *derived]


def _passes(
    attempt: Access,
    written: Iterable[Addition],
    met: Sequence[SymbolicRow],
    job: Job,
) -> list[Any]:
    """Conditions for the attempt to pass a winner that is not a blind append and wrote these rows.

    A row whose partition the attempt's footprint covers would stop it. The footprint covers each
    partition with a row that the attempt reads if it is there: a row written, or one of ``met``
    moved to its partition. (If the partition is computed from other columns, a row cannot be
    moved by changing its partition alone.)
    """
    conditions, partitions = [], job.partitions
    for added in written:
        if not partitions:
            stopped: Any = z3.BoolVal(True)
        else:
            moved = [
                tuple(added.row[i] if i in partitions else cell for i, cell in enumerate(row))
                for row in met
                if job.movable
            ]
            stopped = z3.Or(*(attempt.covers(row) for row in (added.row, *moved)))
        conditions.append(z3.Not(z3.And(added.when, stopped)))
    return conditions


def _possible(*conditions: Any) -> bool:
    """Whether conditions can hold together; also True if the solver does not decide."""
    solver = z3.Solver()
    solver.add(*conditions)
    return ask(solver, LIMITS).answer != "unsat"


def _groups(jobs: Sequence[Job]) -> Mapping[str, int]:
    """Group numbers of jobs; those connected by conflicts, which can be on one cycle, share one."""
    group = {job.name: place for place, job in enumerate(jobs)}
    for one, other in product(jobs, jobs):
        if group[one.name] != group[other.name] and conflict(one, other):
            old, new = group[other.name], group[one.name]
            group = {name: new if at == old else at for name, at in group.items()}
    return group


@lru_cache(maxsize=MOST_REMEMBERED)
def conflict(one: Job, other: Job) -> bool:
    """Whether a run of the first may write what a run of the other reads or takes out."""
    writer, reader = one.run(), other.run()
    row = _row(one)
    adds_read_row = any(
        _possible(a.when, z3.Or(reader.reads(a.row), reader.removes(a.row))) for a in writer.adds
    )
    return adds_read_row or _possible(
        writer.removes(row), z3.Or(reader.reads(row), reader.removes(row))
    )
