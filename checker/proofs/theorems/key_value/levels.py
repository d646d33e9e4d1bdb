"""Implications between levels of key-value histories, for any number of transactions and keys.

One level implies another where the commit order and the visibility that explain a history at the
first explain it at the second. That is a formula without a bound. What is not provable in this way
is a matter for ``checker.separation.key_value.smallest``.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import z3

from checker.proofs.lemma import Formula, follows
from model.levels import KEY_VALUE_LEVELS, Axiom, KeyValueLevel


class Executions:
    """Histories of any size, with a commit order and a visibility.

    ``read`` and ``unseen`` say which version a read of a transaction has to do with: one that it
    returned, or one that made a row absent from what a predicate read returned.
    """

    def __init__(self, *, predicates: bool) -> None:
        self.Txn, self.Read, self.Key = map(z3.DeclareSort, ("Txn", "Read", "Key"))
        txn, read, key, bool_ = self.Txn, self.Read, self.Key, z3.BoolSort()
        self.before = z3.Function("before", txn, txn, bool_)
        self.visible = z3.Function("visible", txn, txn, bool_)
        self.session = z3.Function("session", txn, txn, bool_)
        self.earlier = z3.Function("earlier", txn, read, read, bool_)
        self.writes = z3.Function("writes", txn, key, bool_)
        self.read = z3.Function("read", txn, read, key, txn, bool_)
        self.unseen = z3.Function("unseen", txn, read, key, txn, bool_)
        self.initial = z3.Const("initial", txn)
        self._predicates = predicates

    def version(self, t: Any, r: Any, k: Any, s: Any) -> Formula:
        """Whether a read has to do with a version."""
        if not self._predicates:
            return self.read(t, r, k, s)
        return z3.Or(self.read(t, r, k, s), self.unseen(t, r, k, s))

    def every(self, names: str, formula: Any) -> Formula:
        """The formula for all transactions (t, u, s), reads (p, q) and keys (k, l) of the names."""
        sorts = {"p": self.Read, "q": self.Read, "k": self.Key, "l": self.Key}
        variables = [z3.Const(name, sorts.get(name, self.Txn)) for name in names.split()]
        return z3.ForAll(variables, formula(*variables))

    def background(self) -> tuple[Formula, ...]:
        """What holds at every level: versions that are read exist, and precede."""
        lt, start = self.before, self.initial
        return (
            self.every("t", lambda t: z3.Not(lt(t, t))),
            self.every("t u v", lambda t, u, v: z3.Implies(z3.And(lt(t, u), lt(u, v)), lt(t, v))),
            self.every("t u", lambda t, u: z3.Or(lt(t, u), t == u, lt(u, t))),
            self.every("t", lambda t: z3.Or(t == start, lt(start, t))),
            self.every("k", lambda k: self.writes(start, k)),
            self.every("t u", lambda t, u: z3.Implies(self.session(t, u), lt(t, u))),
            self.every(
                "t p k s",
                lambda t, p, k, s: z3.Implies(
                    self.version(t, p, k, s), z3.And(self.writes(s, k), lt(s, t))
                ),
            ),
        )

    def level(self, level: KeyValueLevel) -> Formula:
        """What a level asks of the commit order and of visibility."""
        if level.each_read or Axiom.TOTAL in level.axioms:
            return self.returned(level)
        return z3.And(self.visibility(level), self.returned(level))

    def visibility(self, level: KeyValueLevel) -> Formula:
        """What a level asks of visibility, whatever was read besides."""
        return z3.And(self._visibility(), *map(self._axiom, sorted(level.axioms)))

    def _visibility(self) -> Formula:
        vis = self.visible
        return z3.And(
            self.every("t u", lambda t, u: z3.Implies(vis(t, u), self.before(t, u))),
            self.every("t u", lambda t, u: z3.Implies(self.session(t, u), vis(t, u))),
            self.every("t", lambda t: z3.Or(t == self.initial, vis(self.initial, t))),
            self.every(
                "t p k s", lambda t, p, k, s: z3.Implies(self.version(t, p, k, s), vis(s, t))
            ),
        )

    def _axiom(self, axiom: Axiom) -> Formula:
        lt, vis = self.before, self.visible
        if axiom is Axiom.NO_CONFLICT:
            return self.every(
                "t u k",
                lambda t, u, k: z3.Implies(
                    z3.And(t != u, self.writes(t, k), self.writes(u, k)),
                    z3.Or(vis(t, u), vis(u, t)),
                ),
            )
        first = vis if axiom is Axiom.TRANSITIVE else lt
        return self.every(
            "t u v", lambda t, u, v: z3.Implies(z3.And(first(t, u), vis(u, v)), vis(t, v))
        )

    def returned(self, level: KeyValueLevel) -> Formula:
        """Each version that counts is the last one visible to the read."""

        def last(t: Any, p: Any, k: Any, s: Any, u: Any) -> Formula:
            version = (self.read if level.phantoms else self.version)(t, p, k, s)
            other = z3.And(self.writes(u, k), u != s, u != t, self._sees(level, t, p, u))
            return z3.Implies(z3.And(version, self._counts(level, t), other), self.before(u, s))

        return self.every("t p k s u", last)

    def _sees(self, level: KeyValueLevel, t: Any, p: Any, u: Any) -> Formula:
        if Axiom.TOTAL in level.axioms:
            return self.before(u, t)
        if not level.each_read:
            return self.visible(u, t)
        q, k = z3.Const("q", self.Read), z3.Const("l", self.Key)
        return z3.Exists([q, k], z3.And(self.earlier(t, q, p), self.version(t, q, k, u)))

    def _counts(self, level: KeyValueLevel, t: Any) -> Formula:
        k = z3.Const("m", self.Key)
        return z3.BoolVal(True) if level.readers else z3.Exists([k], self.writes(t, k))


@cache
def implies(held: str, other: str, *, predicates: bool) -> bool:
    """Whether it is proved that every history that satisfies one level satisfies another.

    ``predicates``: whether histories may have predicate reads. False is no proof of the contrary.
    Raises ``KeyError``.
    """
    executions = Executions(predicates=predicates)
    level, wanted = KEY_VALUE_LEVELS[held], KEY_VALUE_LEVELS[other]
    has_visibility = not level.each_read and Axiom.TOTAL not in level.axioms
    facts = [*executions.background(), executions.level(level)]
    if not has_visibility:
        # Whatever precedes is visible: the largest visibility, and the one that a level with a
        # total one has.
        facts.append(
            executions.every(
                "t u", lambda t, u: executions.visible(t, u) == executions.before(t, u)
            )
        )
    return follows(facts, executions.level(wanted)).verdict == "proved"
