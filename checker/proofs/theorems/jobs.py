"""Theorem: from the two parts of every cycle to jobs that always have a serial order.

``every_transaction`` finds the parts in a history; ``checker.robustness.roles`` asks of jobs, in
advance, who can play them. The lemmas here are the steps between: which row X met, whom a row
that X adds stops, what W took from Z, and that a cycle stays among jobs that conflicts connect.

Left to tests (``tests/checker/robustness/test_roles.py``) is one premise: what a run does,
``checker.robustness .access`` allows its job to do. It is about code, and is held against runs in
the model.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import z3

from checker.proofs.lemma import IN_EVERY_READING, Assumption, Claim, Lemma, Theorem
from checker.proofs.rule_formulas import facts
from checker.proofs.rule_formulas.symbols import SymbolicFacts
from checker.proofs.theorems.every_transaction import missed_append
from checker.proofs.theorems.log_order import completeness, next_version_rule
from checker.proofs.theorems.order import Log
from checker.proofs.theorems.unseen_append import edges_of_writers


class _Versions:
    """The versions of one row, from that which B appended: who wrote each, and what X makes of it.

    ``answer`` is what the predicate of X says of a version: ``no``, or that it matches, or that
    the statement fails on it. A version that says that the row is gone answers ``no``.
    """

    def __init__(self, log: Log) -> None:
        self.log = log
        self.Version = z3.DeclareSort("Version")
        self.Answer = z3.DeclareSort("Answer")
        self.no = z3.Const("no", self.Answer)
        self.answer = z3.Function("answer", self.Version, self.Answer)
        self.by = z3.Function("by", self.Version, log.Txn)
        self.follows = z3.Function("follows", self.Version, self.Version, z3.BoolSort())
        self.path = z3.Function("path", log.Txn, log.Txn, z3.BoolSort())

    def seen(self, x: Any, version: Any) -> Any:
        """Whether the snapshot of x shows the commit that wrote a version."""
        return self.log.sees(x, self.by(version))

    def last_seen(self, x: Any, version: Any) -> Any:
        """Whether a version is the one in the snapshot of x."""
        later = z3.Const("later", self.Version)
        overwritten = z3.And(self.follows(version, later), self.seen(x, later))
        return z3.And(self.seen(x, version), z3.Not(z3.Exists([later], overwritten)))

    def overwriting(self) -> Assumption:
        """The edge between the writers of two versions."""
        v, w = z3.Consts("v w", self.Version)
        edge = self.log.ww(self.by(v), self.by(w))
        return Assumption(
            "the next version",
            "A ww edge leads from who wrote a version to who wrote the next one.",
            z3.ForAll([v, w], z3.Implies(self.follows(v, w), edge)),
            premise=True,
        )


def _first_change() -> Claim:
    log = Log()
    rows = _Versions(log)
    blind = z3.Function("blind", log.Txn, z3.BoolSort())
    t, b, x = log.txns("T B X")
    first, nxt = z3.Consts("first next", rows.Version)
    lt, c = log.earlier, log.commit
    depends = z3.Or(log.wr(b, x), log.ww(b, x))
    d = rows.by(nxt)
    return Claim(
        (
            *edges_of_writers(log),
            rows.overwriting(),
            Assumption(
                "the missed append",
                "T misses the blind append B, X depends on it and is over before T's commit "
                '(the lemma "the last place on the cycle misses an append").',
                z3.And(missed_append(log, blind, t, b, x), depends, rows.by(first) == b),
                premise=True,
            ),
            Assumption(
                "a version in its snapshot",
                "X did not meet the row as B added it: some next version is in its snapshot or "
                "older than that.",
                z3.And(rows.follows(first, nxt), rows.seen(x, nxt)),
                premise=True,
            ),
        ),
        goal=z3.And(
            missed_append(log, blind, t, b, d),
            lt(c(d), c(t)),
            rows.seen(d, first),
            d != b,
        ),
        witness=z3.And(z3.Not(log.writer(x)), log.wr(b, x)),
        background=log.linear(),
    )


def _path_to_x() -> Claim:
    log = Log()
    rows = _Versions(log)
    d, x, y, z = log.txns("D X y z")
    version, nxt = z3.Consts("version next", rows.Version)

    def reached(v: Any) -> Any:
        matters = z3.And(rows.seen(x, v), rows.answer(v) != rows.no)
        return z3.And(matters, z3.Or(rows.by(v) == d, rows.path(d, rows.by(v))))

    changed = rows.answer(version) != rows.answer(nxt)
    v, w = z3.Consts("v w", rows.Version)
    return Claim(
        (
            rows.overwriting(),
            Assumption(
                "paths",
                "A path of ww and wr edges, one edge more.",
                z3.ForAll(
                    [y, z],
                    z3.And(
                        z3.Implies(z3.Or(log.ww(d, y), log.wr(d, y)), rows.path(d, y)),
                        z3.Implies(
                            z3.And(rows.path(d, y), z3.Or(log.ww(y, z), log.wr(y, z))),
                            rows.path(d, z),
                        ),
                    ),
                ),
                premise=True,
            ),
            Assumption(
                "what X read",
                "X depends on who wrote a version in its snapshot that matters to it, and on who "
                "changed, before its snapshot, whether the row matters.",
                z3.ForAll(
                    [v, w],
                    z3.And(
                        z3.Implies(
                            z3.And(rows.last_seen(x, v), rows.answer(v) != rows.no),
                            log.wr(rows.by(v), x),
                        ),
                        z3.Implies(
                            z3.And(
                                rows.follows(v, w),
                                rows.seen(x, w),
                                rows.answer(v) != rows.answer(w),
                            ),
                            log.wr(rows.by(w), x),
                        ),
                    ),
                ),
                premise=True,
            ),
            Assumption(
                "induction hypothesis",
                "A version that matters to X and that its snapshot shows was written by D, the "
                "first to change the row, or a path leads from D to who wrote it.",
                reached(version),
                premise=True,
            ),
        ),
        goal=z3.Or(
            rows.path(d, x),
            z3.Exists([w], z3.And(rows.follows(version, w), reached(w))),
        ),
        witness=z3.And(rows.follows(version, nxt), rows.seen(x, nxt), z3.Not(changed)),
    )


def _noted(f: SymbolicFacts, *more: str) -> Iterator[Assumption]:
    """The premises that a statement's reads are noted as predicates; and more premises, by name."""
    names = (
        "footprint completeness, files to come",
        "reading the whole table is noted beside a predicate or a file",
        *more,
    )
    return (assumption for assumption in completeness(f) if assumption.name in names)


