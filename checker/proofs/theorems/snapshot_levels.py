"""Theorem: which levels imply each other in histories of snapshots, beyond the table of levels.

It is about no engine's rules. What it takes for granted is what a snapshot of whole commits is,
and that no row is overwritten or deleted by a transaction that has not read it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import z3

from checker.proofs.lemma import Assumption, Claim, Lemma, Theorem
from checker.proofs.theorems.order import ORDER_LEMMAS, Log


def _snapshots(log: Log) -> tuple[Assumption, ...]:
    """The three kinds of edges, as things that a history of snapshots is taken to have."""
    return tuple(replace(assumption, premise=True) for assumption in log.adya())


def _dependencies_forward() -> Claim:
    log = Log()
    x, y = log.txns("x y")
    ww, wr, _ = _snapshots(log)
    return Claim(
        (ww, wr),
        goal=z3.Implies(z3.Or(log.ww(x, y), log.wr(x, y)), log.before(x, y)),
        witness=z3.And(log.wr(x, y), z3.Not(log.writer(y))),
        background=log.linear(),
    )


class _Rows:
    """The versions of rows: who wrote which row, and who read it in its snapshot's version."""

    def __init__(self, log: Log) -> None:
        self.log = log
        self.Row = z3.DeclareSort("Row")
        self.writes = z3.Function("writes", log.Txn, self.Row, z3.BoolSort())
        self.inserts = z3.Function("inserts", log.Txn, self.Row, z3.BoolSort())
        self.reads = z3.Function("reads", log.Txn, self.Row, z3.BoolSort())
        self.path = log._edge("path_of_ww")
        self.rw_item = log._edge("rw_item")

    def between(self, low: Any, row: Any, high: Any) -> Any:
        """Whether someone wrote the row after the time ``low`` and before ``high``."""
        w = z3.Const("w", self.log.Txn)
        lt, c = self.log.earlier, self.log.commit
        return z3.Exists([w], z3.And(self.writes(w, row), lt(low, c(w)), lt(c(w), high)))

    def versions(self) -> Assumption:
        """What a version of a row is."""
        log, lt, c = self.log, self.log.earlier, self.log.commit
        x, y, r = z3.Const("x", log.Txn), z3.Const("y", log.Txn), z3.Const("r", self.Row)
        return Assumption(
            "versions",
            "Versions of rows come from writers; the transaction that inserts a row writes its "
            "first version.",
            z3.And(
                z3.ForAll([x, r], z3.Implies(self.writes(x, r), log.writer(x))),
                z3.ForAll(
                    [x, y, r],
                    z3.Implies(
                        z3.And(self.inserts(x, r), self.writes(y, r)),
                        z3.Or(x == y, lt(c(x), c(y))),
                    ),
                ),
            ),
        )


def _joined() -> Claim:
    log = Log()
    rows = _Rows(log)
    x, y = log.txns("X Y")
    r = z3.Const("R", rows.Row)
    lt, c = log.earlier, log.commit
    direct = z3.And(rows.writes(x, r), rows.writes(y, r), lt(c(x), c(y)))
    return Claim(
        (
            rows.versions(),
            Assumption(
                "ww",
                "Of two versions of a row without another between them the later one's writer "
                "overwrites the earlier one's.",
                z3.Implies(z3.And(direct, z3.Not(rows.between(c(x), r, c(y)))), log.ww(x, y)),
                premise=True,
            ),
            Assumption(
                "paths",
                "A ww edge is a path, and one path after another is a path.",
                z3.And(
                    log.every("x y", lambda x, y: z3.Implies(log.ww(x, y), rows.path(x, y))),
                    log.every(
                        "x y z",
                        lambda x, y, z: z3.Implies(
                            z3.And(rows.path(x, y), rows.path(y, z)), rows.path(x, z)
                        ),
                    ),
                ),
            ),
            Assumption(
                "induction hypothesis",
                "It holds of versions with fewer others between them.",
                log.every(
                    "w",
                    lambda w: z3.Implies(
                        z3.And(rows.writes(w, r), lt(c(x), c(w)), lt(c(w), c(y))),
                        z3.And(rows.path(x, w), rows.path(w, y)),
                    ),
                ),
                premise=True,
            ),
        ),
        goal=z3.Implies(direct, rows.path(x, y)),
        witness=z3.And(direct, rows.between(c(x), r, c(y))),
        background=log.linear(),
    )


