"""Clauses that say that some commit order and visibility explain a history at a level."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations

from checker.separation.key_value.clauses import FALSE, TRUE, Clauses
from checker.separation.key_value.facts import Facts
from checker.separation.key_value.history import INITIAL
from model.levels import Axiom, KeyValueLevel


class Order:
    """A commit order in literals. The initial versions come first."""

    def __init__(self, before: Mapping[tuple[int, int], int]) -> None:
        self._before = before

    def before(self, one: int, other: int) -> int:
        """Whether one transaction precedes the other."""
        if INITIAL in (one, other):
            return TRUE if one == INITIAL != other else FALSE
        return self._before[one, other]

    @staticmethod
    def by_number(transactions: int) -> Order:
        """The transactions in the order of their numbers."""
        pairs = permutations(range(transactions), 2)
        return Order({(a, b): TRUE if a < b else FALSE for a, b in pairs})

    @staticmethod
    def unknown(transactions: int, clauses: Clauses) -> Order:
        """An order that the solver may choose."""
        before: dict[tuple[int, int], int] = {}
        for a, b in combinations(range(transactions), 2):
            before[a, b] = clauses.variable()
            before[b, a] = -before[a, b]
        for a, b, c in permutations(range(transactions), 3):
            if a < b and a < c:  # each cycle of three once
                clauses.add(-before[a, b], -before[b, c], -before[c, a])
        return Order(before)


Choices = Mapping[tuple[int, int], Mapping[int, int]]
"""For each transaction and key, the version that made a row absent: literals by its writer."""


@dataclass(frozen=True, slots=True)
class Version:
    """A version that a read may see. ``absent``: it is the reason why a row was not returned."""

    transaction: int
    place: int
    key: int
    source: int
    literal: int
    absent: bool = False


def explain(facts: Facts, level: KeyValueLevel, order: Order, clauses: Clauses) -> Choices:
    """Demands that the order explains the history at the level; returns the absent versions."""
    n = facts.shape.transactions
    choices = _choices(facts, order, clauses)
    versions = [Version(*read) for read in facts.returned() if read[-1] != FALSE]
    for (t, k), sources in choices.items():
        place = facts.shape.predicate
        versions += [Version(t, place, k, s, v, absent=True) for s, v in sources.items()]
    for (a, b), session in facts.session.items():
        clauses.add(-session, order.before(a, b))
    for version in versions:
        if version.source != INITIAL:
            clauses.add(-version.literal, order.before(version.source, version.transaction))
    seen = _Visibility(facts, level, order, versions, clauses)
    for version in versions:
        if level.phantoms and version.absent:
            continue
        t = version.transaction
        counted = TRUE if level.readers else facts.writer[t]
        for other in range(n):
            if other not in (t, version.source):
                clauses.add(
                    -counted,
                    -version.literal,
                    -facts.writes[other][version.key],
                    -seen.sees(t, version.place, other),
                    order.before(other, version.source),
                )
    return choices


def _choices(facts: Facts, order: Order, clauses: Clauses) -> Choices:
    choices: dict[tuple[int, int], dict[int, int]] = {}
    for t, keys in enumerate(facts.absent):
        for k, absent in enumerate(keys):
            if absent == FALSE:
                continue
            sources: dict[int, int] = {}
            for s in range(INITIAL, facts.shape.transactions):
                if s == t:
                    continue
                conditions = (facts.wrote(s, k), -facts.matches(s, k), order.before(s, t))
                if FALSE not in conditions:
                    sources[s] = clauses.variable()
                    for condition in conditions:
                        clauses.add(-sources[s], condition)
                    clauses.add(-sources[s], absent)
            clauses.add(-absent, *sources.values())
            choices[t, k] = sources
    return choices


class _Visibility:
    """The transactions that each read sees."""

    def __init__(
        self,
        facts: Facts,
        level: KeyValueLevel,
        order: Order,
        versions: Sequence[Version],
        clauses: Clauses,
    ) -> None:
        self._each_read = level.each_read
        self._seen: dict[tuple[int, int], int] = {}
        self._by_read: dict[tuple[int, int, int], int] = {}
        n = facts.shape.transactions
        pairs = [(a, b) for a, b in permutations(range(n), 2) if order.before(a, b) != FALSE]
        if level.each_read:
            self._read_by_read(facts, versions, clauses)
        elif Axiom.TOTAL in level.axioms:
            self._seen = {(a, b): order.before(a, b) for a, b in pairs}
        else:
            self._seen = {pair: clauses.variable() for pair in pairs}
            for (a, b), literal in self._seen.items():
                clauses.add(-literal, order.before(a, b))
            for pair, session in facts.session.items():
                clauses.add(-session, self._seen.get(pair, FALSE))
            for version in versions:
                if version.source != INITIAL:
                    seen = self._seen.get((version.source, version.transaction), FALSE)
                    clauses.add(-version.literal, seen)
            self._axioms(facts, level, order, clauses)

    def sees(self, transaction: int, place: int, other: int) -> int:
        """Whether the read at a place of a transaction sees another transaction."""
        if self._each_read:
            return self._by_read.get((transaction, place, other), FALSE)
        return self._seen.get((other, transaction), FALSE)

    def _read_by_read(self, facts: Facts, versions: Sequence[Version], clauses: Clauses) -> None:
        for version in versions:
            for (place, later), earlier in facts.earlier[version.transaction].items():
                if place == version.place and version.source != INITIAL:
                    read = (version.transaction, later, version.source)
                    if read not in self._by_read:
                        self._by_read[read] = clauses.variable()
                    clauses.add(-version.literal, -earlier, self._by_read[read])

    def _axioms(self, facts: Facts, level: KeyValueLevel, order: Order, clauses: Clauses) -> None:
        n = facts.shape.transactions
        seen = self._seen
        if Axiom.NO_CONFLICT in level.axioms:
            for a, b in combinations(range(n), 2):
                either = (seen.get((a, b), FALSE), seen.get((b, a), FALSE))
                for k in range(facts.shape.keys):
                    clauses.add(-facts.writes[a][k], -facts.writes[b][k], *either)
        for axiom in (Axiom.TRANSITIVE, Axiom.PREFIX):
            if axiom not in level.axioms:
                continue
            for a, b, c in permutations(range(n), 3):
                if (b, c) in seen:
                    first = seen.get((a, b), FALSE)
                    if axiom is Axiom.PREFIX:
                        first = order.before(a, b)
                    clauses.add(-first, -seen[b, c], seen.get((a, c), FALSE))
