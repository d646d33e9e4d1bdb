"""Theorem: a history can be judged segment by segment, as ``pipeline.segments`` does.

It is about histories with a known order of versions, the log, and no engine's rules. A *cut* is a
place right behind a transaction that no edge against the log goes over; a segment is what lies
between two neighbouring cuts. A version of a key is named by its writer; the initial ones have a
writer before all others.
"""

from __future__ import annotations

from typing import Any

import z3

from checker.proofs.lemma import Assumption, Claim, Formula, Lemma, Theorem


class _Log:
    """Transactions in the order of the log, the versions of keys, and the edges between them."""

    def __init__(self) -> None:
        truth = z3.BoolSort()
        self.Txn, self.Key = z3.DeclareSort("Txn"), z3.DeclareSort("Key")
        self.before = z3.Function("before", self.Txn, self.Txn, truth)
        self.edge, self.path, self.wr, self.ww, self.rw = (
            z3.Function(name, self.Txn, self.Txn, truth)
            for name in ("edge", "path", "wr", "ww", "rw")
        )
        self.writes = z3.Function("writes", self.Txn, self.Key, truth)
        self.reads = z3.Function("reads_of", self.Txn, self.Key, self.Txn, truth)

    def txns(self, names: str) -> Any:
        """Variables for transactions."""
        return z3.Consts(names, self.Txn)

    def every(self, names: str, condition: Any) -> Formula:
        """For all transactions; ``condition`` takes as many as there are names."""
        bound = self.txns(names)
        return z3.ForAll(list(bound), condition(*bound))

    def upto(self, x: Any, y: Any) -> Formula:
        """``x`` is ``y`` or comes before it."""
        return z3.Or(x == y, self.before(x, y))

    def line(self) -> tuple[Formula, ...]:
        """Transactions are in a line."""
        lt = self.before
        return (
            self.every("x", lambda x: z3.Not(lt(x, x))),
            self.every("x y z", lambda x, y, z: z3.Implies(z3.And(lt(x, y), lt(y, z)), lt(x, z))),
            self.every("x y", lambda x, y: z3.Or(lt(x, y), x == y, lt(y, x))),
        )

    def cut(self, c: Any, edge: Any) -> Formula:
        """No edge leads from behind ``c`` to ``c`` or before it."""
        return self.every(
            "x y",
            lambda x, y: z3.Not(z3.And(edge(x, y), self.upto(y, c), self.before(c, x))),
        )

    def between(self, x: Any, c: Any, y: Any) -> Formula:
        """The cut behind ``c`` has one of two transactions before it and the other one behind."""
        return z3.Or(
            z3.And(self.upto(x, c), self.before(c, y)), z3.And(self.upto(y, c), self.before(c, x))
        )

    def any_edge(self, x: Any, y: Any) -> Formula:
        """Some edge leads from ``x`` to ``y``."""
        return z3.Or(self.wr(x, y), self.ww(x, y), self.rw(x, y))

    def next_version(self, w: Any, n: Any, k: Any) -> Formula:
        """``n`` wrote the version of the key that replaced that of ``w``."""
        lt = self.before
        return z3.And(
            self.writes(n, k),
            lt(w, n),
            self.every("m", lambda m: z3.Not(z3.And(self.writes(m, k), lt(w, m), lt(m, n)))),
        )


def _cut(log: _Log, c: Any, edge: Any) -> Assumption:
    return Assumption(
        "a cut",
        "No edge leads from a transaction behind the cut to one before it.",
        log.cut(c, edge),
        premise=True,
    )


def _over_a_cut() -> Claim:
    log = _Log()
    c, x, y, z = log.txns("c X Y Z")
    behind = log.before
    return Claim(
        (
            _cut(log, c, log.edge),
            Assumption(
                "induction hypothesis",
                "A path from X behind the cut leads to Y behind the cut.",
                z3.Implies(behind(c, x), behind(c, y)),
                premise=True,
            ),
            Assumption("on the path", "An edge leads on from Y.", log.edge(y, z), premise=True),
        ),
        goal=z3.Implies(behind(c, x), behind(c, z)),
        witness=z3.And(behind(c, x), behind(z, y)),
        background=log.line(),
    )