def _overwriters_see() -> Claim:
    log = Log()
    rows = _Rows(log)
    x, y, z = log.txns("X Y Z")
    r = z3.Const("R", rows.Row)
    lt, c, s = log.earlier, log.commit, log.snapshot
    written, row = z3.Const("a", log.Txn), z3.Const("q", rows.Row)
    first = z3.And(rows.writes(z, r), lt(s(y), c(z)), z3.Not(rows.between(s(y), r, c(z))), z != y)
    return Claim(
        (
            rows.versions(),
            Assumption(
                "who overwrites has read",
                "A transaction that writes a version of a row inserts the row, or has read it: "
                "UPDATE, DELETE and MERGE find their rows by reading.",
                z3.ForAll(
                    [written, row],
                    z3.Implies(
                        rows.writes(written, row),
                        z3.Or(rows.inserts(written, row), rows.reads(written, row)),
                    ),
                ),
                premise=True,
            ),
            Assumption(
                "rw of an item",
                "Who read a row, as Y, has an rw edge to the writer of the version that follows "
                "the one in its snapshot, here Z.",
                z3.Implies(z3.And(rows.reads(y, r), first), rows.rw_item(y, z)),
                premise=True,
            ),
            Assumption(
                "joined by overwriting",
                "A path of ww edges leads from each writer of the row to each later one (the "
                "lemma before).",
                log.every(
                    "a b",
                    lambda a, b: z3.Implies(
                        z3.And(rows.writes(a, r), rows.writes(b, r), lt(c(a), c(b))),
                        rows.path(a, b),
                    ),
                ),
                premise=True,
            ),
            Assumption(
                "the level",
                "No cycle of writers has ww edges and one rw edge of an item: a lost update, "
                "which is a G-single (ConsistentView), a G2-item (RepeatableRead) and a G2 of "
                "writers (WriteSerializable).",
                log.every("a b", lambda a, b: z3.Not(z3.And(rows.rw_item(a, b), rows.path(b, a)))),
                premise=True,
            ),
            Assumption(
                "the first that was not seen",
                "If Y overwrites X's version of a row without having seen it, then Z is the first "
                "to write the row after Y's snapshot; it may be X.",
                z3.Implies(lt(s(y), c(x)), first),
            ),
            Assumption(
                "Y overwrites X",
                "X and Y wrote one row, X first.",
                z3.And(rows.writes(x, r), rows.writes(y, r), lt(c(x), c(y))),
                premise=True,
            ),
        ),
        goal=log.sees(y, x),
        witness=z3.And(rows.reads(y, r), z3.Not(rows.inserts(x, r))),
        background=log.linear(),
    )


def _overwriting_is_seen(log: Log) -> Assumption:
    return Assumption(
        "who overwrites has seen",
        "The lemma before: a ww edge leads to a transaction whose snapshot shows the first.",
        log.every("a b", lambda a, b: z3.Implies(log.ww(a, b), log.sees(b, a))),
        premise=True,
    )


def _path_is_seen() -> Claim:
    log = Log()
    path = log._edge("path")
    x, y, z = log.txns("x y z")
    _, wr, _ = _snapshots(log)
    edge = z3.Or(log.ww(y, z), log.wr(y, z), z3.And(log.sees(z, y), y != z))
    return Claim(
        (
            _overwriting_is_seen(log),
            wr,
            Assumption(
                "induction hypothesis",
                "Paths of up to so many edges are like that.",
                log.every("x y", lambda x, y: z3.Implies(path(x, y), log.sees(y, x))),
                premise=True,
            ),
        ),
        goal=z3.And(
            z3.Implies(edge, log.sees(z, y)),
            z3.Implies(z3.And(path(x, y), edge), log.sees(z, x)),
        ),
        witness=z3.And(path(x, y), edge, log.writer(y), z3.Not(log.writer(z))),
        background=log.linear(),
    )


def _nothing_missed() -> Claim:
    log = Log()
    path = log._edge("path")
    t, w = log.txns("T W")
    _, _, rw = _snapshots(log)
    unseen = z3.And(log.writer(w), log.earlier(log.snapshot(t), log.commit(w)))
    return Claim(
        (
            rw,
            Assumption(
                "paths are seen",
                "A path of ww, wr and start edges leads to a snapshot that shows where it comes "
                "from (the lemma before).",
                log.every("x y", lambda x, y: z3.Implies(path(x, y), log.sees(y, x))),
                premise=True,
            ),
        ),
        goal=z3.And(
            z3.Not(z3.And(path(w, t), z3.Or(unseen, log.rw(t, w)))),
            z3.Not(path(t, t)),
        ),
        witness=z3.And(log.rw(t, w), path(t, w)),
        background=log.linear(),
    )


def _in_real_time() -> Claim:
    log = Log()
    x, y = log.txns("x y")
    c, lt = log.commit, log.earlier
    logged = z3.And(log.writer(x), log.writer(y), lt(c(x), c(y)))
    started = z3.And(log.sees(y, x), x != y)
    edge = z3.Or(log.ww(x, y), log.wr(x, y), log.rw(x, y), logged, started)
    return Claim(
        (
            *_snapshots(log),
            Assumption(
                "the level",
                "No cycle has an rw edge of a writer and the order of the log back: Serializable "
                "forbids it.",
                log.every(
                    "a b",
                    lambda a, b: z3.Not(
                        z3.And(log.rw(a, b), log.writer(a), log.writer(b), lt(c(b), c(a)))
                    ),
                ),
                premise=True,
            ),
        ),
        goal=z3.Implies(edge, log.before(x, y)),
        witness=z3.And(started, z3.Not(log.writer(y)), z3.Not(log.wr(x, y))),
        background=log.linear(),
    )


