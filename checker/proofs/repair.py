"""Theorem: with one more rule, delta-spark-4.4 delivers WriteSerializable.

The rule (``model.rules.read_through_append``) refuses an attempt T that misses a blind append B
when a later winner X may have read what B added, and T's commit may lead the way back to T: it
touches what some winner Y has read, or some winner Y that reads began before T did.
"""

from __future__ import annotations

from typing import Any

import z3

from checker.proofs.lemma import Assumption, Claim, Lemma, Theorem
from checker.proofs.order import Log
from checker.proofs.unseen_append import edges_of_writers, shape


def _claim() -> Claim:
    log = Log()
    t, b, x, z, n = log.txns("T B X Z N")
    lt, s, c = log.earlier, log.snapshot, log.commit

    def on_two(name: str) -> Any:
        return z3.Function(name, log.Txn, log.Txn, z3.BoolSort())

    blind = z3.Function("blind", log.Txn, z3.BoolSort())
    reads = z3.Function("reads", log.Txn, z3.BoolSort())
    covers, touches = on_two("covers"), on_two("touches")
    edge = z3.Or(log.ww(z, n), log.wr(z, n), log.rw(z, n))

    def during(y: Any) -> Any:
        return z3.And(lt(s(t), c(y)), lt(c(y), c(t)))

    def ways_back(y: Any) -> Any:
        return z3.And(during(y), z3.Or(touches(t, y), z3.And(reads(y), lt(s(y), s(t)))))

    def refused(way: Any, *, appends: Any = blind) -> Any:
        u, v, w = log.txns("u v w")
        through = z3.And(
            during(u),
            during(v),
            appends(u),
            covers(t, u),
            log.upto(c(u), s(v)),
            covers(v, u),
            way(w),
        )
        return z3.Exists([u, v, w], through)

    return Claim(
        (
            *edges_of_writers(log),
            Assumption(
                "footprint completeness",
                "Who misses a blind append's row, reads it or overwrites it has a footprint that "
                "covers a file of the append. Who has an rw edge reads.",
                z3.And(
                    log.every(
                        "p q", lambda p, q: z3.Implies(z3.And(log.rw(p, q), blind(q)), covers(p, q))
                    ),
                    log.every(
                        "p q",
                        lambda p, q: z3.Implies(
                            z3.And(z3.Or(log.wr(p, q), log.ww(p, q)), blind(p)), covers(q, p)
                        ),
                    ),
                    log.every("p q", lambda p, q: z3.Implies(log.rw(p, q), reads(p))),
                ),
                premise=True,
            ),
            Assumption(
                "touching what was read",
                "An rw edge to T from a winner that began no earlier than T shows in the "
                "footprints: T adds a file that the winner's reads cover, or removes one that "
                "the winner read (it was in both snapshots).",
                log.every(
                    "p",
                    lambda p: z3.Implies(
                        z3.And(log.rw(p, t), during(p), z3.Not(lt(s(p), s(t)))), touches(t, p)
                    ),
                ),
                premise=True,
            ),
            Assumption(
                "the shape",
                "T, the last to commit on a cycle, a blind append B and X are in the shape that "
                "every violation contains (the theorem before).",
                z3.And(shape(log, blind, t, b, x), log.writer(t), log.writer(b), log.writer(x)),
                premise=True,
            ),
            Assumption(
                "read through append",
                "The rule did not refuse T.",
                z3.Not(refused(ways_back)),
                rule="read through append",
                weakened={
                    "only what T touches": z3.Not(
                        refused(lambda y: z3.And(during(y), touches(t, y)))
                    ),
                    "only winners that began before T": z3.Not(
                        refused(lambda y: z3.And(during(y), reads(y), lt(s(y), s(t))))
                    ),
                    "only where X itself leads back": z3.Not(
                        z3.And(covers(t, b), covers(x, b), ways_back(x))
                    ),
                },
            ),
            Assumption(
                "on the cycle",
                "Z, a transaction on the cycle that committed while T ran, is followed by N, and T "
                "is the last there.",
                z3.And(
                    during(z),
                    edge,
                    z != n,
                    log.writer(z),
                    log.writer(n),
                    log.upto(c(n), c(t)),
                ),
                premise=True,
            ),
        ),
        goal=z3.And(during(x), during(n)),
        witness=z3.And(log.rw(z, n), z != x, n != x),
        background=log.linear(),
    )


LEMMAS = (
    Lemma(
        "no way back to T",
        "X committed while T ran, and whatever follows such a transaction on the cycle committed "
        "while T ran as well. So T is never reached again, and there is no cycle.",
        _claim,
        {},
    ),
)

THEOREM = Theorem(
    "WriteSerializable, repaired",
    'The rules of delta-spark-4.4 with the rule "read through append" admit no history that '
    "WriteSerializable forbids: for any number of transactions, partitions and files.",
    LEMMAS,
    profile="delta-spark-4.4-repaired",
)