def _one_segment() -> Claim:
    log = _Log()
    c, x, y = log.txns("c X Y")
    return Claim(
        (
            Assumption(
                "no path goes back over a cut",
                "A path from behind the cut stays behind it (the lemma before).",
                log.every(
                    "x y",
                    lambda x, y: z3.Implies(
                        z3.And(log.path(x, y), log.before(c, x)), log.before(c, y)
                    ),
                ),
                premise=True,
            ),
            Assumption(
                "X and Y on a cycle",
                "Paths lead from X to Y and from Y to X.",
                z3.And(log.path(x, y), log.path(y, x)),
                premise=True,
            ),
        ),
        goal=z3.Not(log.between(x, c, y)),
        witness=z3.And(log.before(x, y), log.before(y, c)),
        background=log.line(),
    )


def _from_behind() -> Claim:
    log = _Log()
    c, x, w = log.txns("c X W")
    k = z3.Const("K", log.Key)
    return Claim(
        (_cut(log, c, log.any_edge), _wr(log)),
        goal=z3.Implies(z3.And(log.reads(x, k, w), log.upto(x, c)), log.upto(w, c)),
        witness=z3.And(log.reads(x, k, w), log.before(x, w), log.upto(w, c)),
        background=log.line(),
    )


def _wr(log: _Log) -> Assumption:
    k = z3.Const("k", log.Key)
    x, w = log.txns("x w")
    return Assumption(
        "wr of a version",
        "A wr edge leads from the writer of a version to whoever else read it.",
        z3.ForAll([x, w, k], z3.Implies(z3.And(log.reads(x, k, w), x != w), log.wr(w, x))),
        premise=True,
    )


def _rw(log: _Log) -> Assumption:
    k = z3.Const("k", log.Key)
    x, w, n = log.txns("x w n")
    return Assumption(
        "rw of a version",
        "An rw edge leads from whoever read a version to the writer of the next one, unless both "
        "are the same.",
        z3.ForAll(
            [x, w, n, k],
            z3.Implies(z3.And(log.reads(x, k, w), log.next_version(w, n, k), x != n), log.rw(x, n)),
        ),
        premise=True,
    )


def _first_version() -> Claim:
    log = _Log()
    c, x, w, n = log.txns("c X W N")
    k = z3.Const("K", log.Key)
    m = z3.Const("m", log.Txn)
    across = z3.And(log.reads(x, k, w), log.upto(w, c), log.before(c, x), log.next_version(w, n, k))
    earlier = z3.Exists([m], z3.And(log.writes(m, k), log.before(c, m), log.before(m, n)))
    return Claim(
        (_cut(log, c, log.any_edge), _rw(log)),
        goal=z3.Implies(across, z3.And(log.before(c, n), z3.Not(earlier))),
        witness=z3.And(across, log.before(n, x), log.rw(x, n)),
        background=log.line(),
    )


def _without_cycle() -> Claim:
    log = _Log()
    c, x, seen, first = log.txns("c X L F")
    return Claim(
        (
            _cut(log, c, log.any_edge),
            Assumption(
                "X has no place",
                "X read or replaced a version by L, and what it read was replaced by F, which is "
                "L or comes before it.",
                z3.And(
                    z3.Or(log.wr(seen, x), log.ww(seen, x)),
                    log.rw(x, first),
                    log.upto(first, seen),
                ),
                premise=True,
            ),
        ),
        goal=z3.Not(z3.Or(log.between(x, c, seen), log.between(x, c, first))),
        witness=z3.And(log.before(c, first), log.before(first, x)),
        background=log.line(),
    )


LEMMAS = (
    Lemma(
        "a path does not go back over a cut",
        "A path that is behind a cut is behind it after one edge more.",
        _over_a_cut,
        {},
    ),
    Lemma(
        "a cycle lies in one segment",
        "Two transactions of one cycle have no cut between them.",
        _one_segment,
        {},
    ),
    Lemma(
        "no version from behind the segment is read",
        "Whoever stands before a cut read no version that was written behind it.",
        _from_behind,
        {},
    ),
    Lemma(
        "versions from before the segment are the last ones",
        "If a transaction behind a cut read a version from before it, then the next version of the "
        "key is the first one behind the cut. So the version can stand for the initial one.",
        _first_version,
        {},
    ),
    Lemma(
        "who has no place is in the segment of the reasons",
        "If a transaction saw a version by L, or replaced one, and read what F replaced, where F "
        "does not come after L, then no cut lies between it and either of them.",
        _without_cycle,
        {},
    ),
)

THEOREM = Theorem(
    "Segments: a log can be judged piece by piece",
    "Cut the log wherever no edge leads back over the cut. Every cycle of a history with a known "
    "order of versions lies in one piece; so do the reasons why a transaction has no place in the "
    "order of the log, or no snapshot. A piece alone, its reads from before it taken for reads of "
    "the initial version, has the edges that it has in the whole.",
    LEMMAS,
    profile=None,
)
