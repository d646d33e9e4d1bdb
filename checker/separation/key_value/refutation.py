"""Clauses that say that one commit order, with one choice of unseen versions, explains nothing.

A history that no order explains violates the level. For a given order the smallest visibility is
the best one. It is defined by going through the order from its beginning, and a clause says that
some condition fails for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from checker.separation.key_value.clauses import FALSE, TRUE, Clauses
from checker.separation.key_value.execution import Version
from checker.separation.key_value.facts import Facts
from checker.separation.key_value.history import INITIAL
from model.levels import Axiom, KeyValueLevel


def refute(
    facts: Facts,
    level: KeyValueLevel,
    order: Sequence[int],
    choices: Mapping[tuple[int, int], int],
    clauses: Clauses,
) -> None:
    """Demands that an order does not explain the history at a level.

    ``choices`` has, by transaction and key, the writer of the version that made a row absent; a
    missing entry stands for the initial version.
    """
    wrong: list[int] = []
    place = {t: number for number, t in enumerate(order)} | {INITIAL: -1}
    counted = [TRUE if level.readers else writer for writer in facts.writer]
    versions = [Version(*read) for read in facts.returned() if read[-1] != FALSE]
    wrong += [so for (a, b), so in facts.session.items() if place[a] > place[b]]
    wrong += [
        version.literal
        for version in versions
        if place[version.source] > place[version.transaction]
    ]
    for t, keys in enumerate(facts.absent):
        for k, absent in enumerate(keys):
            if absent == FALSE:
                continue
            source = choices.get((t, k), INITIAL)
            if place[source] > place[t]:
                wrong.append(absent)
                continue
            for flaw in (-facts.wrote(source, k), facts.matches(source, k)):
                wrong.append(clauses.all_of((absent, flaw)))
            versions.append(Version(t, facts.shape.predicate, k, source, absent, absent=True))
    seen = _Smallest(facts, level, order, versions, clauses)
    for version in versions:
        t = version.transaction
        if level.phantoms and version.absent:
            continue
        after = order[place[version.source] + 1 : max(place[t], 0)]
        newer = [seen.newer(t, version.place, other, version.key) for other in after]
        if any(literal != FALSE for literal in newer):
            flaw = clauses.all_of((counted[t], version.literal))
            missed = clauses.variable()
            clauses.add(-missed, flaw)
            clauses.add(-missed, *newer)
            wrong.append(missed)
    clauses.add(*wrong)


class _Smallest:
    """The smallest visibility within an order: each literal implies a reason that forces it."""

    def __init__(
        self,
        facts: Facts,
        level: KeyValueLevel,
        order: Sequence[int],
        versions: Sequence[Version],
        clauses: Clauses,
    ) -> None:
        self._level, self._facts, self._clauses = level, facts, clauses
        self._newer: dict[tuple[int, int | None, int, int], int] = {}
        self._by_read: dict[tuple[int, int, int], list[int]] = {}
        self._seen: dict[tuple[int, int], int] = {}
        if level.each_read:
            for version in versions:
                for (place, later), earlier in facts.earlier[version.transaction].items():
                    if place == version.place and version.source != INITIAL:
                        read = (version.transaction, later, version.source)
                        reason = clauses.all_of((version.literal, earlier))
                        self._by_read.setdefault(read, []).append(reason)
            self._reads = {
                read: clauses.some_of(reasons) for read, reasons in self._by_read.items()
            }
        elif Axiom.TOTAL not in level.axioms:
            direct: dict[tuple[int, int], list[int]] = {}
            for pair, session in facts.session.items():
                direct.setdefault(pair, []).append(session)
            for version in versions:
                direct.setdefault((version.source, version.transaction), []).append(version.literal)
            for number, b in enumerate(order):
                for a in order[:number]:
                    reasons = direct.get((a, b), [])
                    if Axiom.NO_CONFLICT in level.axioms:
                        both = zip(facts.writes[a], facts.writes[b], strict=True)
                        reasons = [*reasons, *(clauses.all_of(pair) for pair in both)]
                    direct[a, b] = [clauses.some_of(reasons)]
            self._close({pair: reasons[0] for pair, reasons in direct.items()}, order, clauses)

    def newer(self, transaction: int, place: int, other: int, key: int) -> int:
        """Whether the read at a place of a transaction sees a version by another transaction."""
        about = (transaction, place if self._level.each_read else None, other, key)
        if about not in self._newer:
            sees = self._sees(transaction, place, other)
            self._newer[about] = self._clauses.all_of((self._facts.writes[other][key], sees))
        return self._newer[about]

    def _sees(self, transaction: int, place: int, other: int) -> int:
        """Whether the read at a place of a transaction has to see another transaction."""
        if self._level.each_read:
            return self._reads.get((transaction, place, other), FALSE)
        if Axiom.TOTAL in self._level.axioms:
            return TRUE
        return self._seen[other, transaction]

    def _close(
        self, direct: Mapping[tuple[int, int], int], order: Sequence[int], clauses: Clauses
    ) -> None:
        axioms = self._level.axioms
        for last, t in enumerate(order):
            for number in reversed(range(last)):
                a = order[number]
                reasons = [direct[a, t]]
                if Axiom.PREFIX in axioms and number + 1 < last:
                    reasons.append(self._seen[order[number + 1], t])
                elif Axiom.TRANSITIVE in axioms:
                    between = order[number + 1 : last]
                    reasons += [clauses.all_of((self._seen[a, b], direct[b, t])) for b in between]
                self._seen[a, t] = clauses.some_of(reasons)