def _with_clocks() -> Claim:
    log = Log()
    x, y, z = log.txns("x y z")
    s, lt = log.snapshot, log.earlier
    clock = z3.DeclareSort("Clock")
    began = z3.Function("began", log.Txn, clock)
    ended = z3.Function("ended", log.Txn, clock)
    tick = z3.Function("tick", clock, clock, z3.BoolSort())
    a, b, c = z3.Consts("a b c", clock)
    clocks = (
        z3.ForAll([a], z3.Not(tick(a, a))),
        z3.ForAll([a, b, c], z3.Implies(z3.And(tick(a, b), tick(b, c)), tick(a, c))),
        z3.ForAll([a, b], z3.Or(tick(a, b), a == b, tick(b, a))),
        log.every("x", lambda x: tick(began(x), ended(x))),
    )

    def before(x: Any, y: Any) -> Any:
        """Readers of one snapshot stand in the order in which they began."""
        readers = z3.And(z3.Not(log.writer(x)), z3.Not(log.writer(y)), s(x) == s(y))
        return z3.Or(log.before(x, y), z3.And(readers, tick(began(x), began(y))))

    edge = log._edge("edge")
    in_turn = tick(ended(x), began(y))
    return Claim(
        (
            Assumption(
                "edges lead forward",
                "Every edge of the graph leads from an earlier place to a later one (the lemmas "
                "before).",
                log.every("x y", lambda x, y: z3.Implies(edge(x, y), log.before(x, y))),
                premise=True,
            ),
            Assumption(
                "snapshots are fresh",
                "A transaction that begins after another one has ended has a snapshot no older "
                "than the other one's, and one that shows the other one's commit.",
                log.every(
                    "x y",
                    lambda x, y: z3.Implies(
                        tick(ended(x), began(y)),
                        z3.If(log.writer(x), log.sees(y, x), log.upto(s(x), s(y))),
                    ),
                ),
                premise=True,
            ),
        ),
        goal=z3.And(
            z3.Implies(z3.Or(edge(x, y), in_turn), before(x, y)),
            z3.Not(before(x, x)),
            z3.Implies(z3.And(before(x, y), before(y, z)), before(x, z)),
        ),
        witness=z3.And(in_turn, z3.Not(log.writer(x)), lt(s(x), s(y)), edge(y, z)),
        background=(*log.linear(), *clocks),
    )


_STRICT_ORDER, _PATHS_FORWARD = ORDER_LEMMAS[1:]

LEMMAS = (
    Lemma(
        "dependencies lead forward",
        "ww and wr edges lead from an earlier place to a later one.",
        _dependencies_forward,
        {},
    ),
    Lemma(
        "the log is in real time",
        "Where Serializable holds, every edge leads from an earlier place to a later one, those "
        "of snapshots included.",
        _in_real_time,
        {},
    ),
    _STRICT_ORDER,
    _PATHS_FORWARD,
    Lemma(
        "clocks agree",
        "Where snapshots are fresh, the order of the places can be chosen so that whoever ends "
        "before another begins stands before it, readers too: it is a strict order, and edges "
        "lead forward in it.",
        _with_clocks,
        {},
    ),
    Lemma(
        "versions of a row are joined by overwriting",
        "A path of ww edges leads from each writer of a row to each later one. (The inductive "
        "step, over the number of versions between them.)",
        _joined,
        {},
    ),
    Lemma(
        "who overwrites has seen",
        "At a level that forbids lost updates, the snapshot of a transaction that overwrites a "
        "version of a row shows the commit that wrote it.",
        _overwriters_see,
        {},
    ),
    Lemma(
        "what a path comes from is seen",
        "Then a path of ww, wr and start edges leads to a transaction whose snapshot shows the "
        "commit that it comes from. (One edge, and the inductive step.)",
        _path_is_seen,
        {},
    ),
    Lemma(
        "nothing is missed",
        "So no such path leads back from a commit that a transaction's snapshot does not show, or "
        "that it has an rw edge to, and none to where it began: no G1c, G-SIa or G-SIb.",
        _nothing_missed,
        {},
    ),
)

THEOREM = Theorem(
    "Levels of histories of snapshots",
    "In histories in which every transaction reads one snapshot of the log and overwrites only "
    "rows that it has read: ReadCommitted always holds; a level that forbids lost updates "
    "(ConsistentView, RepeatableRead, WriteSerializable and all above them) implies "
    "SnapshotIsolation; Serializable implies StrictSerializable, by the clock as well where "
    "snapshots are fresh.",
    LEMMAS,
    profile=None,
)
