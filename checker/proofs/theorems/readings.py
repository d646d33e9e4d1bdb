"""Theorem: from the conflict reading to the view and the final-state reading.

A history whose graph has no cycle has an order of its transactions that all edges respect. Run in
that order, each statement meets the row versions that it read and, for each predicate that it read,
rows with the same answer; and each row ends with the version that is the last in the log. Both are
said of one row here, whose versions are in the order of the log. From one version to the next, the
answer of a predicate is followed along the versions in between, as many as there are
(``checker.proofs.theorems.induction``).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import z3

from checker.proofs.lemma import Assumption, Claim, Formula, Lemma, Theorem


class _Row:
    """The versions of one row with their writers, and a serial order of the transactions.

    ``reader`` is a transaction that read the row or a predicate, ``shown`` the version that its
    snapshot shows. The first version may be there from the start: then its writer stands for that.
    """

    def __init__(self) -> None:
        self.Version, self.Txn = z3.DeclareSort("Version"), z3.DeclareSort("Txn")
        self.older = z3.Function("older", self.Version, self.Version, z3.BoolSort())
        self.next = z3.Function("next", self.Version, self.Version, z3.BoolSort())
        self.writer = z3.Function("writer", self.Version, self.Txn)
        self.before = z3.Function("before", self.Txn, self.Txn, z3.BoolSort())
        self.matches = z3.Function("matches", self.Version, z3.BoolSort())
        self.reader = z3.Const("reader", self.Txn)
        self.shown = z3.Const("shown", self.Version)

    def every(self, names: str, condition: Callable[..., Formula]) -> Formula:
        """For all versions."""
        versions = [z3.Const(name, self.Version) for name in names.split()]
        return z3.ForAll(versions, condition(*versions))

    def upto(self, v: Any, w: Any) -> Formula:
        """Whether a version is another one or older."""
        return z3.Or(v == w, self.older(v, w))

    def met(self, v: Any) -> Formula:
        """Whether a version is written before the reader runs, in the serial order."""
        return self.before(self.writer(v), self.reader)

    def background(self) -> tuple[Formula, ...]:
        """Both orders are strict and total; ``next`` leads to a newer version."""
        return (
            *_strict(self.older, self.Version),
            *_strict(self.before, self.Txn),
            self.every("v w", lambda v, w: z3.Implies(self.next(v, w), self.older(v, w))),
        )

    def ww(self) -> Assumption:
        return Assumption(
            "any number of ww edges",
            "Who wrote an older version of the row comes before who wrote a newer one: ww edges "
            "lead from each version to the next, and the order respects them.",
            self.every(
                "v w",
                lambda v, w: z3.Implies(
                    self.older(v, w), self.before(self.writer(v), self.writer(w))
                ),
            ),
            premise=True,
        )

    def own(self) -> Assumption:
        return Assumption(
            "its own commit is not in its snapshot",
            "No version that the snapshot shows was written by the reader itself.",
            self.every(
                "v",
                lambda v: z3.Implies(self.upto(v, self.shown), self.writer(v) != self.reader),
            ),
            premise=True,
        )

    def predicate_edges(self, shown: bool) -> Assumption:
        """The edges of a predicate read, to writers that the snapshot shows or does not show."""

        def edge(v: Any, w: Any) -> Formula:
            place = self.upto(w, self.shown) if shown else self.older(self.shown, w)
            changed = z3.And(self.next(v, w), self.matches(v) != self.matches(w), place)
            other = self.writer(w) != self.reader
            first, second = self.writer(w), self.reader
            ends = (first, second) if shown else (second, first)
            return z3.Implies(z3.And(changed, other), self.before(*ends))

        which = "a version that the snapshot shows" if shown else "a later version"
        where = "before" if shown else "after"
        return Assumption(
            f"{'wr' if shown else 'rw'} of a predicate",
            f"Who wrote {which} and changed the predicate's answer for the row by it comes "
            f"{where} the reader.",
            self.every("v w", edge),
            premise=True,
        )


def _strict(order: Any, sort: Any) -> tuple[Formula, ...]:
    x, y, z = z3.Consts("x y z", sort)
    return (
        z3.ForAll([x], z3.Not(order(x, x))),
        z3.ForAll([x, y, z], z3.Implies(z3.And(order(x, y), order(y, z)), order(x, z))),
        z3.ForAll([x, y], z3.Or(order(x, y), x == y, order(y, x))),
    )


def _items() -> Claim:
    row = _Row()
    following, earlier, later = z3.Consts("following earlier later", row.Version)
    return Claim(
        (
            row.ww(),
            Assumption(
                "wr",
                "Who wrote the version that was read comes before the reader.",
                row.met(row.shown),
                premise=True,
            ),
            Assumption(
                "rw",
                "Who wrote the version after the one that was read comes after the reader, or is "
                "the reader.",
                z3.Implies(
                    row.older(row.shown, following),
                    z3.Or(
                        row.writer(following) == row.reader,
                        row.before(row.reader, row.writer(following)),
                    ),
                ),
                premise=True,
            ),
            Assumption(
                "the version that follows",
                "If there are versions after the one that was read, one of them is the first.",
                row.every(
                    "v",
                    lambda v: z3.Implies(
                        row.older(row.shown, v),
                        z3.And(row.older(row.shown, following), row.upto(following, v)),
                    ),
                ),
                premise=True,
            ),
        ),
        goal=z3.And(
            row.met(row.shown),
            row.every("v", lambda v: z3.Implies(row.met(v), row.upto(v, row.shown))),
        ),
        witness=z3.And(row.older(earlier, row.shown), row.older(row.shown, later)),
        background=row.background(),
    )


def _predicates() -> Claim:
    row = _Row()
    v, w, last = z3.Consts("v w last", row.Version)
    between = z3.Or(
        z3.And(row.upto(last, v), row.upto(w, row.shown)),
        z3.And(row.upto(row.shown, v), row.upto(w, last)),
    )
    return Claim(
        (
            row.ww(),
            row.own(),
            row.predicate_edges(shown=True),
            row.predicate_edges(shown=False),
            Assumption(
                "the last version before the reader",
                "Of the versions written before the reader runs, in the serial order, one is the "
                "newest: that is the row that it meets.",
                z3.And(
                    row.met(last),
                    row.every("u", lambda u: z3.Implies(row.met(u), row.upto(u, last))),
                ),
                premise=True,
            ),
        ),
        goal=z3.Implies(z3.And(row.next(v, w), between), row.matches(v) == row.matches(w)),
        witness=z3.And(row.next(v, w), between, last != row.shown),
        background=row.background(),
    )


def _final() -> Claim:
    row = _Row()
    last, other = z3.Consts("last other", row.Version)
    return Claim(
        (
            row.ww(),
            Assumption(
                "the last version",
                "One version of the row is the newest: that is the row of the table in the end.",
                row.every("v", lambda v: row.upto(v, last)),
                premise=True,
            ),
        ),
        goal=z3.Implies(other != last, row.before(row.writer(other), row.writer(last))),
        witness=other != last,
        background=row.background(),
    )


LEMMAS = (
    Lemma(
        "an item that was read is met",
        "In a serial order that respects all edges, the last version of a row that is written "
        "before a transaction runs is the one that it read.",
        _items,
        {},
    ),
    Lemma(
        "what matched is met",
        "Between the version of a row that a transaction meets in the serial order and the one "
        "that its snapshot shows, no step from a version to the next changes the answer of a "
        "predicate that it read. So both have the same answer, however many steps there are.",
        _predicates,
        {},
    ),
    Lemma(
        "the last version stays the last",
        "The last version of a row in the log is the last in every serial order that respects all "
        "edges, so the final rows are the same.",
        _final,
        {},
    ),
)

THEOREM = Theorem(
    "From the conflict reading to the others",
    "If the graph of a history has no cycle, then in some serial order each statement meets the "
    "versions of rows that it read and the same answers of its predicates, and each row ends with "
    "the same version. Since what a statement does follows from what it reads, the conflict "
    "reading implies the view reading, and that implies the final-state reading. So a history that "
    "breaks either of those has a cycle.",
    LEMMAS,
    profile=None,
)
