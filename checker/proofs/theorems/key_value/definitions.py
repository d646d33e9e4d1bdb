"""Theorem: the levels of Cerone, Bernardi and Gotsman are those of Biswas and Enea.

The former ask for a commit order and a visibility, the latter for a commit order in which certain
writers precede the version that was read. Each direction is a lemma: which visibility to take, or
that the one given has in it what the axiom speaks of. Causal needs paths of reads and sessions;
that they are visible is the inductive step over their length.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import z3

from checker.proofs.lemma import Assumption, Claim, Formula, Lemma, Theorem
from checker.proofs.theorems.key_value.levels import Executions
from model.levels import KEY_VALUE_LEVELS

Related = Callable[[Any, Any], Formula]
"""Whether an axiom of Biswas and Enea speaks of a writer, for a reader."""


class _Definitions(Executions):
    """Executions, and the relations that Biswas and Enea's axioms are about.

    With ``named``, who read from whom and who wrote a common key are relations that hold at least
    where they have to, which is more general, and spares z3 the search for the reads and keys.
    """

    def __init__(self, *, named: bool) -> None:
        super().__init__(predicates=False)
        self._named = named
        self.read_by = z3.Function("read_by", self.Txn, self.Txn, z3.BoolSort())
        self.rivals = z3.Function("rivals", self.Txn, self.Txn, z3.BoolSort())
        self.path = z3.Function("path", self.Txn, self.Txn, z3.BoolSort())
        self.last = z3.Function("last", self.Txn, self.Txn)

    def background(self) -> tuple[Formula, ...]:
        """What holds at every level."""
        return (
            *super().background(),
            self.every(
                "t p k s",
                lambda t, p, k, s: z3.Implies(self.read(t, p, k, s), self.read_by(s, t)),
            ),
            self.every("s t", lambda s, t: z3.Implies(self.read_by(s, t), self.before(s, t))),
            self.every(
                "t u k",
                lambda t, u, k: z3.Implies(
                    z3.And(self.writes(t, k), self.writes(u, k)), self.rivals(t, u)
                ),
            ),
        )

    def direct(self, u: Any, t: Any) -> Formula:
        """Whether a transaction read from another one or follows it in its session."""
        if self._named:
            return z3.Or(self.session(u, t), self.read_by(u, t))
        p, k = z3.Const("p", self.Read), z3.Const("k", self.Key)
        return z3.Or(self.session(u, t), z3.Exists([p, k], self.read(t, p, k, u)))

    def common(self, u: Any, t: Any) -> Formula:
        """Whether two transactions write one key."""
        if self._named:
            return self.rivals(u, t)
        k = z3.Const("l", self.Key)
        return z3.Exists([k], z3.And(self.writes(u, k), self.writes(t, k)))

    def upto(self, u: Any, v: Any) -> Formula:
        """Whether a transaction precedes another one or is the same."""
        return z3.Or(u == v, self.before(u, v))

    def prefix(self, u: Any, t: Any) -> Formula:
        """Whether a transaction precedes something that the reader depends on directly."""
        v = z3.Const("v", self.Txn)
        return z3.Exists([v], z3.And(self.upto(u, v), self.direct(v, t)))

    def conflict(self, u: Any, t: Any) -> Formula:
        """Whether a transaction precedes an earlier writer of a key that the reader writes."""
        v = z3.Const("v", self.Txn)
        return z3.Exists([v], z3.And(self.upto(u, v), self.before(v, t), self.common(v, t)))

    def related(self, level: str) -> Related:
        """What a level's axioms speak of."""
        relations: dict[str, Related] = {
            "ReadAtomic": self.direct,
            "Causal": self.path,
            "Prefix": self.prefix,
            "SnapshotIsolation": lambda u, t: z3.Or(self.prefix(u, t), self.conflict(u, t)),
            "Serializable": lambda u, t: z3.Or(self.before(u, t)),
        }
        return relations[level]

    def axiom(self, level: str) -> Assumption:
        """Related writers of what was read precede the version that was read."""
        related = self.related(level)
        return Assumption(
            "the axiom",
            "Who wrote a key and is related to a reader of it precedes the writer that was read.",
            self.every(
                "t p k s u",
                lambda t, p, k, s, u: z3.Implies(
                    z3.And(self.read(t, p, k, s), self.writes(u, k), u != s, related(u, t)),
                    self.before(u, s),
                ),
            ),
            premise=True,
        )

    def chosen(self, level: str) -> Assumption:
        """The visibility to take: what the axiom relates to a reader, and the initial transaction.

        For the levels of prefixes that is whatever precedes, or is, the last transaction that the
        reader has to see; written so, z3 has no alternation of quantifiers to go through.
        """
        if level not in ("Prefix", "SnapshotIsolation"):
            related = self.related(level)
            return Assumption(
                "the visibility chosen",
                "Visible is what the axiom relates to a reader, and the initial transaction.",
                self.every(
                    "u t",
                    lambda u, t: (
                        self.visible(u, t)
                        == z3.Or(related(u, t), z3.And(u == self.initial, t != u))
                    ),
                ),
                premise=level != "Serializable",
            )

        def needed(v: Any, t: Any) -> Formula:
            earlier = z3.And(self.before(v, t), self.common(v, t))
            return self.direct(v, t) if level == "Prefix" else z3.Or(self.direct(v, t), earlier)

        return Assumption(
            "the visibility chosen",
            "Visible is what precedes, or is, the last transaction that the reader depends on "
            "directly (or, for SnapshotIsolation, that wrote a key before it that it writes); the "
            "initial one where there is none.",
            z3.And(
                self.every(
                    "v t", lambda v, t: z3.Implies(needed(v, t), self.upto(v, self.last(t)))
                ),
                self.every(
                    "t", lambda t: z3.Or(needed(self.last(t), t), self.last(t) == self.initial)
                ),
                self.every(
                    "u t",
                    lambda u, t: (
                        self.visible(u, t) == z3.And(t != self.initial, self.upto(u, self.last(t)))
                    ),
                ),
            ),
            premise=True,
        )

    def held(self, level: str) -> Assumption:
        """The axioms of visibility."""
        formula = self.level(KEY_VALUE_LEVELS[level])
        return Assumption("the level", "The axioms of visibility.", formula, premise=True)

    def paths_seen(self, name: str, words: str) -> Assumption:
        """A path of reads and sessions leads to a transaction that sees where it comes from."""
        seen = self.every("u t", lambda u, t: z3.Implies(self.path(u, t), self.visible(u, t)))
        return Assumption(name, words, seen, premise=True)

    def paths(self) -> Assumption:
        """What a path of reads and sessions is."""
        return Assumption(
            "paths",
            "What a transaction depends on directly is a path, and a path after a path is one; "
            "paths lead forward, as each of their steps does.",
            z3.And(
                self.every("u t", lambda u, t: z3.Implies(self.direct(u, t), self.path(u, t))),
                self.every(
                    "u v t",
                    lambda u, v, t: z3.Implies(
                        z3.And(self.path(u, v), self.path(v, t)), self.path(u, t)
                    ),
                ),
                self.every("u t", lambda u, t: z3.Implies(self.path(u, t), self.before(u, t))),
            ),
            premise=True,
        )


