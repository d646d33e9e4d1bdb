"""The levels by their definitions: a decider that tries every commit order and visibility.

It shares nothing with the clauses of the search, so that it can confirm the search's results.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, combinations, permutations, product

from checker.separation.key_value.history import (
    INITIAL,
    KeyValueHistory,
    PredicateRead,
    Read,
    Transaction,
)
from model.levels import KEY_VALUE_LEVELS, Axiom, KeyValueLevel

MOST_TRANSACTIONS = 5
"""Larger histories have too many visibilities to try them all."""

Visible = Mapping[int, frozenset[int]]
"""For each transaction, the transactions that are visible to it."""


def satisfies(history: KeyValueHistory, level: str) -> bool:
    """Whether a history satisfies a level. Raises ``ValueError`` if it is too large."""
    if len(history.transactions) > MOST_TRANSACTIONS:
        raise ValueError(f"more than {MOST_TRANSACTIONS} transactions")
    meant = KEY_VALUE_LEVELS[level]
    return any(
        _explains(history, meant, order) for order in permutations(range(len(history.transactions)))
    )


def _explains(history: KeyValueHistory, level: KeyValueLevel, order: Sequence[int]) -> bool:
    place = {t: number for number, t in enumerate(order)}
    for a, b in _sessions(history):
        if place[a] > place[b]:
            return False
    before = {t: frozenset(order[: place[t]]) for t in order}
    if not all(_earlier(history, t, before[t]) for t in order):
        return False
    if level.each_read:
        return all(_read_committed(history, t, order, before[t]) for t in order)
    return any(
        all(
            _last_visible(history, level, t, order, seen[t])
            for t in order
            if level.readers or history.transactions[t].writes
        )
        for seen in _visibilities(history, level, before)
    )


def _sessions(history: KeyValueHistory) -> Iterator[tuple[int, int]]:
    transactions = history.transactions
    for a, b in combinations(range(len(transactions)), 2):
        if transactions[a].session == transactions[b].session:
            yield a, b


def _rows(read: Read | PredicateRead) -> tuple[Read, ...]:
    return read.rows if isinstance(read, PredicateRead) else (read,)


def _unreturned(history: KeyValueHistory, read: Read | PredicateRead) -> list[int]:
    """The keys that a predicate read did not return."""
    if isinstance(read, Read):
        return []
    returned = {row.key for row in read.rows}
    return [k for k in range(history.keys) if k not in returned]


def _versions(history: KeyValueHistory, key: int, seen: frozenset[int]) -> list[int]:
    """The writers of a key's versions: the initial one and those among the transactions seen."""
    return [INITIAL, *(t for t in seen if history.transactions[t].writes_key(key))]


def _earlier(history: KeyValueHistory, t: int, before: frozenset[int]) -> bool:
    """Whether the versions that a transaction read exist before it, and match where they must."""
    for read in history.transactions[t].reads:
        for row in _rows(read):
            if row.writer not in _versions(history, row.key, before):
                return False
            if isinstance(read, PredicateRead) and not history.matches(row.writer, row.key):
                return False
        for key in _unreturned(history, read):
            if all(history.matches(w, key) for w in _versions(history, key, before)):
                return False
    return True


def _visibilities(
    history: KeyValueHistory, level: KeyValueLevel, before: Visible
) -> Iterator[Visible]:
    if Axiom.TOTAL in level.axioms:
        yield before
        return
    names = list(before)
    every = (_subsets(before[t]) for t in names)
    for chosen in product(*every):
        seen = dict(zip(names, chosen, strict=True))
        if _axioms(history, level, before, seen):
            yield seen


def _subsets(items: frozenset[int]) -> list[frozenset[int]]:
    sizes = range(len(items) + 1)
    return [frozenset(s) for s in chain.from_iterable(combinations(items, n) for n in sizes)]


def _axioms(history: KeyValueHistory, level: KeyValueLevel, before: Visible, seen: Visible) -> bool:
    if any(a not in seen[b] for a, b in _sessions(history)):
        return False
    if Axiom.TRANSITIVE in level.axioms and any(
        not seen[a] <= seen[b] for b in seen for a in seen[b]
    ):
        return False
    if Axiom.PREFIX in level.axioms and any(
        not before[a] <= seen[b] for b in seen for a in seen[b]
    ):
        return False
    return Axiom.NO_CONFLICT not in level.axioms or all(
        a in seen[b] or b in seen[a]
        for a, b in combinations(seen, 2)
        if any(history.transactions[b].writes_key(w.key) for w in history.transactions[a].writes)
    )


def _last_visible(
    history: KeyValueHistory,
    level: KeyValueLevel,
    t: int,
    order: Sequence[int],
    seen: frozenset[int],
) -> bool:
    """Whether each read of a transaction returned the last visible versions."""

    def last(key: int) -> int:
        versions = _versions(history, key, seen)
        return max(versions, key=lambda w: -1 if w == INITIAL else order.index(w))

    for read in history.transactions[t].reads:
        if any(last(row.key) != row.writer for row in _rows(read)):
            return False
        if not level.phantoms and any(
            history.matches(last(key), key) for key in _unreturned(history, read)
        ):
            return False
    return True


def _read_committed(
    history: KeyValueHistory, t: int, order: Sequence[int], before: frozenset[int]
) -> bool:
    """Whether no read misses a write of a transaction that an earlier read of ``t`` has seen.

    If a predicate read did not return a key, it saw some version that does not match.
    """
    place = {INITIAL: -1, **{name: number for number, name in enumerate(order)}}
    transaction: Transaction = history.transactions[t]
    unseen = [(n, k) for n, r in enumerate(transaction.reads) for k in _unreturned(history, r)]
    possible = [
        [w for w in _versions(history, k, before) if not history.matches(w, k)] for _, k in unseen
    ]
    for chosen in product(*possible):
        sources: set[int] = set()
        fits = True
        for number, read in enumerate(transaction.reads):
            versions = [(row.key, row.writer) for row in _rows(read)]
            versions += [(k, w) for (n, k), w in zip(unseen, chosen, strict=True) if n == number]
            fits = fits and not any(
                place[w] < place[other]
                for key, w in versions
                for other in sources
                if other != INITIAL and history.transactions[other].writes_key(key)
            )
            sources |= {w for _, w in versions}
        if fits:
            return True
    return False
