"""Asks the solver for the smallest histories that the rules admit and a level forbids."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from time import monotonic
from typing import Any, Literal

import z3

from checker.finding import Finding, describe, finding
from checker.synthesis.encoding import Encoding, Footprints
from checker.synthesis.sql import kind, scenario
from model.profiles import profile
from model.profiles.base import Profile

REPAIRED = "delta-spark-4.4-repaired"
PROFILES = ("delta-spark-4.4", REPAIRED)
"""The profiles whose rules are encoded."""

PARTITIONS = 3
TIMEOUT_MS = 120_000


@dataclass(frozen=True, slots=True)
class SizeResult:
    """What the solver says of one number of transactions: whether there is a violation."""

    transactions: int
    answer: Literal["some", "none", "unknown"]
    seconds: float


def encoding(n: int, level: str, rules: Profile, partitions: int = PARTITIONS) -> Encoding:
    """The histories of n writers that the rules admit on a table of ``level``.

    Raises ``ValueError`` for a profile whose rules are not encoded.
    """
    if rules.name not in PROFILES:
        raise ValueError(f"the rules of {rules.name} are not encoded for the solver")
    return Encoding(n, partitions, level, repaired=rules.name == REPAIRED)


def exists(
    n: int,
    level: str,
    rules: Profile,
    partitions: int = PARTITIONS,
    timeout_ms: int = TIMEOUT_MS,
) -> SizeResult:
    """Whether some history of n writers that the rules admit violates the table's level."""
    started = monotonic()
    encoded = encoding(n, level, rules, partitions)
    solver = encoded.solver(timeout_ms)
    violation = encoded.violates(level)
    solver.add(*encoded.constraints, *violation)
    answer = {"sat": "some", "unsat": "none"}.get(str(solver.check()), "unknown")
    return SizeResult(n, answer, monotonic() - started)  # type: ignore[arg-type]


def solutions(
    n: int,
    level: str,
    rules: Profile,
    partitions: int = PARTITIONS,
    timeout_ms: int = TIMEOUT_MS,
    *,
    filled: bool = False,
) -> Iterator[Footprints]:
    """Every violation of n writers. ``filled``: with a row in each partition at the beginning.

    Raises ``TimeoutError`` when the solver gives up.
    """
    encoded = encoding(n, level, rules, partitions)
    violation = encoded.violates(level)
    solver = encoded.solver(timeout_ms)
    solver.add(*encoded.constraints, *violation)
    if filled:
        solver.add(*encoded.filled)
    yield from _all(encoded, solver, z3.BoolVal(True))


def smallest(
    n: int,
    level: str,
    rules: Profile,
    partitions: int = PARTITIONS,
    timeout_ms: int = TIMEOUT_MS,
) -> Iterator[Footprints]:
    """The smallest violation of each kind, a kind being the statements and the schedule.

    Few partitions read and added to come first. Raises ``TimeoutError`` when the solver gives up.
    """
    encoded = encoding(n, level, rules, partitions)
    violation = encoded.violates(level)
    solver = encoded.solver(timeout_ms)
    solver.add(*encoded.constraints, *violation)
    weighed = [(variable, 1) for variable in encoded.weight]
    for bound in range(1, len(weighed) + 1):
        if not _sat(solver):
            return
        solver.push()
        solver.add(z3.PbLe(weighed, bound))
        blocked = []
        while _sat(solver):
            alike = _alike(encoded, encoded.solution(solver.model()))
            # Which of them the solver meets first depends on what it was asked before.
            yield min((f.canonical for f in _all(encoded, solver, alike)), key=Footprints.key)
            blocked.append(z3.Not(alike))
            solver.add(blocked[-1])
        solver.pop()
        solver.add(*blocked)


def _all(encoded: Encoding, solver: Any, condition: Any) -> Iterator[Footprints]:
    """Every solution that also meets a condition; the solver is left as it was."""
    solver.push()
    solver.add(condition)
    while _sat(solver):
        model = solver.model()
        yield encoded.solution(model)
        solver.add(z3.Or(*(v != model.eval(v, model_completion=True) for v in encoded.chosen)))
    solver.pop()


def _alike(encoded: Encoding, found: Footprints) -> Any:
    """That a solution has the same kinds of statements and the same schedule."""
    parts = []
    for i in encoded.writers:
        parts.append(encoded.begin[i][found.begins[i]])
        parts.append(encoded.removes[i] == found.removes[i])
        parts.append(z3.Or(*encoded.reads[i]) == bool(found.reads[i]))
        parts.append(z3.Or(*encoded.adds[i]) == bool(found.adds[i]))
        if found.removes[i] and found.adds[i]:
            in_place = found.adds[i] == found.reads[i]
            parts.append(encoded.in_place[i] == z3.BoolVal(in_place))
    return z3.And(*parts)


def _sat(solver: Any) -> bool:
    answer = solver.check()
    if answer == z3.unknown:
        raise TimeoutError(f"the solver gave up: {solver.reason_unknown()}")
    return bool(answer == z3.sat)


def as_finding(found: Footprints, level: str, rules: Profile | None = None) -> Finding:
    """A solution run in the model. Raises ``ValueError`` when the model does not confirm it."""
    kinds = [kind(found, i) for i in range(len(found.reads))]
    name = f"{describe(kinds)} break {level} (synthesised)"
    rules = rules or profile(PROFILES[0])
    return finding(scenario(found, level, name), "partitioned", level, rules)
