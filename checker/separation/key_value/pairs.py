"""The smallest key-value histories that separate levels, for every ordered pair of them.

A pair is *separated* by a history, *implied* if a proof for any number of transactions shows that
the first level implies the second, and otherwise *equal* as far as the search went.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import permutations

from checker.proofs.theorems.key_value.levels import implies
from checker.recorded.decide import judge
from checker.separation.key_value.definition import MOST_TRANSACTIONS, satisfies
from checker.separation.key_value.history import KeyValueHistory
from checker.separation.key_value.smallest import Synthesis, explanation, shape
from checker.separation.result import SeparatingHistory, Separation, SeparationResult
from model.levels import KEY_VALUE_LEVELS

Progress = Callable[[str], None]

PROVED_FROM = 3
"""The number of transactions from which a proof is tried before the search.

Few pairs are not separated by fewer transactions, so trying a proof earlier would waste time.
"""


@dataclass(frozen=True)
class KeyValueExample(SeparatingHistory):
    """A key-value history that separates levels."""

    history: KeyValueHistory

    @property
    def size(self) -> int:
        """The number of transactions."""
        return len(self.history.transactions)

    @cached_property
    def verdicts(self) -> Mapping[str, bool]:
        """Whether it satisfies each level, according to the solver."""
        return verdicts(self.history)

    @property
    def cost(self) -> tuple[int, int, bool]:
        """The measure by which one history is smaller than another."""
        return self.size, self.history.operations, self.history.has_predicates

    def separates(self, held: str, violated: str) -> bool:
        """Whether it holds one level and violates the other."""
        return self.verdicts[held] and not self.verdicts[violated]

    def confirmed_by(self, expected: Mapping[str, bool]) -> tuple[str, ...]:
        """The deciders besides the solver that agree with the expected verdicts.

        The definition tries every order and visibility. The decider of recorded histories
        (``checker.recorded``) does not support predicates, nor all levels.
        """
        return tuple(name for name, agrees in self._decided(expected) if agrees)

    def _decided(self, expected: Mapping[str, bool]) -> Iterator[tuple[str, bool]]:
        if self.size <= MOST_TRANSACTIONS:
            agree = (satisfies(self.history, level) == fits for level, fits in expected.items())
            yield "definition", all(agree)
        if not self.history.has_predicates:
            recorded = judge(self.history.recorded(), session_order=True).levels
            decided = [
                (recorded[level].verdict == "holds") == fits
                for level, fits in expected.items()
                if level in recorded
            ]
            yield "decider of recorded histories", bool(decided) and all(decided)


KeyValueSeparation = Separation[KeyValueExample]


@dataclass(frozen=True)
class KeyValueSeparations(SeparationResult[KeyValueExample]):
    """Every ordered pair of different levels, and the kind of histories examined.

    ``seconds`` is processor time.
    """

    keys: int
    predicates: bool


def needs_a_predicate(separation: KeyValueSeparation) -> bool:
    """Whether it is proved that only histories with predicate reads separate the two levels."""
    if separation.history is None or not separation.history.history.has_predicates:
        return False
    return implies(separation.held, separation.violated, predicates=False)


def separate(
    transactions: int = 4,
    *,
    keys: int = 2,
    predicates: bool = False,
    levels: Sequence[str] = tuple(KEY_VALUE_LEVELS),
    budget: float | None = None,
    progress: Progress | None = None,
) -> KeyValueSeparations:
    """Separates every ordered pair of different levels, as far as possible.

    The fewest transactions win, then the fewest operations, then the fewest sessions, rows and
    matching versions. ``predicates``: histories may have predicate reads. ``budget`` in seconds
    ends the search early. ``progress`` is called with the levels of each pair in words.
    """
    started, on_the_clock = time.process_time(), time.monotonic()
    pairs = []
    for held, violated in permutations(levels, 2):
        if progress is not None:
            progress(f"{held}, not {violated}")
        left = None if budget is None else budget - (time.monotonic() - on_the_clock)
        most = transactions if left is None or left > 0 else 0
        pairs.append(separate_pair(held, violated, most, keys=keys, predicates=predicates))
    return KeyValueSeparations(
        tuple(levels),
        tuple(_with_few_histories(pairs)),
        transactions,
        time.process_time() - started,
        keys=keys,
        predicates=predicates,
    )


def separate_pair(
    held: str, violated: str, transactions: int = 4, *, keys: int = 2, predicates: bool = False
) -> KeyValueSeparation:
    """The smallest history that separates two levels, or the reason why there is none.

    With ``predicates``, a history without predicate reads is preferred if it is as small. If the
    solver reaches its limits, the answer covers the sizes before. Raises ``KeyError`` for an
    unknown level.
    """
    started = time.process_time()
    levels = KEY_VALUE_LEVELS[held], KEY_VALUE_LEVELS[violated]
    plain = separate_pair(held, violated, transactions, keys=keys) if predicates else None
    example = None if plain is None else plain.history
    most = transactions if example is None else example.size
    candidates = 0 if plain is None else plain.candidates
    up_to, proved = 0, False
    for size in range(1, most + 1):
        if size == PROVED_FROM and example is None:
            proved = implies(held, violated, predicates=predicates)
            if proved:
                break
        search = Synthesis(shape(size, keys, levels, predicates=predicates), levels[:1], levels[1])
        as_small = example is not None and size == most
        try:
            smaller = search.smallest(example.history.operations if example and as_small else None)
        except TimeoutError:
            break  # The solver gave up: this size and larger ones stay undecided.
        finally:
            candidates += search.candidates
        if smaller is not None:
            example = KeyValueExample(smaller)
            break
        up_to = size if not as_small else up_to
    if example is None and transactions < PROVED_FROM:
        proved = implies(held, violated, predicates=predicates)
    return Separation(
        held,
        violated,
        up_to,
        example,
        "" if example is None else anomaly(example.history),
        "implied" if proved else "equal",
        candidates,
        time.process_time() - started,
    )


def verdicts(history: KeyValueHistory, levels: Iterable[str] = KEY_VALUE_LEVELS) -> dict[str, bool]:
    """Whether the history satisfies each level."""
    return {level: explanation(history, level) is not None for level in levels}


def _with_few_histories(pairs: Sequence[KeyValueSeparation]) -> Iterator[KeyValueSeparation]:
    """The same pairs, sharing a history wherever it is as small as the pair's own."""
    examples = dict.fromkeys(pair.history for pair in pairs if pair.history is not None)
    counts = {
        example: sum(example.separates(pair.held, pair.violated) for pair in pairs)
        for example in examples
    }
    for pair in pairs:
        if pair.history is None:
            yield pair
            continue
        cost = pair.history.cost
        fitting = (
            example
            for example in examples
            if example.separates(pair.held, pair.violated) and example.cost == cost
        )
        chosen = max(fitting, key=counts.__getitem__)
        yield replace(pair, history=chosen, anomaly=anomaly(chosen.history))


def anomaly(history: KeyValueHistory) -> str:
    """The anomaly of a history, by the name that the decider of recorded histories gives it.

    A history with predicate reads shows a phantom: the search chooses one only if no history
    without predicate reads is as small.
    """
    if history.has_predicates:
        return "phantom"
    levels = judge(history.recorded(), session_order=True).levels.values()
    return next((verdict.anomaly for verdict in levels if verdict.anomaly), "none")
