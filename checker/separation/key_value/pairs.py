"""Every ordered pair of key-value levels: the smallest history between them, or why there is none.

A pair is *separated* by a history, *implied* where a proof for any number of transactions says
that the first level implies the second, and else *equal* as far as the search went.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import permutations
from typing import Literal

from checker.proofs.theorems.key_value_levels import implies
from checker.recorded.decide import judge
from checker.separation.key_value.definition import MOST_TRANSACTIONS, satisfies
from checker.separation.key_value.history import KeyValueHistory
from checker.separation.key_value.separation import Synthesis, explanation, shape
from model.levels import KEY_VALUE_LEVELS

Told = Callable[[str], None]

PROVED_FROM = 3
"""Transactions from which a proof is tried before the search: what two do not separate is rare."""


@dataclass(frozen=True)
class KeyValueSeparation:
    """What is known of two levels: a history that satisfies ``held`` and violates ``violated``.

    ``up_to`` says of how many transactions every history was ruled out. ``seconds`` is processor
    time, ``candidates`` how many histories the search looked at.
    """

    held: str
    violated: str
    up_to: int
    history: KeyValueHistory | None = None
    proved: bool = False
    candidates: int = 0
    seconds: float = 0.0

    @property
    def verdict(self) -> Literal["separated", "implied", "equal"]:
        """Whether there is a history, and otherwise why there is none; ``equal`` is no proof."""
        if self.history is not None:
            return "separated"
        return "implied" if self.proved else "equal"

    @cached_property
    def confirmed(self) -> tuple[str, ...]:
        """Who finds the same, besides the solver; empty where there is no history.

        The definition goes through every order and visibility. The decider of recorded histories
        (``checker.recorded``) knows no predicates, and not every level.
        """
        found = []
        if self.history is None:
            return ()
        if len(self.history.transactions) <= MOST_TRANSACTIONS:
            answers = [satisfies(self.history, level) for level in (self.held, self.violated)]
            found += ["definition"] * (answers == [True, False])
        if not self.history.has_predicates:
            levels = judge(self.history.foreign(), session_order=True).levels
            expected = ((self.held, "holds"), (self.violated, "violated"))
            known = [(levels[name].verdict, word) for name, word in expected if name in levels]
            if known and all(verdict == word for verdict, word in known):
                found.append("decider of recorded histories")
        return tuple(found)


@dataclass(frozen=True)
class KeyValueResult:
    """Every ordered pair of different levels, and what was looked at."""

    separations: tuple[KeyValueSeparation, ...]
    transactions: int
    keys: int
    predicates: bool
    seconds: float

    def between(self, held: str, violated: str) -> KeyValueSeparation:
        """The answer for one ordered pair. Raises ``KeyError``."""
        for each in self.separations:
            if (each.held, each.violated) == (held, violated):
                return each
        raise KeyError((held, violated))


def separate(
    transactions: int = 4,
    *,
    keys: int = 2,
    predicates: bool = False,
    levels: Sequence[str] = tuple(KEY_VALUE_LEVELS),
    budget: float | None = None,
    told: Told | None = None,
) -> KeyValueResult:
    """Tells every ordered pair of different levels apart, as far as it can be done.

    The fewest transactions win, then the fewest operations, then the fewest sessions, rows and
    matching versions. ``predicates``: histories may have predicate reads. ``budget`` in seconds
    ends the search early.
    """
    started, on_the_clock = time.process_time(), time.monotonic()
    found = []
    for held, violated in permutations(levels, 2):
        if told is not None:
            told(f"{held}, not {violated}")
        left = None if budget is None else budget - (time.monotonic() - on_the_clock)
        most = transactions if left is None or left > 0 else 0
        found.append(separate_pair(held, violated, most, keys=keys, predicates=predicates))
    chosen = tuple(_with_few_histories(found))
    return KeyValueResult(chosen, transactions, keys, predicates, time.process_time() - started)


def separate_pair(
    held: str, violated: str, transactions: int = 4, *, keys: int = 2, predicates: bool = False
) -> KeyValueSeparation:
    """The smallest history between two levels, or why there is none. Raises ``KeyError``.

    With ``predicates`` a history without predicate reads is taken where it is as small.
    """
    started = time.process_time()
    levels = KEY_VALUE_LEVELS[held], KEY_VALUE_LEVELS[violated]
    plain = separate_pair(held, violated, transactions, keys=keys) if predicates else None
    history = None if plain is None else plain.history
    most = transactions if history is None else len(history.transactions)
    candidates = 0 if plain is None else plain.candidates
    up_to, proved, found = 0, False, None
    for size in range(1, most + 1):
        if size == PROVED_FROM and history is None:
            proved = implies(held, violated, predicates=predicates)
            if proved:
                break
        search = Synthesis(shape(size, keys, levels, predicates=predicates), levels[:1], levels[1])
        as_small = history is not None and size == most
        found = search.smallest(history.operations if history and as_small else None)
        candidates += search.candidates
        if found is not None:
            break
        up_to = size if not as_small else up_to
    if found is None and history is None and transactions < PROVED_FROM:
        proved = implies(held, violated, predicates=predicates)
    seconds = time.process_time() - started
    return KeyValueSeparation(held, violated, up_to, found or history, proved, candidates, seconds)


def verdicts(history: KeyValueHistory, levels: Iterable[str] = KEY_VALUE_LEVELS) -> dict[str, bool]:
    """Whether the history satisfies each level."""
    return {level: explanation(history, level) is not None for level in levels}


def _with_few_histories(found: Sequence[KeyValueSeparation]) -> Iterable[KeyValueSeparation]:
    """The same pairs, with one history for many of them where it is as small as their own."""
    known: dict[KeyValueHistory, dict[str, bool]] = {}
    for each in found:
        if each.history is not None and each.history not in known:
            known[each.history] = verdicts(each.history)
    counts = {
        history: sum(each[pair.held] and not each[pair.violated] for pair in found)
        for history, each in known.items()
    }
    for pair in found:
        if pair.history is None:
            yield pair
            continue
        size = _size(pair.history)
        fitting = (
            history
            for history, each in known.items()
            if each[pair.held] and not each[pair.violated] and _size(history) == size
        )
        yield replace(pair, history=max(fitting, key=counts.__getitem__))


def _size(history: KeyValueHistory) -> tuple[int, int, bool]:
    return len(history.transactions), history.operations, history.has_predicates


def confirmed_by(history: KeyValueHistory) -> tuple[str, ...]:
    """Who says of every level that it knows what the solver says of it."""
    found, said = [], verdicts(history)
    if len(history.transactions) <= MOST_TRANSACTIONS:
        agrees = all(satisfies(history, level) == fits for level, fits in said.items())
        found += ["definition"] * agrees
    if not history.has_predicates:
        levels = judge(history.foreign(), session_order=True).levels
        agrees = all((levels[name].verdict == "holds") == said[name] for name in levels)
        found += ["decider of recorded histories"] * agrees
    return tuple(found)


def anomaly(history: KeyValueHistory) -> str:
    """What is wrong with a history, in the words of the decider of recorded histories.

    Where it has predicate reads, that is a phantom: all that predicate reads alone can show.
    """
    if history.has_predicates:
        return "phantom"
    levels = judge(history.foreign(), session_order=True).levels.values()
    return next((found.anomaly for found in levels if found.anomaly), "none")