def _who_reads() -> Claim:
    f = SymbolicFacts()
    file, row = z3.Const("f", f.File), z3.Const("r", f.Row)
    met = z3.And(f.at_snapshot(file), f.holds(file, row), f.matches(row))
    return Claim(
        tuple(_noted(f)),
        goal=z3.Implies(met, z3.Not(f.t_blind)),
        witness=z3.And(met, z3.Not(f.t_whole)),
    )


def _addition_stops() -> Claim:
    f = SymbolicFacts()
    added, met = z3.Consts("added met", f.File)
    row = z3.Const("r", f.Row)
    would_read = z3.And(f.holds(met, row), f.matches(row))
    here = z3.Or(f.unpartitioned, f.partition(met) == f.partition(added))
    checked = z3.Bool("checked_at_write_serializable")
    return Claim(
        (
            *_noted(f, "who states files again reads no row"),
            Assumption(
                "level in force",
                "A statement that reads a row is checked at WriteSerializable or above it.",
                z3.Implies(z3.Exists([row], f.matches(row)), checked),
                premise=True,
            ),
            next_version_rule(f),
            Assumption(
                "added files",
                "The attempt passed the rule: no winner that is not a blind append added a file "
                "that the attempt would have read.",
                z3.Implies(checked, z3.Not(facts.added_files_but_appends(f))),
                rule="added files",
                weakened={
                    "not in a table without partitions": z3.Implies(
                        checked,
                        z3.Not(z3.And(z3.Not(f.unpartitioned), facts.added_files_but_appends(f))),
                    ),
                },
            ),
            Assumption(
                "the winner read a row",
                'So it is no blind append (the lemma "who meets a row is no blind append"), and '
                "does not only state files again.",
                z3.Not(z3.Or(f.w_blind, f.w_restates)),
                premise=True,
            ),
        ),
        goal=z3.Not(z3.And(would_read, here, f.w_adds(added))),
        witness=z3.And(would_read, f.w_adds(added), z3.Not(f.unpartitioned)),
    )