def _to_visibility(level: str) -> Claim:
    """With the related transactions visible, the axioms of visibility hold."""
    terms = _Definitions(named=True)
    related = terms.related(level)
    t, u = z3.Consts("T U", terms.Txn)
    return Claim(
        (terms.chosen(level), *([terms.paths()] if level == "Causal" else [])),
        goal=terms.visibility(KEY_VALUE_LEVELS[level]),
        witness=z3.And(related(u, t), u != terms.initial),
        background=terms.background(),
    )


def _to_reads(level: str) -> Claim:
    """With the related transactions visible, each read returned the last visible version."""
    terms = _Definitions(named=True)
    related = terms.related(level)
    t, u = z3.Consts("T U", terms.Txn)
    return Claim(
        (terms.chosen(level), terms.axiom(level)),
        goal=terms.returned(KEY_VALUE_LEVELS[level]),
        witness=z3.And(related(u, t), u != terms.initial),
        background=terms.background(),
    )


def _to_axiom(level: str) -> Claim:
    """What the axiom relates to a reader is visible, so that it precedes what was read."""
    terms = _Definitions(named=False)
    u, s, t = z3.Consts("U S T", terms.Txn)
    p, k = z3.Const("P", terms.Read), z3.Const("K", terms.Key)
    seen = terms.paths_seen("paths are seen", "A path leads to who sees it (the lemma before).")
    about = z3.And(terms.read(t, p, k, s), terms.writes(u, k), u != s)
    related = terms.related(level)(u, t)
    return Claim(
        (terms.held(level), *([seen] if level == "Causal" else [])),
        goal=z3.Implies(z3.And(about, related), terms.before(u, s)),
        witness=z3.And(about, related),
        background=terms.background(),
    )


def _paths_are_seen() -> Claim:
    terms = _Definitions(named=False)
    u, v, t = z3.Consts("U V T", terms.Txn)
    seen = terms.paths_seen("induction hypothesis", "Paths of up to so many steps are seen.")
    return Claim(
        (terms.held("Causal"), seen),
        goal=z3.And(
            z3.Implies(terms.direct(u, t), terms.visible(u, t)),
            z3.Implies(z3.And(terms.path(u, v), terms.direct(v, t)), terms.visible(u, t)),
        ),
        witness=z3.And(terms.path(u, v), terms.direct(v, t)),
        background=terms.background(),
    )


def _lemmas() -> tuple[Lemma, ...]:
    lemmas = []
    for level in ("ReadAtomic", "Causal", "Prefix", "SnapshotIsolation", "Serializable"):
        if level == "Causal":
            lemmas.append(
                Lemma(
                    "paths are seen",
                    "At Causal a path of reads and sessions leads to a transaction that sees "
                    "where it comes from. (One step, and the inductive step.)",
                    _paths_are_seen,
                    {},
                )
            )
        if level != "Serializable":
            lemmas.append(
                Lemma(
                    f"{level}: what is visible",
                    "The transactions that the axiom of Biswas and Enea speaks of can be what is "
                    "visible.",
                    partial(_to_visibility, level),
                    {},
                )
            )
        lemmas += [
            Lemma(
                f"{level}: from the commit order",
                "Where the axiom of Biswas and Enea holds, each read returned the last of the "
                "versions that are visible then.",
                partial(_to_reads, level),
                {},
            ),
            Lemma(
                f"{level}: from visibility",
                "What satisfies the axioms of visibility satisfies the axiom of Biswas and Enea.",
                partial(_to_axiom, level),
                {},
            ),
        ]
    return tuple(lemmas)


THEOREM = Theorem(
    "Two definitions of the key-value levels",
    "ReadAtomic, Causal, Prefix, SnapshotIsolation and Serializable by Cerone, Bernardi and "
    "Gotsman (a commit order and a visibility) and by Biswas and Enea (a commit order) admit the "
    "same key-value histories, of any number of transactions and keys.",
    _lemmas(),
    profile=None,
)
