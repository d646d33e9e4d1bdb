"""Theorem: with one more rule, delta-spark-4.4 delivers WriteSerializable.

The rule (``model.rules.read_through_append``) refuses an attempt T that misses a blind append B
when a later winner X may have read what B added, and dependencies, as far as footprints can
tell, lead from X through winners to one that T may have to follow.

It is the weakest of the rules that judge by possible dependencies. Such a rule looks at who has
seen whom among T and its winners, who began before T, whose reads cover a file that another one
added or removed, and who reads at all; not at how many versions lie between two snapshots, nor at
which files of older transactions were noted. For each of its refusals there is a violation that
looks the same to all these rules: the lemma "every refusal is needed" finds the cycle, and
``tests/checker/proofs/test_repair_weakest.py`` makes its premises true, "the worst rows" and "the
worst past", in histories that the other rules admit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import z3

from checker.proofs.lemma import IN_EVERY_READING, Assumption, Claim, Lemma, Theorem
from checker.proofs.theorems.order import Log
from checker.proofs.theorems.running_code.repair import LEMMAS as RUNNING
from checker.proofs.theorems.unseen_append import edges_of_writers, shape


class _Footprints:
    """What the rule looks at, of an attempt T and its winners.

    ``covers(p, q)``: p's reads cover a file that q adds or removes. ``reads(p)``: p has noted a
    read at all. ``reached`` are the winners that the rule finds from X on.
    """

    def __init__(self, log: Log, t: Any) -> None:
        self.log, self.t = log, t
        self.covers = log._edge("covers")
        self.blind, self.reads, self.reached = (
            z3.Function(name, log.Txn, z3.BoolSort()) for name in ("blind", "reads", "reached")
        )

    def during(self, y: Any) -> Any:
        """Whether y is a winner: it committed while T ran."""
        lt, s, c, t = self.log.earlier, self.log.snapshot, self.log.commit, self.t
        return z3.And(self.log.writer(y), lt(s(t), c(y)), lt(c(y), c(t)))

    def after(self, p: Any, q: Any) -> Any:
        """q has seen p, and its reads cover what p wrote."""
        return z3.And(self.log.sees(q, p), self.covers(q, p))

    def unseen(self, p: Any, q: Any) -> Any:
        """p has not seen q, and its reads cover what q wrote."""
        return z3.And(z3.Not(self.log.sees(p, q)), self.covers(p, q))

    def may_depend(self, p: Any, q: Any) -> Any:
        """``model.rules.read_through_append.may_depend``."""
        return z3.And(p != q, z3.Or(self.after(p, q), self.unseen(p, q)))

    def built_on(self, b: Any, x: Any) -> Any:
        """T misses the append b, and the winner x has seen it and may have read it."""
        return z3.And(
            *(self.during(b), self.during(x), self.blind(b)),
            *(self.covers(self.t, b), self.after(b, x)),
        )

    def touched(self, y: Any) -> Any:
        """T adds or removes a file that the reads of y cover."""
        return self.covers(y, self.t)

    def older(self, y: Any) -> Any:
        """y reads and began before T, so that older transactions can lie between."""
        lt, s = self.log.earlier, self.log.snapshot
        return z3.And(self.reads(y), lt(s(y), s(self.t)))

    def leads_back(self, y: Any) -> Any:
        """Whether a winner may have to come before T."""
        return z3.Or(self.touched(y), self.older(y))

    def rule(
        self,
        start: Callable[[Any, Any], Any],
        step: Callable[[Any, Any], Any],
        end: Callable[[Any], Any],
    ) -> Any:
        """That the rule does not refuse T: none of those that are reached leads back."""
        reached, every = self.reached, self.log.every
        return z3.And(
            every("u v", lambda u, v: z3.Implies(start(u, v), reached(v))),
            every(
                "u v",
                lambda u, v: z3.Implies(z3.And(reached(u), self.during(v), step(u, v)), reached(v)),
            ),
            every("w", lambda w: z3.Implies(reached(w), z3.Not(end(w)))),
        )


def _nothing(*_: Any) -> Any:
    return z3.BoolVal(False)


def _completeness(log: Log, footprints: _Footprints) -> Assumption:
    return Assumption(
        "footprint completeness",
        "An edge shows in the footprints: the reads of who reads or overwrites a row cover the "
        "file that it was in, or the file that it comes to be in.",
        z3.And(
            log.every("p q", lambda p, q: z3.Implies(log.rw(p, q), footprints.covers(p, q))),
            log.every(
                "p q",
                lambda p, q: z3.Implies(z3.Or(log.wr(p, q), log.ww(p, q)), footprints.covers(q, p)),
            ),
            log.every("p q", lambda p, q: z3.Implies(footprints.covers(p, q), footprints.reads(p))),
        ),
        premise=True,
    )


def _enough() -> Claim:
    log = Log()
    t, b, x, z, n = log.txns("T B X Z N")
    f = _Footprints(log, t)
    edge = z3.Or(log.ww(z, n), log.wr(z, n), log.rw(z, n))
    built, depend, back = f.built_on, f.may_depend, f.leads_back
    return Claim(
        (
            *edges_of_writers(log),
            _completeness(log, f),
            Assumption(
                "the shape",
                "T, the last to commit on a cycle, a blind append B and X are in the shape that "
                "every violation contains (the theorem before).",
                z3.And(shape(log, f.blind, t, b, x), log.writer(t), log.writer(b), log.writer(x)),
                premise=True,
            ),
            Assumption(
                "read through append",
                "The rule did not refuse T.",
                f.rule(built, depend, back),
                rule="read through append",
                weakened={
                    "only what T touches": f.rule(built, depend, f.touched),
                    "only winners that began before T": f.rule(built, depend, f.older),
                    "only where X itself leads back": f.rule(built, _nothing, back),
                    "only on through who has seen": f.rule(built, f.after, back),
                    "only on through who was not seen": f.rule(built, f.unseen, back),
                },
            ),
            Assumption(
                "on the cycle",
                "Z, a transaction on the cycle that the rule has reached, is followed by N, and T "
                "is the last there.",
                z3.And(
                    *(f.during(z), f.reached(z), edge, z != n),
                    *(log.writer(n), log.upto(log.commit(n), log.commit(t))),
                ),
                premise=True,
            ),
        ),
        goal=z3.And(f.during(x), f.reached(x), f.during(n), f.reached(n)),
        witness=z3.And(log.rw(z, n), z != x, n != x),
        background=log.linear(),
    )


def _needed() -> Claim:
    log = Log()
    t, b, x, p, q, w = log.txns("T B X P Q W")
    f = _Footprints(log, t)
    path = log._edge("path")
    lt, s, c = log.earlier, log.snapshot, log.commit

    def between(y: Any) -> Any:
        n = z3.Const("n", log.Txn)
        seen = z3.And(log.writer(n), lt(s(y), c(n)), log.upto(c(n), s(t)))
        return z3.Exists([n], z3.And(seen, f.covers(y, n), f.covers(t, n)))

    def edge(y: Any, z: Any) -> Any:
        return z3.Or(log.wr(y, z), log.rw(y, z))

    return Claim(
        (
            Assumption(
                "the worst rows",
                "The rows are such that what a file may hold by its partition, it holds: whose "
                "reads cover a file that another adds or removes has an edge from that one where "
                "its snapshot shows it, and to it where not.",
                z3.And(
                    log.every(
                        "y z", lambda y, z: z3.Implies(z3.And(y != z, f.after(y, z)), log.wr(y, z))
                    ),
                    log.every(
                        "y z", lambda y, z: z3.Implies(z3.And(y != z, f.unseen(y, z)), log.rw(y, z))
                    ),
                ),
                premise=True,
            ),
            Assumption(
                "the worst past",
                "If W reads and began before T, then a blind append between the two snapshots "
                "added rows where W reads and where T reads.",
                z3.Implies(f.older(w), between(w)),
                premise=True,
            ),
            Assumption(
                "paths",
                "Paths are made of edges.",
                z3.And(
                    log.every("y z", lambda y, z: z3.Implies(edge(y, z), path(y, z))),
                    log.every(
                        "y z u",
                        lambda y, z, u: z3.Implies(z3.And(path(y, z), edge(z, u)), path(y, u)),
                    ),
                ),
                premise=True,
            ),
            Assumption(
                "what the rule finds",
                "X has read an append B that T misses; from P, to which a path from T leads, the "
                "rule goes on to Q; and it ends in W, to which a path from T leads as well.",
                z3.And(
                    *(log.writer(t), f.built_on(b, x)),
                    *(f.during(p), path(t, p), f.during(q), f.may_depend(p, q)),
                    *(f.during(w), path(t, w), f.leads_back(w)),
                ),
                premise=True,
            ),
        ),
        goal=z3.And(path(t, x), path(t, q), path(t, t)),
        witness=z3.And(log.rw(t, b), b != x, p != q, z3.Not(f.touched(w))),
        background=log.linear(),
    )


LEMMAS = (
    *RUNNING,
    Lemma(
        "no way back to T",
        "X committed while T ran and the rule reaches it, and so it is with whatever follows such "
        "a transaction on the cycle. So T is never reached again, and there is no cycle.",
        _enough,
        {},
    ),
    Lemma(
        "every refusal is needed",
        "Whatever the rule goes on to has a path from T, and where it refuses T the path comes "
        "back to T: with the same footprints and the worst rows the history is a violation. (Its "
        "start, its step and its end.) So any weaker rule about possible dependencies admits a "
        "violation.",
        _needed,
        {},
    ),
)

THEOREM = Theorem(
    "WriteSerializable, repaired",
    'The rules of delta-spark-4.4 with the rule "read through append" admit no history that '
    "WriteSerializable forbids: for any number of transactions, partitions and files. It is the "
    "weakest of the rules that judge by possible dependencies: by who has seen whom, and whose "
    "reads cover a file that another one wrote.",
    LEMMAS,
    readings=f"{IN_EVERY_READING} That the rule is the weakest is said of the conflict reading "
    "alone: some of the histories that it refuses have a serial order in spite of their cycle.",
    profile="delta-spark-4.4-repaired",
)