def _taken_away() -> Claim:
    f = SymbolicFacts()
    mine, theirs = z3.Consts("mine theirs", f.File)
    row = z3.Const("r", f.Row)
    one, other = z3.Consts("x y", f.File)
    changes = z3.And(f.t_removes(mine), f.holds(mine, row))
    takes = z3.And(f.live(theirs), f.holds(theirs, row), f.w_removes(theirs))
    return Claim(
        (
            Assumption(
                "a row is in one file",
                "A version of a row is in one file of a snapshot.",
                z3.ForAll(
                    [one, other, row],
                    z3.Implies(
                        z3.And(f.live(one), f.live(other), f.holds(one, row), f.holds(other, row)),
                        one == other,
                    ),
                ),
                premise=True,
            ),
            Assumption(
                "what it removes is there",
                "Every file that the attempt removes is live before this winner (the lemma "
                '"one more winner").',
                f.every_file(lambda x: z3.Implies(f.t_removes(x), f.live(x))),
                premise=True,
            ),
            Assumption(
                "delete delete",
                "No winner removed a file that the attempt removes.",
                z3.Not(facts.delete_delete(f)),
                rule="delete delete",
                weakened={
                    "only files that were read": f.no_file(
                        lambda x: z3.And(f.w_removes(x), f.t_removes(x), f.t_reads(x))
                    )
                },
            ),
        ),
        goal=z3.Not(z3.And(changes, takes)),
        witness=z3.And(changes, f.some_file(f.w_removes)),
    )


class _Jobs:
    """Transactions as runs of jobs, in groups that conflicts connect."""

    def __init__(self) -> None:
        self.Txn = z3.DeclareSort("Txn")
        self.Job = z3.DeclareSort("Job")
        self.Group = z3.DeclareSort("Group")
        self.job = z3.Function("job", self.Txn, self.Job)
        self.group = z3.Function("group", self.Job, self.Group)
        self.edge = z3.Function("edge", self.Txn, self.Txn, z3.BoolSort())
        self.path = z3.Function("path", self.Txn, self.Txn, z3.BoolSort())
        truth = z3.BoolSort()
        self.conflict = z3.Function("conflict", self.Job, self.Job, truth)
        self.triple = z3.Function("triple", self.Job, self.Job, self.Job, truth)
        self.back = z3.Function("back", self.Job, self.Job, truth)
        self.missed = z3.Function("missed", self.Txn, self.Txn, self.Txn, truth)
        self.way_back = z3.Function("way_back", self.Txn, self.Txn, truth)
        self.on_cycle = z3.Function("on_cycle", self.Txn, truth)

    def of(self, txn: Any) -> Any:
        """The group of a transaction's job."""
        return self.group(self.job(txn))


def _one_group() -> Claim:
    jobs = _Jobs()
    x, y, z = z3.Consts("x y z", jobs.Txn)
    one, other = z3.Consts("one other", jobs.Job)
    return Claim(
        (
            Assumption(
                "edges are conflicts",
                "An edge between two runs is a conflict that their jobs can have.",
                z3.ForAll(
                    [x, y],
                    z3.Implies(jobs.edge(x, y), jobs.conflict(jobs.job(x), jobs.job(y))),
                ),
                premise=True,
            ),
            Assumption(
                "groups",
                "Jobs that can have a conflict are in one group.",
                z3.ForAll(
                    [one, other],
                    z3.Implies(jobs.conflict(one, other), jobs.group(one) == jobs.group(other)),
                ),
                premise=True,
            ),
            Assumption(
                "induction hypothesis",
                "Paths of up to so many edges stay in one group.",
                z3.ForAll([x, y], z3.Implies(jobs.path(x, y), jobs.of(x) == jobs.of(y))),
                premise=True,
            ),
        ),
        goal=z3.And(
            z3.Implies(jobs.edge(x, y), jobs.of(x) == jobs.of(y)),
            z3.Implies(z3.And(jobs.path(x, y), jobs.edge(y, z)), jobs.of(x) == jobs.of(z)),
        ),
        witness=z3.And(jobs.path(x, y), jobs.edge(y, z), jobs.job(x) != jobs.job(z)),
    )


