"""The smallest history that satisfies some levels and violates another.

A single commit order shows that a history satisfies a level, but violating one concerns all
orders. So the solver proposes a candidate that none of the orders seen so far explains, and a
check of the candidate yields another order or shows that there is none (counterexample-guided
synthesis). Once the smallest number of transactions is known, the number of operations is lowered
until nothing smaller is left.
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
    """How a history satisfies a level; None if it violates it.

    Raises ``KeyError`` for an unknown level.
    """
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
        # Encoded before the first solution, so that every solution has values for them.
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
        """A history under which the assumed literals hold; None if there is none."""
        while (values := self.clauses.solve(*assumed)) is not None:
            self.candidates += 1
            self._values = values
            history = concrete(self.facts, values)
            explained = _explained(history, self.violated)
            if explained is None:
                return history.renamed()
            self._refute(explained.order, explained.choices)
        return None

    def smallest(self, fewer_than: int | None = None) -> KeyValueHistory | None:
        """A history with the fewest operations, and among those one with the fewest details.

        ``fewer_than``: the history must have fewer operations than this.
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
            while size and (smaller := self.find(*fixed, -more[size - 1])) is not None:
                best, size = smaller, self._size(literals)
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
    """The shape of the histories that tell some levels apart.

    Two reads of one key that return different versions matter only for levels at which the reads
    of a transaction need not agree with each other; every other level forbids them.
    """
    read_order = any(level.each_read for level in levels)
    alone = read_order or any(not level.readers for level in levels)
    return Shape(transactions, keys, predicates, blind_writes, read_order, 2 if alone else 1)
