"""Theorem: what is proved of one step holds of any number of them.

The other theorems prove a step: one more winner, one more edge of a path. That the steps add up is
proved here, once for all of them. z3 knows no induction, so finiteness is a premise in the form
of the least number principle: if a property fails somewhere along finitely many steps, then it
fails at a first one, and that one has a step before it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import z3

from checker.proofs.lemma import Assumption, Claim, Formula, Lemma, Theorem


class _Steps:
    """Finitely many steps in a line, from ``zero`` on; at each there is something."""

    def __init__(self, name: str) -> None:
        self.Step, self.Thing = z3.DeclareSort("Step"), z3.DeclareSort(name)
        self.earlier = z3.Function("earlier", self.Step, self.Step, z3.BoolSort())
        self.next = z3.Function("next", self.Step, self.Step, z3.BoolSort())
        self.at = z3.Function("at", self.Step, self.Thing)
        self.zero = z3.Const("zero", self.Step)

    def every(self, names: str, condition: Callable[..., Formula]) -> Formula:
        """For all steps."""
        steps = [z3.Const(name, self.Step) for name in names.split()]
        return z3.ForAll(steps, condition(*steps))

    def line(self) -> tuple[Formula, ...]:
        """The steps are in a line that begins with ``zero``; ``next`` leads forward."""
        lt = self.earlier
        return (
            self.every("i", lambda i: z3.Not(lt(i, i))),
            self.every("i j k", lambda i, j, k: z3.Implies(z3.And(lt(i, j), lt(j, k)), lt(i, k))),
            self.every("i j", lambda i, j: z3.Or(lt(i, j), i == j, lt(j, i))),
            self.every("i", lambda i: z3.Or(i == self.zero, lt(self.zero, i))),
            self.every("i j", lambda i, j: z3.Implies(self.next(i, j), lt(i, j))),
        )

    def finite(self, fails: Callable[[Any], Formula]) -> Assumption:
        """The least number principle for a property, and the step before the first failure."""
        i, first, before = z3.Consts("i first before", self.Step)
        has_first = z3.And(
            fails(first),
            self.every(
                "l", lambda step: z3.Implies(self.earlier(step, first), z3.Not(fails(step)))
            ),
            z3.Or(first == self.zero, self.next(before, first)),
        )
        return Assumption(
            "finitely many",
            "The steps are finitely many: what fails at some step fails at a first one, which is "
            "the step zero or follows a step.",
            z3.Implies(z3.Exists([i], fails(i)), has_first),
            premise=True,
        )


def _over_winners() -> Claim:
    s = _Steps("Winner")
    holds = z3.Function("holds_before", s.Step, z3.BoolSort())
    kept = z3.Function("kept_by", s.Thing, z3.BoolSort())
    return Claim(
        (
            s.finite(lambda i: z3.Not(holds(i))),
            Assumption(
                "base",
                'It holds before the first winner (the lemma "before the first winner").',
                holds(s.zero),
                premise=True,
            ),
            Assumption(
                "step",
                "If it holds before a winner that the rules let pass, then it holds before the "
                'next one, and that winner did no harm (the lemma "one more winner").',
                z3.And(
                    s.every(
                        "i j",
                        lambda i, j: z3.Implies(z3.And(holds(i), s.next(i, j)), holds(j)),
                    ),
                    s.every("i", lambda i: z3.Implies(holds(i), kept(s.at(i)))),
                ),
                premise=True,
            ),
        ),
        goal=z3.And(s.every("i", holds), s.every("i", lambda i: kept(s.at(i)))),
        witness=s.next(s.zero, z3.Const("one", s.Step)),
        background=s.line(),
    )


def _along_a_path() -> Claim:
    s = _Steps("Txn")
    edge = z3.Function("edge", s.Thing, s.Thing, z3.BoolSort())
    related = z3.Function("related", s.Thing, s.Thing, z3.BoolSort())
    x, y, z = z3.Consts("x y z", s.Thing)
    start = s.at(s.zero)
    one, two = z3.Consts("one two", s.Step)

    def wanted(i: Any) -> Formula:
        return z3.Or(i == s.zero, related(start, s.at(i)))

    return Claim(
        (
            s.finite(lambda i: z3.Not(wanted(i))),
            Assumption(
                "a path",
                "From each step to the next there is an edge.",
                s.every("i j", lambda i, j: z3.Implies(s.next(i, j), edge(s.at(i), s.at(j)))),
                premise=True,
            ),
            Assumption(
                "base",
                "Two transactions with an edge are related (a lemma of the theorem in question).",
                z3.ForAll([x, y], z3.Implies(edge(x, y), related(x, y))),
                premise=True,
            ),
            Assumption(
                "step",
                "Two with a path of related ones and an edge more are related (likewise).",
                z3.ForAll([x, y, z], z3.Implies(z3.And(related(x, y), edge(y, z)), related(x, z))),
                premise=True,
            ),
        ),
        goal=s.every("i", wanted),
        witness=z3.And(s.next(s.zero, one), s.next(one, two), one != two),
        background=s.line(),
    )


def _no_cycle() -> Claim:
    s = _Steps("Txn")
    before = z3.Function("before", s.Thing, s.Thing, z3.BoolSort())
    x = z3.Const("x", s.Thing)
    last = z3.Const("last", s.Step)
    return Claim(
        (
            Assumption(
                "paths lead forward",
                "Each transaction of a path but the first stands after the first (the lemma "
                '"along a path", for the order of places).',
                s.every("i", lambda i: z3.Or(i == s.zero, before(s.at(s.zero), s.at(i)))),
                premise=True,
            ),
            Assumption(
                "the order is strict",
                "Nothing stands before itself.",
                z3.ForAll([x], z3.Not(before(x, x))),
                premise=True,
            ),
        ),
        goal=z3.Implies(last != s.zero, s.at(last) != s.at(s.zero)),
        witness=last != s.zero,
        background=s.line(),
    )


def _last_place() -> Claim:
    s = _Steps("Txn")
    after = z3.Function("after", s.Thing, s.Thing, z3.BoolSort())
    x, y, z = z3.Consts("x y z", s.Thing)

    def last_upto(i: Any, k: Any) -> Formula:
        """No transaction up to the step i stands after the one at k."""
        upto = s.every(
            "each",
            lambda each: z3.Implies(
                z3.Or(each == i, s.earlier(each, i)), z3.Not(after(s.at(each), s.at(k)))
            ),
        )
        return z3.And(z3.Or(k == i, s.earlier(k, i)), upto)

    i, j, k = z3.Consts("i j k", s.Step)
    return Claim(
        (
            Assumption(
                "places are in a line up to those that are equal",
                "Of places, one is not after another and that not after a third: the first is not "
                "after the third; and of two, not both are after each other.",
                z3.And(
                    z3.ForAll(
                        [x, y, z],
                        z3.Implies(
                            z3.And(z3.Not(after(x, y)), z3.Not(after(y, z))), z3.Not(after(x, z))
                        ),
                    ),
                    z3.ForAll([x, y], z3.Not(z3.And(after(x, y), after(y, x)))),
                ),
                premise=True,
            ),
            Assumption(
                "induction hypothesis",
                "Up to the step i, the transaction at k has the last place; j is the step after i.",
                z3.And(
                    last_upto(i, k),
                    s.next(i, j),
                    s.every(
                        "l",
                        lambda step: z3.Implies(
                            s.earlier(step, j), z3.Or(step == i, s.earlier(step, i))
                        ),
                    ),
                ),
                premise=True,
            ),
        ),
        goal=z3.And(
            z3.Or(last_upto(j, k), last_upto(j, j)),
            z3.Implies(s.zero == i, last_upto(s.zero, s.zero)),
        ),
        witness=z3.And(after(s.at(j), s.at(k)), k != i),
        background=s.line(),
    )


LEMMAS = (
    Lemma(
        "over the winners",
        "What holds before the first winner of an attempt, and before each next one if it held "
        "before the last, holds before all of them, and none did harm.",
        _over_winners,
        {},
    ),
    Lemma(
        "along a path",
        "A relation that edges have, and that a path keeps with one edge more, holds between the "
        "first transaction of a path of any length and each later one.",
        _along_a_path,
        {},
    ),
    Lemma(
        "no cycle of any length",
        "A path whose transactions stand after its first one never comes back to it.",
        _no_cycle,
        {},
    ),
    Lemma(
        "some place on a cycle is the last",
        "Of finitely many transactions one has the last place. (The inductive step, over the "
        "steps of the cycle, with its base.)",
        _last_place,
        {},
    ),
)

THEOREM = Theorem(
    "Induction: from one step to any number",
    "What the other theorems prove of one more winner and of one more edge holds of any number of "
    "winners, and of paths and cycles of any length.",
    LEMMAS,
    profile=None,
)