def _no_cycle() -> Claim:
    jobs = _Jobs()
    t, b, x, w, z = z3.Consts("t b x w z", jobs.Txn)
    jt, jb, jx, jw, jz = z3.Consts("jt jb jx jw jz", jobs.Job)
    u, v = z3.Consts("u v", jobs.Txn)

    def together(*members: Any) -> Any:
        return z3.And(*(jobs.group(members[0]) == jobs.group(member) for member in members[1:]))

    cycle = z3.Exists([u], jobs.on_cycle(u))
    parts = z3.Exists(
        [t, b, x, w, z],
        z3.And(
            *(jobs.on_cycle(txn) for txn in (t, b, x, w, z)),
            jobs.missed(t, b, x),
            jobs.way_back(w, z),
        ),
    )
    able = z3.ForAll(
        [t, b, x, w, z],
        z3.And(
            z3.Implies(jobs.missed(t, b, x), jobs.triple(jobs.job(t), jobs.job(b), jobs.job(x))),
            z3.Implies(jobs.way_back(w, z), jobs.back(jobs.job(w), jobs.job(z))),
        ),
    )
    impossible = z3.ForAll(
        [jt, jb, jx, jw, jz],
        z3.Not(z3.And(jobs.triple(jt, jb, jx), jobs.back(jw, jz), together(jt, jb, jx, jw, jz))),
    )
    return Claim(
        (
            Assumption(
                "both parts are on every cycle",
                'The theorem "Every transaction", X being one that met the append (the lemmas '
                "above).",
                z3.Implies(cycle, parts),
                premise=True,
            ),
            Assumption(
                "what runs do, their jobs can",
                "Of runs that play a part, roles.py says that their jobs can. (Held against runs "
                "in the model: tests/checker/robustness/test_roles.py.)",
                able,
                premise=True,
            ),
            Assumption(
                "a cycle is in one group",
                "The lemma before.",
                z3.ForAll(
                    [u, v],
                    z3.Implies(
                        z3.And(jobs.on_cycle(u), jobs.on_cycle(v)), jobs.of(u) == jobs.of(v)
                    ),
                ),
                premise=True,
            ),
            Assumption(
                "the answer robust",
                "No jobs of one group can play both parts: no three T, B and X, or no two W and Z.",
                impossible,
                premise=True,
            ),
        ),
        goal=z3.Not(cycle),
        witness=z3.And(
            z3.Exists([jt, jb, jx], jobs.triple(jt, jb, jx)),
            z3.Exists([jw, jz], jobs.back(jw, jz)),
        ),
    )


LEMMAS = (
    Lemma(
        "X may be the one that met the append",
        "T misses the append B, X depends on B, and another version of B's row was written before "
        "X's snapshot. Then D, who wrote the version after B's, met the row as B added it, began "
        "after B's commit and ended before T's: D has the place of X.",
        _first_change,
        {},
    ),
    Lemma(
        "from there a path leads to X",
        "From D, the first to change the row, a path of ww and wr edges leads to X, so that D is "
        "on the cycle. (The inductive step, over the versions of the row.)",
        _path_to_x,
        {},
    ),
    Lemma(
        "who meets a row is no blind append",
        "A transaction that met a row is no blind append, so its additions count for others.",
        _who_reads,
        {},
    ),
    Lemma(
        "a row added where the attempt reads stops it",
        "A winner that met a row and added one to a partition (or to a table without partitions) "
        "in which the attempt would have read some row makes the attempt fail.",
        _addition_stops,
        {},
    ),
    Lemma(
        "what a winner took is not there to change",
        "A row that W changed or took out while Z ran is none that Z changes or takes out.",
        _taken_away,
        {},
    ),
    Lemma(
        "a cycle stays in one group",
        "Conflicts lead from a job to one of its own group, so a cycle is among the runs of one "
        "group's jobs. (One edge, and the inductive step.)",
        _one_group,
        {},
    ),
    Lemma(
        "no parts, no cycle",
        "If no group has jobs that can play both parts, no history of their runs has a cycle.",
        _no_cycle,
        {},
    ),
)

THEOREM = Theorem(
    "Jobs: what makes them robust",
    "Where no jobs that conflicts connect can play T, B and X as well as W and Z, every history "
    "that the rules of delta-spark-4.4 admit at WriteSerializable has a serial order of all its "
    "transactions, readers included, however many runs of the jobs there are.",
    LEMMAS,
    readings=IN_EVERY_READING,
)
