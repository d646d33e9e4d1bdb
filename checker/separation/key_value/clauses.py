"""Clauses over numbered variables, and the solver that decides them.

Literals are numbers as in DIMACS: ``-v`` is the negation of ``v``. ``TRUE`` and ``FALSE`` are
literals too, and are simplified away, so that the same encoding serves unknown and known facts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

import z3

from checker.solving import Limits, ask

LIMITS = Limits(resources=4_000_000_000, wall_ms=600_000)
"""What one question may cost."""

TRUE = 1
FALSE = -1


@cache
def _variable(number: int) -> Any:
    return z3.Bool(number)


@cache
def _declaration(number: int) -> Any:
    return _variable(number).decl()


class Values:
    """Values of all variables that satisfy some clauses."""

    def __init__(self, model: Any) -> None:
        self._model = model

    def true(self, literal: int) -> bool:
        """Whether a literal is true; variables that the clauses leave open are false."""
        if abs(literal) == TRUE:
            return literal == TRUE
        # Called thousands of times, so it avoids the objects that z3's Python interface creates.
        context, declaration = self._model.ctx.ref(), _declaration(abs(literal)).ast
        value = z3.Z3_model_get_const_interp(context, self._model.model, declaration)
        positive = False
        if value:
            z3.Z3_inc_ref(context, value)
            positive = z3.Z3_get_bool_value(context, value) == z3.Z3_L_TRUE
            z3.Z3_dec_ref(context, value)
        return positive == (literal > 0)


class Clauses:
    """A growing set of clauses. Variables begin after the one that stands for ``TRUE``."""

    def __init__(self) -> None:
        self._variables = 1
        self._new: list[str] = ["1 0"]
        # The solver for finite domains is z3's SAT solver, and keeps what it learns.
        self._solver = z3.SolverFor("QF_FD")

    def variable(self) -> int:
        """A new variable."""
        self._variables += 1
        return self._variables

    def add(self, *literals: int) -> None:
        """Demands that one of the literals is true."""
        if TRUE in literals:
            return
        self._new.append(
            " ".join([str(literal) for literal in literals if literal != FALSE]) + " 0"
        )

    def all_of(self, literals: Iterable[int]) -> int:
        """A literal that implies each of the others (not the other way round)."""
        wanted = {literal for literal in literals if literal != TRUE}
        if FALSE in wanted:
            return FALSE
        if not wanted:
            return TRUE
        if len(wanted) == 1:
            return wanted.pop()
        result = self.variable()
        for literal in sorted(wanted):
            self.add(-result, literal)
        return result

    def some_of(self, literals: Iterable[int]) -> int:
        """A literal that is true if and only if at least one of the others is."""
        wanted = sorted({literal for literal in literals if literal != FALSE})
        if TRUE in wanted:
            return TRUE
        if len(wanted) < 2:
            return wanted[0] if wanted else FALSE
        result = self.variable()
        self.add(-result, *wanted)
        for literal in wanted:
            self.add(-literal, result)
        return result

    def at_most_one(self, literals: Sequence[int]) -> None:
        """Demands that no two of the literals are true."""
        for place, one in enumerate(literals):
            for other in literals[:place]:
                self.add(-one, -other)

    def counts(self, literals: Sequence[int]) -> list[int]:
        """Literals of which the n-th (from 0) is true if more than n of the given ones are."""
        counts: list[int] = []
        for literal in literals:
            longer = [self.variable() for _ in range(len(counts) + 1)]
            for place, more in enumerate(longer):
                before = counts[place] if place < len(counts) else FALSE
                self.add(-before, more)
                self.add(-literal, -(counts[place - 1] if place else TRUE), more)
            counts = longer
        return counts

    def solve(self, *assumed: int) -> Values | None:
        """Values that satisfy all clauses and the assumed literals; None if there are none.

        Raises ``TimeoutError`` with the reason if the solver reaches one of its limits.
        """
        if self._new:
            head = f"p cnf {self._variables} {len(self._new)}\n"
            self._solver.from_string(head + "\n".join(self._new) + "\n")
            self._new.clear()
        literals = [_variable(v) if v > 0 else z3.Not(_variable(-v)) for v in assumed]
        answer = ask(self._solver, LIMITS, *literals)
        if answer.answer == "unknown":
            raise TimeoutError(answer.why)
        return None if answer.answer == "unsat" else Values(self._solver.model())
