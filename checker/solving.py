"""Questions to z3 with limits, and their answers with a reason where a limit was reached.

The first limit counts z3's own steps of work (its ``rlimit``), so that an answer is the same on
every machine and under any load. Wall time is the last resort, for questions whose steps turn out
to be slow.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from time import monotonic
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one question: steps of z3's work, and wall time in milliseconds."""

    resources: int
    wall_ms: int


@dataclass(frozen=True, slots=True)
class Answer:
    """z3's answer to one question. ``why`` gives the reason for ``unknown``, else it is empty."""

    answer: Literal["sat", "unsat", "unknown"]
    why: str = ""


def ask(solver: Any, limits: Limits, *assumed: Any) -> Answer:
    """The answer of a z3 solver to its constraints, together with the formulas assumed."""
    solver.set("rlimit", limits.resources)
    solver.set("timeout", max(1, limits.wall_ms))
    started = monotonic()
    answer = str(solver.check(*assumed))
    if answer == "sat":
        return Answer("sat")
    if answer == "unsat":
        return Answer("unsat")
    return Answer("unknown", _reason(solver.reason_unknown(), monotonic() - started, limits))


def ask_alone(formulas: Iterable[Any], limits: Limits, seed: int) -> Answer:
    """z3's answer to formulas by themselves, whatever terms the process has made before.

    In a context that others share, z3 numbers its terms on, and the numbers decide where it begins:
    one lemma took from 0.3 to 5.7 million steps, by what had been asked before it.
    """
    import z3

    context = z3.Context()
    solver = z3.Solver(ctx=context)
    solver.set("random_seed", seed)
    for formula in formulas:
        plain = isinstance(formula, bool)
        solver.add(z3.BoolVal(formula, context) if plain else formula.translate(context))
    return ask(solver, limits)


def _reason(given_by_z3: str, seconds: float, limits: Limits) -> str:
    if "resource limit" in given_by_z3 or given_by_z3 in ("timeout", "canceled"):
        # z3 says "canceled" of either limit.
        if seconds * 1000 < limits.wall_ms:
            return f"the solver used up its {limits.resources:,} steps of work"
        return f"the solver did not answer within {limits.wall_ms / 1000:g} s"
    return f"the solver gave up ({given_by_z3})"
