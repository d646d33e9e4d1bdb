"""Formulas read in a finite structure: what a premise says of one run of the model.

So it is the formula of a premise, and not only its name, that is held against runs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import z3

from checker.proofs.lemma import Formula


@dataclass(frozen=True)
class Structure:
    """The elements of each sort, and what each function and constant is, by their names."""

    elements: Mapping[str, Sequence[Any]]
    functions: Mapping[str, Callable[..., Any]]

    def holds(self, formula: Formula) -> bool:
        """True if a closed formula is true. Raises ``KeyError`` for a name without a meaning."""
        return bool(self._value(formula, ()))

    def _value(self, term: Any, bound: tuple[Any, ...]) -> Any:
        if z3.is_quantifier(term):
            return self._quantifier(term, bound)
        if z3.is_var(term):
            return bound[-1 - z3.get_var_index(term)]
        kind, parts = term.decl().kind(), term.children()
        match kind:
            case z3.Z3_OP_TRUE:
                return True
            case z3.Z3_OP_FALSE:
                return False
            case z3.Z3_OP_AND:
                return all(self._value(part, bound) for part in parts)
            case z3.Z3_OP_OR:
                return any(self._value(part, bound) for part in parts)
            case z3.Z3_OP_NOT:
                return not self._value(parts[0], bound)
            case z3.Z3_OP_IMPLIES:
                return not self._value(parts[0], bound) or self._value(parts[1], bound)
            case z3.Z3_OP_EQ:
                return self._value(parts[0], bound) == self._value(parts[1], bound)
            case z3.Z3_OP_DISTINCT:
                values = [self._value(part, bound) for part in parts]
                return len(set(values)) == len(values)
            case z3.Z3_OP_ITE:
                test, then, other = parts
                return self._value(then if self._value(test, bound) else other, bound)
        meaning = self.functions[term.decl().name()]
        return meaning(*(self._value(part, bound) for part in parts))

    def _quantifier(self, term: Any, bound: tuple[Any, ...]) -> bool:
        sorts = [self.elements[term.var_sort(n).name()] for n in range(term.num_vars())]
        values = (self._value(term.body(), (*bound, *chosen)) for chosen in product(*sorts))
        return all(values) if term.is_forall() else any(values)
