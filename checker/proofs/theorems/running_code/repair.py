"""Lemmas: what the repair takes for a possible dependency is what its code takes for one.

The code of ``model.rules.read_through_append`` is translated like that of the other rules
(``running_code.rules``): which attempts the rule is about, when one winner may depend on another,
and when one leads back to the attempt. The search for a way
between them is left to tests, which hold it against a search in a graph.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import z3

from checker.proofs.lemma import Claim, Formula, Lemma
from checker.proofs.theorems.running_code.rules import Transactions
from checker.proofs.translation.translator import Translation
from checker.proofs.translation.values import Record
from model.levels import WRITE_SERIALIZABLE
from model.rules import read_through_append


class _Repair(Transactions):
    """Footprints, and what the rule finds in them."""

    def __init__(self) -> None:
        super().__init__()
        self.snapshot = z3.Const("snapshot", self.Time)
        self.width = z3.Const("width", self.Width)
        self.columns = z3.Function("columns_of", self.File, self.Width)
        self.key = z3.Function("key", self.File, self.Path)
        self.way = z3.Function("has_way_back", self.Txn, z3.BoolSort())

    def translation(self) -> Translation:
        """A translation that also knows the search for a way back, and who is older."""
        plain = super().translation()

        def length(partition: Any) -> Any:
            return partition.attributes["length"] if isinstance(partition, Record) else self.width

        return plain.knowing(
            {
                len: length,
                ast.Gt: lambda one, other: self.earlier(other, one),
                ast.GtE: lambda one, other: z3.Not(self.earlier(one, other)),
                read_through_append._snapshot: lambda _: self.snapshot,
                read_through_append.way_back: lambda _, w: self.way(w.attributes["term"]),
            }
        )

    def noted(self, p: Any, file: Any) -> Formula:
        """Whether a transaction has read or removes a file."""
        g = z3.Const("g", self.File)
        there = z3.Or(self.has("read_files", p, g), self.has("removes", p, g))
        return z3.Exists([g], z3.And(there, self.path(g) == self.path(file)))

    def anything(self, p: Any) -> Formula:
        """Whether a transaction may have read everything."""
        return z3.Or(self.truth("next_version_only", p), self.truth("read_whole_table", p))

    def blind(self, p: Any) -> Formula:
        """Whether a footprint is a blind append."""
        reads = (("read_predicates", self.Predicate), ("read_files", self.File))
        noted = [
            self.some(sort, lambda x, name=name: self.has(name, p, x))  # type: ignore[misc]
            for name, sort in (*reads, ("removes", self.File))
        ]
        return z3.Not(z3.Or(self.truth("next_version_only", p), *noted))

    def covers(self, p: Any, wrote: Callable[[Any], Formula]) -> Formula:
        """Whether the reads of p cover one of some files."""
        g, q = z3.Const("any_file", self.File), z3.Const("q", self.Predicate)
        noted_some = z3.Or(
            z3.Exists([q], self.has("read_predicates", p, q)),
            z3.Exists([g], z3.Or(self.has("read_files", p, g), self.has("removes", p, g))),
        )

        def covered(file: Any) -> Formula:
            true = self.true_of(q, self.partition(file))
            return z3.Or(
                *(self.unpartitioned, self.noted(p, file), self.columns(file) != self.width),
                z3.Exists([q], z3.And(self.has("read_predicates", p, q), true)),
            )

        return self.some(
            self.File,
            lambda f: z3.And(wrote(f), z3.Or(self.anything(p), z3.And(noted_some, covered(f)))),
        )

    def misses(self, p: Any, q: Any) -> Formula:
        """Whether what q wrote, unseen, may change what p read."""
        w, g = z3.Const("v", self.Txn), z3.Const("h", self.File)

        def later(file: Any) -> Formula:
            return z3.Exists(
                [w, g],
                z3.And(
                    *(self.truth("is_winner", w), self.has("adds", w, g)),
                    self.earlier(self.read_version(p), self.version(w)),
                    self.key(g) == self.key(file),
                ),
            )

        def there(file: Any) -> Formula:
            return z3.And(self.has("removes", q, file), z3.Not(later(file)))

        def unseen(file: Any) -> Formula:
            return z3.Or(
                self.has("adds", q, file), z3.And(self.has("removes", q, file), later(file))
            )

        through_known_files = self.some(
            self.File, lambda f: z3.And(there(f), z3.Or(self.anything(p), self.noted(p, f)))
        )
        return z3.Or(through_known_files, self.covers(p, unseen))

    def sees(self, p: Any, q: Any) -> Formula:
        """Whether p has seen the commit of q."""
        return z3.Not(self.earlier(self.read_version(p), self.version(q)))


def _claim(s: _Repair, translation: Translation, code: Formula, stated: Formula) -> Claim:
    return Claim(
        (),
        goal=z3.And(code == stated, *translation.obligations),
        witness=z3.And(code, stated),
        background=s.texts.axioms(),
    )


def _check() -> Claim:
    s = _Repair()
    translation = s.translation()
    value = translation.call(read_through_append.check, s.attempt(), s.commit(s.w))
    stated = z3.And(
        s.level == s.texts.constant(WRITE_SERIALIZABLE),
        *(z3.Not(s.truth("metadata", s.t)), s.truth("says_blind", s.w), z3.Not(s.blind(s.t))),
        *(s.covers(s.t, lambda f: s.has("adds", s.w, f)), s.way(s.w)),
    )
    return _claim(s, translation, translation.truth(value), stated)


def _footprints_of(s: _Repair, p: Any) -> Record:
    footprint: Record = s.commit(p).attributes["footprint"]
    return footprint


def _follows() -> Claim:
    s = _Repair()
    translation = s.translation()
    p, q = z3.Consts("one other", s.Txn)
    table = s.attempt().attributes["table"]
    value = translation.call(read_through_append._follows, s.commit(p), s.commit(q), table)

    def wrote(f: Any) -> Formula:
        return z3.Or(s.has("adds", p, f), s.has("removes", p, f))

    stated = z3.And(s.sees(q, p), s.covers(q, wrote))
    return _claim(s, translation, translation.truth(value), stated)


def _misses() -> Claim:
    s = _Repair()
    translation = s.translation()
    p, q = z3.Consts("one other", s.Txn)
    wrote = _footprints_of(s, q)
    value = translation.call(read_through_append._misses, s.commit(p), wrote, s.attempt())
    return _claim(s, translation, translation.truth(value), s.misses(p, q))


def _dependencies() -> Claim:
    s = _Repair()
    truth = z3.BoolSort()
    follows = z3.Function("has_followed", s.Txn, s.Txn, truth)
    misses = z3.Function("has_missed", s.Txn, s.Txn, truth)

    def term(record: Record) -> Any:
        return record.attributes["term"]

    translation = s.translation().knowing(
        {
            read_through_append._follows: lambda p, q, _: follows(term(p), term(q)),
            read_through_append._misses: lambda p, wrote, _: misses(term(p), term(wrote)),
        }
    )
    p, q = z3.Consts("one other", s.Txn)
    depends = translation.call(
        read_through_append.may_depend, s.commit(p), s.commit(q), s.attempt()
    )
    back = translation.call(read_through_append._leads_back, s.attempt(), s.commit(s.w))
    stated_depends = z3.And(
        p != q, z3.Or(follows(p, q), z3.And(z3.Not(s.sees(p, q)), misses(p, q)))
    )
    older = s.earlier(s.read_version(s.w), s.snapshot)
    stated_back = z3.If(older, z3.Not(s.blind(s.w)), misses(s.w, s.t))
    return Claim(
        (),
        goal=z3.And(
            translation.truth(depends) == stated_depends,
            translation.truth(back) == stated_back,
            *translation.obligations,
        ),
        witness=z3.And(stated_depends, stated_back),
        background=s.texts.axioms(),
    )


LEMMAS = (
    Lemma(
        "as it runs: read through append",
        "The code of the rule speaks of attempts at WriteSerializable that change no metadata and "
        "whose reads cover a file of a blind append, and refuses them where there is a way back.",
        _check,
        {},
    ),
    Lemma(
        "as it runs: one follows another",
        "For the code, a transaction may have read what another one wrote or took away where it "
        "has seen it and its reads cover a file that it added or removed.",
        _follows,
        {},
    ),
    Lemma(
        "as it runs: one misses another",
        "For the code, what another one wrote, unseen, may change what a transaction has read "
        "where that one removed a file that it noted, or added one, or removed one added since its "
        "snapshot, that its reads cover.",
        _misses,
        {},
    ),
    Lemma(
        "as it runs: dependencies and their end",
        "For the code, a winner may have to come before another one where that one follows it, "
        "or where it has not seen that one and misses it; and it leads back to the attempt where "
        "it began before and reads, or misses what the attempt writes.",
        _dependencies,
        {},
    ),
)
