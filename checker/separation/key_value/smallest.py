"""The smallest history that satisfies some levels and violates another.

One commit order shows that a history satisfies a level; only all of them show that it violates
one. So the solver guesses a candidate that no order met so far explains, and a check of it gives
another order or says that there is none (counterexample-guided synthesis). Once the smallest
number of transactions is known, operations are made fewer until nothing smaller is left.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from checker.separation.key_value.clauses import FALSE, Clauses, Values
from checker.separation.key_value.execution import Choices, Order, explain
from checker.separation.key_value.facts import (
    Facts,
    Shape,
    concrete,
    details,
    known,
    operations,
    unknown,
)
from checker.separation.key_value.history import KeyValueHistory
from checker.separation.key_value.refutation import refute
from model.levels import KEY_VALUE_LEVELS, KeyValueLevel


@dataclass(frozen=True, slots=True)
class Explanation:
    """A commit order that explains a history, and the versions that made rows absent."""

    order: tuple[int, ...]
    choices: dict[tuple[int, int], int]


def explanation(history: KeyValueHistory, level: str) -> Explanation | None:
    """How a history satisfies a level; None where it violates it. Raises ``KeyError``."""
    return _explained(history, KEY_VALUE_LEVELS[level])


def _explained(history: KeyValueHistory, level: KeyValueLevel) -> Explanation | None:
    clauses = Clauses()
    facts = known(history)
    n = facts.shape.transactions
    order = Order.unknown(n, clauses)
    choices = explain(facts, level, order, clauses)
    values = clauses.solve()
    return None if values is None else _explanation(order, n, choices, values)


def _explanation(order: Order, n: int, choices: Choices, values: Values) -> Explanation:
    true = values.true
    numbers = range(n)
    before = {
        t: sum(true(order.before(other, t)) for other in numbers if other != t) for t in numbers
    }
    chosen = {
        read: source
        for read, sources in choices.items()
        for source, literal in sources.items()
        if true(literal)
    }
    return Explanation(tuple(sorted(numbers, key=before.__getitem__)), chosen)


@dataclass
class Synthesis:
    """A search for histories of one shape that satisfy ``held`` and violate ``violated``."""

    shape: Shape
    held: Sequence[KeyValueLevel]
    violated: KeyValueLevel

    def __post_init__(self) -> None:
        self.clauses = Clauses()
        self.facts: Facts = unknown(self.shape, self.clauses)
        # Counted before the first answer, so that it has their values.
        self._sizes = (operations(self.facts, self.clauses), details(self.facts))
        self.candidates = 0
        self._values: Values | None = None
        n = self.shape.transactions
        first = Order.by_number(n)
        for place, level in enumerate(self.held):
            order = Order.unknown(n, self.clauses) if place else first
            explain(self.facts, level, order, self.clauses)
        self._refute(tuple(range(n)), {})

    def find(self, *assumed: int) -> KeyValueHistory | None:
        """A history, where there is one."""
        while (values := self.clauses.solve(*assumed)) is not None:
            self.candidates += 1
            self._values = values
            history = concrete(self.facts, values)
            found = _explained(history, self.violated)
            if found is None:
                return history.renamed()
            self._refute(found.order, found.choices)
        return None

    def smallest(self, fewer_than: int | None = None) -> KeyValueHistory | None:
        """One with the fewest operations, and of those one with the fewest details.

        ``fewer_than``: how many operations are too many.
        """
        best: KeyValueHistory | None = None
        fixed: list[int] = []
        for literals in self._sizes:
            more = [*self.clauses.counts(literals), FALSE]
            if best is None:
                bound = [] if fewer_than is None else [-more[max(fewer_than - 1, 0)]]
                best = self.find(*bound)
            if best is None:
                return None
            size = self._size(literals)
            while size and (found := self.find(*fixed, -more[size - 1])) is not None:
                best, size = found, self._size(literals)
            fixed.append(-more[size])
        return best

    def _size(self, literals: Sequence[int]) -> int:
        assert self._values is not None
        return sum(map(self._values.true, literals))

    def _refute(self, order: Sequence[int], choices: dict[tuple[int, int], int]) -> None:
        refute(self.facts, self.violated, order, choices, self.clauses)


def shape(
    transactions: int,
    keys: int,
    levels: Sequence[KeyValueLevel],
    *,
    predicates: bool = False,
    blind_writes: bool = True,
) -> Shape:
    """The shape of the histories that tell some levels apart."""
    read_order = any(level.each_read for level in levels)
    return Shape(transactions, keys, predicates, blind_writes, read_order)
