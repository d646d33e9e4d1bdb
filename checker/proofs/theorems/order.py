"""The step from single attempts to a whole history: every edge of its graph leads forward.

Sorts: transactions and times (versions of the log). A writer stands at its commit version, a
reader right after its snapshot; transactions without a commit version are readers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import z3

from checker.proofs.lemma import Assumption, Claim, Lemma


class Log:
    """Transactions with their snapshots and commits, and the edges between them."""

    def __init__(self) -> None:
        self.Txn = z3.DeclareSort("Txn")
        self.Time = z3.DeclareSort("Time")
        self.snapshot = z3.Function("snapshot", self.Txn, self.Time)
        self.commit = z3.Function("commit", self.Txn, self.Time)
        self.writer = z3.Function("writer", self.Txn, z3.BoolSort())
        self.earlier = z3.Function("earlier", self.Time, self.Time, z3.BoolSort())
        self.ww = self._edge("ww")
        self.wr = self._edge("wr")
        self.rw = self._edge("rw")

    def _edge(self, name: str) -> Any:
        return z3.Function(name, self.Txn, self.Txn, z3.BoolSort())

    def txns(self, names: str) -> Sequence[Any]:
        """Variables for transactions."""
        return z3.Consts(names, self.Txn)  # type: ignore[no-any-return]

    def every(self, names: str, condition: Any) -> Any:
        """For all transactions; ``condition`` takes as many as there are names."""
        bound = self.txns(names)
        return z3.ForAll(list(bound), condition(*bound))

    def upto(self, a: Any, b: Any) -> Any:
        """``a`` is ``b`` or earlier."""
        return z3.Or(a == b, self.earlier(a, b))

    def sees(self, x: Any, y: Any) -> Any:
        """Whether the snapshot of x shows the commit of y."""
        return z3.And(self.writer(y), self.upto(self.commit(y), self.snapshot(x)))

    def linear(self) -> tuple[Any, ...]:
        """Times are in a line; commits have versions of their own, later than their snapshots."""
        a, b, c = z3.Consts("a b c", self.Time)
        lt = self.earlier
        return (
            z3.ForAll([a], z3.Not(lt(a, a))),
            z3.ForAll([a, b, c], z3.Implies(z3.And(lt(a, b), lt(b, c)), lt(a, c))),
            z3.ForAll([a, b], z3.Or(lt(a, b), a == b, lt(b, a))),
            self.every(
                "x y",
                lambda x, y: z3.Implies(
                    z3.And(self.writer(x), self.writer(y), self.commit(x) == self.commit(y)),
                    x == y,
                ),
            ),
            self.every(
                "x",
                lambda x: z3.Implies(self.writer(x), lt(self.snapshot(x), self.commit(x))),
            ),
        )

    def adya(self) -> tuple[Assumption, ...]:
        """The edges of a history (``checker.judging.dependencies``), as far as times go."""
        lt, writer = self.earlier, self.writer
        return (
            Assumption(
                "ww",
                "A ww edge leads from a writer to a later one.",
                self.every(
                    "x y",
                    lambda x, y: z3.Implies(
                        self.ww(x, y),
                        z3.And(writer(x), writer(y), lt(self.commit(x), self.commit(y))),
                    ),
                ),
            ),
            Assumption(
                "wr",
                "A wr edge leads from a writer to a transaction whose snapshot shows it.",
                self.every("x y", lambda x, y: z3.Implies(self.wr(x, y), self.sees(y, x))),
            ),
            Assumption(
                "rw",
                "An rw edge leads to a writer whose commit the reader's snapshot does not show.",
                self.every(
                    "x y",
                    lambda x, y: z3.Implies(
                        self.rw(x, y),
                        z3.And(writer(y), x != y, lt(self.snapshot(x), self.commit(y))),
                    ),
                ),
            ),
        )

    def before(self, x: Any, y: Any) -> Any:
        """Whether x stands before y: writers at their commits, readers after their snapshots."""
        lt, s, c = self.earlier, self.snapshot, self.commit
        return z3.If(
            self.writer(x),
            z3.If(self.writer(y), lt(c(x), c(y)), self.upto(c(x), s(y))),
            z3.If(self.writer(y), lt(s(x), c(y)), lt(s(x), s(y))),
        )

    def forward(self) -> Assumption:
        """The result of the lemmas before, for every attempt."""
        return Assumption(
            "no winner changed what was read",
            'No writer has an rw edge to a winner that committed before it (the lemma "one more '
            'winner", for every attempt).',
            self.every(
                "x y",
                lambda x, y: z3.Implies(
                    z3.And(self.rw(x, y), self.writer(x)),
                    z3.Not(self.earlier(self.commit(y), self.commit(x))),
                ),
            ),
            premise=True,
        )


def _edges_forward() -> Claim:
    log = Log()
    x, y = log.txns("x y")
    lt, c, s = log.earlier, log.commit, log.snapshot
    logged = z3.And(log.writer(x), log.writer(y), lt(c(x), c(y)))
    started = z3.And(log.sees(y, x), x != y)
    edge = z3.Or(log.ww(x, y), log.wr(x, y), log.rw(x, y), logged, started)
    return Claim(
        (*log.adya(), log.forward()),
        goal=z3.Implies(edge, log.before(x, y)),
        witness=z3.And(log.rw(x, y), log.writer(x), z3.Not(log.wr(x, y)), lt(s(x), c(x))),
        background=log.linear(),
    )


def _strict_order() -> Claim:
    log = Log()
    x, y, z = log.txns("x y z")
    chain = z3.And(log.before(x, y), log.before(y, z))
    return Claim(
        (),
        goal=z3.And(z3.Not(log.before(x, x)), z3.Implies(chain, log.before(x, z))),
        witness=z3.And(chain, log.writer(x), z3.Not(log.writer(y)), log.writer(z)),
        background=log.linear(),
    )


def _no_cycle() -> Claim:
    log = Log()
    edge, path = log._edge("edge"), log._edge("path")
    x, y, z = log.txns("x y z")
    return Claim(
        (
            Assumption(
                "edges lead forward",
                "The lemma before.",
                log.every("x y", lambda x, y: z3.Implies(edge(x, y), log.before(x, y))),
                premise=True,
            ),
            Assumption(
                "induction hypothesis",
                "Paths of up to so many edges lead forward.",
                log.every("x y", lambda x, y: z3.Implies(path(x, y), log.before(x, y))),
                premise=True,
            ),
            Assumption(
                "the order is strict",
                "The lemma before.",
                z3.And(
                    log.every("x", lambda x: z3.Not(log.before(x, x))),
                    log.every(
                        "x y z",
                        lambda x, y, z: z3.Implies(
                            z3.And(log.before(x, y), log.before(y, z)), log.before(x, z)
                        ),
                    ),
                ),
            ),
        ),
        goal=z3.Implies(z3.And(path(x, y), edge(y, z)), z3.And(log.before(x, z), x != z)),
        witness=z3.And(path(x, y), edge(y, z)),
    )


ORDER_LEMMAS = (
    Lemma(
        "edges lead forward",
        "Every edge (ww, wr, rw, of the log, of snapshots) leads from an earlier place to a "
        "later one, readers included.",
        _edges_forward,
        {},
    ),
    Lemma(
        "places are a strict order",
        "Writers at their commits and readers right after their snapshots are in a strict order.",
        _strict_order,
        {},
    ),
    Lemma(
        "paths lead forward",
        "A path with one more edge leads forward as well, so none comes back to where it began: "
        "the graph has no cycle, and the order of the places is a serial order.",
        _no_cycle,
        {},
    ),
)
