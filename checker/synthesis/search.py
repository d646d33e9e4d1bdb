"""Asks the solver for the smallest histories that the rules admit and a level forbids."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any, Literal

import z3

from checker.finding import Finding, describe, finding
from checker.synthesis.encoding import Encoding
from checker.synthesis.footprints import Footprints
from checker.synthesis.rules import RULE_SETS
from checker.synthesis.sql import kind, scenario
from model.levels import DELTA_LEVELS
from model.profiles import DEFAULT
from model.profiles.base import Profile

PROFILES = tuple(RULE_SETS)
"""The profiles whose rules are encoded."""

Change = tuple[frozenset[int], frozenset[int], bool]
"""The cells that a writer reads, those that it adds to, and whether it removes what it reads."""

LEVELS = DELTA_LEVELS
"""The levels whose violations are encoded."""

PARTITIONS = 3
TIMEOUT_MS = 120_000


@dataclass(frozen=True, slots=True)
class SizeResult:
    """What the solver says of one number of transactions: whether there is a violation."""

    transactions: int
    answer: Literal["some", "none", "unknown"]
    seconds: float


def encoding(
    n: int, level: str, rules: Profile, partitions: int = PARTITIONS, values: int = 1
) -> Encoding:
    """The histories of n writers that the rules admit on a table of ``level``.

    ``values`` is the number of values of a data column: with two of them a file may hold rows
    that a statement reads and rows that it does not. Raises ``ValueError`` for a profile whose
    rules are not encoded, for a level that is none of ``LEVELS``, and for more than two values.
    """
    if rules.name not in RULE_SETS:
        raise ValueError(f"the rules of {rules.name} are not encoded for the solver")
    if level not in LEVELS:
        raise ValueError(f"violations of {level} are not encoded for the solver")
    return Encoding(n, partitions, level, RULE_SETS[rules.name], values)


def exists(
    n: int,
    level: str,
    rules: Profile,
    partitions: int = PARTITIONS,
    timeout_ms: int = TIMEOUT_MS,
    values: int = 1,
) -> SizeResult:
    """Whether some history of n writers that the rules admit violates the table's level."""
    started = monotonic()
    solver, _ = _violations(n, level, rules, partitions, timeout_ms, values)
    answer = {"sat": "some", "unsat": "none"}.get(str(solver.check()), "unknown")
    return SizeResult(n, answer, monotonic() - started)  # type: ignore[arg-type]


def _violations(
    n: int, level: str, rules: Profile, partitions: int, timeout_ms: int, values: int
) -> tuple[Any, Encoding]:
    encoded = encoding(n, level, rules, partitions, values)
    violation = encoded.violates(level)
    solver = encoded.solver(timeout_ms)
    solver.add(*violation)
    return solver, encoded


def solutions(
    n: int,
    level: str,
    rules: Profile,
    partitions: int = PARTITIONS,
    timeout_ms: int = TIMEOUT_MS,
    values: int = 1,
    *,
    filled: bool = False,
    among: Sequence[Change] | None = None,
    violating: bool = True,
) -> Iterator[Footprints]:
    """Every violation of n writers. ``filled``: with a row in each cell at the beginning.

    ``among`` leaves the writers these changes alone; without ``violating`` it is every history
    that the rules admit. Raises ``TimeoutError`` when the solver gives up.
    """
    if violating:
        solver, encoded = _violations(n, level, rules, partitions, timeout_ms, values)
    else:
        encoded = encoding(n, level, rules, partitions, values)
        solver = encoded.solver(timeout_ms)
    if filled:
        solver.add(*encoded.filled)
    if among is not None:
        for i in encoded.writers:
            solver.add(z3.Or(*(_does(encoded, i, change) for change in among)))
    yield from _all(encoded, solver, z3.BoolVal(True))


def smallest(
    n: int,
    level: str,
    rules: Profile,
    partitions: int = PARTITIONS,
    timeout_ms: int = TIMEOUT_MS,
    values: int = 1,
) -> Iterator[Footprints]:
    """The smallest violation of each kind, a kind being the statements and the schedule.

    Few steps come first, then few files, then few cells read and added to. Raises
    ``TimeoutError`` when the solver gives up.
    """
    solver, encoded = _violations(n, level, rules, partitions, timeout_ms, values)
    while _sat(solver):
        solver.push()
        for size in encoded.sizes:
            _at_its_smallest(solver, size)
        blocked = []
        while _sat(solver):
            alike = _alike(encoded, encoded.solution(solver.model()))
            # Which of them the solver meets first depends on what it was asked before.
            yield min((f.canonical for f in _all(encoded, solver, alike)), key=Footprints.key)
            blocked.append(z3.Not(alike))
            solver.add(blocked[-1])
        solver.pop()
        solver.add(*blocked)


def _at_its_smallest(solver: Any, size: list[Any]) -> None:
    """Leaves the solver those solutions of which the fewest formulas of ``size`` are true."""

    def count() -> int:
        model = solver.model()
        return sum(z3.is_true(model.eval(each, model_completion=True)) for each in size)

    weighed = [(each, 1) for each in size]
    _sat(solver)
    best = count()
    while True:
        solver.push()
        solver.add(z3.PbLe(weighed, best - 1))
        smaller = _sat(solver)
        if smaller:
            best = count()
        solver.pop()
        if not smaller:
            break
    solver.add(z3.PbLe(weighed, best))


def _all(encoded: Encoding, solver: Any, condition: Any) -> Iterator[Footprints]:
    """Every solution that also meets a condition; the solver is left as it was."""
    solver.push()
    solver.add(condition)
    while _sat(solver):
        model = solver.model()
        yield encoded.solution(model)
        solver.add(z3.Or(*(v != model.eval(v, model_completion=True) for v in encoded.chosen)))
    solver.pop()


def _does(encoded: Encoding, i: int, change: Change) -> Any:
    reads, adds, removes = change
    cells = encoded.cells
    return z3.And(
        encoded.removes[i] == removes,
        *(encoded.reads[i][c] == (c in reads) for c in cells),
        *(encoded.adds[i][c] == (c in adds) for c in cells),
    )


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
    return finding(scenario(found, level, name), "partitioned", level, rules or DEFAULT)
