"""Questions to the solver: the smallest histories that the rules admit and a level forbids."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any, Literal, NamedTuple

import z3

from checker.search.finding import Finding, describe, finding
from checker.synthesis.encoding import Encoding
from checker.synthesis.footprints import Footprints
from checker.synthesis.rules import RULE_SETS
from checker.synthesis.sql import kind, scenario
from model.levels import DELTA_LEVELS
from model.profiles import DEFAULT
from model.profiles.base import Profile

PROFILES = tuple(RULE_SETS)
"""The profiles whose rules are encoded."""


class Change(NamedTuple):
    """The work of one writer: the cells that it reads, adds to, and takes rows out of.

    ``replaces``: it adds new rows instead of those that it takes out.
    """

    reads: frozenset[int]
    adds: frozenset[int]
    removes: frozenset[int]
    replaces: bool = False


LEVELS = DELTA_LEVELS
"""The levels whose violations are encoded."""

TIMEOUT_MS = 120_000


@dataclass(frozen=True, slots=True)
class Bounds:
    """The size of the histories asked about, besides their number of writers.

    ``values`` is the number of values of a data column: with two of them a file may hold rows
    that a statement reads and rows that it does not. ``every_kind`` adds footprints of MERGE and
    REPLACE WHERE to those of INSERT, DELETE and UPDATE.
    """

    partitions: int = 3
    values: int = 1
    every_kind: bool = False


STANDARD = Bounds()


@dataclass(frozen=True, slots=True)
class SizeResult:
    """The solver's answer for one number of transactions: whether there is a violation."""

    transactions: int
    answer: Literal["some", "none", "unknown"]
    seconds: float


def encoding(n: int, level: str, rules: Profile, bounds: Bounds = STANDARD) -> Encoding:
    """The histories of n writers that the rules admit on a table of ``level``.

    Raises ``ValueError`` for a profile whose rules are not encoded, for bounds that they are not
    encoded for, and for a level that is none of ``LEVELS``.
    """
    if rules.name not in RULE_SETS:
        raise ValueError(f"the rules of {rules.name} are not encoded for the solver")
    if level not in LEVELS:
        raise ValueError(f"violations of {level} are not encoded for the solver")
    encoded = RULE_SETS[rules.name]
    if bounds.every_kind and not encoded.every_kind:
        raise ValueError(f"MERGE and REPLACE WHERE of {rules.name} are not encoded for the solver")
    return Encoding(
        n, bounds.partitions, level, encoded, bounds.values, every_kind=bounds.every_kind
    )


def exists(
    n: int,
    level: str,
    rules: Profile,
    bounds: Bounds = STANDARD,
    timeout_ms: int = TIMEOUT_MS,
) -> SizeResult:
    """Whether some history of n writers that the rules admit violates the table's level."""
    started = monotonic()
    solver, _ = _violations(n, level, rules, bounds, timeout_ms)
    answer = {"sat": "some", "unsat": "none"}.get(str(solver.check()), "unknown")
    return SizeResult(n, answer, monotonic() - started)  # type: ignore[arg-type]


def _violations(
    n: int, level: str, rules: Profile, bounds: Bounds, timeout_ms: int
) -> tuple[Any, Encoding]:
    encoded = encoding(n, level, rules, bounds)
    violation = encoded.violates(level)
    solver = encoded.solver(timeout_ms)
    solver.add(*violation)
    return solver, encoded


def solutions(
    n: int,
    level: str,
    rules: Profile,
    bounds: Bounds = STANDARD,
    timeout_ms: int = TIMEOUT_MS,
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
        solver, encoded = _violations(n, level, rules, bounds, timeout_ms)
    else:
        encoded = encoding(n, level, rules, bounds)
        solver = encoded.solver(timeout_ms)
    if filled:
        solver.add(*encoded.filled)
    if among is not None:
        for i in encoded.writers:
            solver.add(z3.Or(*(_does(encoded, i, change) for change in among)))
    while _sat(solver):
        solution = encoded.solution(solver.model())
        yield solution
        solver.add(encoded.is_not(solution))


def minimal(
    n: int,
    level: str,
    rules: Profile,
    bounds: Bounds = STANDARD,
    timeout_ms: int = TIMEOUT_MS,
) -> Iterator[tuple[Footprints, ...]]:
    """All the smallest violations of n writers, those of one kind together.

    A kind is the statements and the schedule; the smallest of it have the fewest steps, and
    among these the fewest files. They are told apart up to the names of partitions and values;
    the first of them reads, adds to and fills the fewest cells. Kinds with fewer steps come
    first, then those with fewer files. Raises ``TimeoutError`` when the time is over, having
    given the kinds that are complete.
    """
    return _kinds(n, level, rules, bounds, timeout_ms, every=True)


def smallest(
    n: int,
    level: str,
    rules: Profile,
    bounds: Bounds = STANDARD,
    timeout_ms: int = TIMEOUT_MS,
) -> Iterator[Footprints]:
    """One smallest violation of each kind: the first one of each that ``minimal`` gives."""
    for group in _kinds(n, level, rules, bounds, timeout_ms, every=False):
        yield group[0]


def _kinds(
    n: int, level: str, rules: Profile, bounds: Bounds, timeout_ms: int, *, every: bool
) -> Iterator[tuple[Footprints, ...]]:
    deadline = monotonic() + timeout_ms / 1000
    solver, encoded = _violations(n, level, rules, bounds, timeout_ms)
    late: TimeoutError | None = None
    while late is None and _sat(solver):
        solver.push()
        groups: list[tuple[Footprints, ...]] = []
        blocked: list[Any] = []
        try:
            for size in encoded.sizes:
                _at_its_smallest(solver, size)
            while _sat(solver):
                alike = _alike(encoded, encoded.solution(solver.model()))
                solver.push()
                try:
                    solver.add(alike)
                    if not every:
                        _at_its_smallest(solver, encoded.cells_used)
                    groups.append(_up_to_names(encoded, solver, deadline))
                finally:
                    solver.pop()
                blocked.append(z3.Not(alike))
                solver.add(blocked[-1])
        except TimeoutError as error:
            late = error
        solver.pop()
        solver.add(*blocked)
        yield from sorted(groups, key=lambda group: _order(group[0]))
    if late is not None:
        raise late


def _order(solution: Footprints) -> tuple[object, ...]:
    return solution.cells, solution.key()


def _at_its_smallest(solver: Any, size: list[Any]) -> None:
    """Leaves the solver those solutions of which the fewest formulas of ``size`` are true."""

    def count() -> int:
        model = solver.model()
        return sum(z3.is_true(model.eval(part, model_completion=True)) for part in size)

    weighed = [(part, 1) for part in size]
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


def _up_to_names(encoded: Encoding, solver: Any, deadline: float) -> tuple[Footprints, ...]:
    """Every solution that is left, one for each renaming; the first is the simplest."""
    solutions_left = []
    while _sat(solver):
        if monotonic() > deadline:
            raise TimeoutError("out of time")
        solution = encoded.solution(solver.model())
        solutions_left.append(solution.canonical)
        solver.add(*map(encoded.is_not, solution.renamings(encoded.k)))
    return tuple(sorted(solutions_left, key=_order))


def _does(encoded: Encoding, i: int, change: Change) -> Any:
    cells = encoded.cells
    return z3.And(
        encoded.replaces[i] == change.replaces,
        *(encoded.takes_out[i][c] == (c in change.removes) for c in cells),
        *(encoded.reads[i][c] == (c in change.reads) for c in cells),
        *(encoded.adds[i][c] == (c in change.adds) for c in cells),
    )


def _alike(encoded: Encoding, solution: Footprints) -> Any:
    """That another solution has the same kinds of statements and the same schedule."""
    parts = []
    for i in encoded.writers:
        parts.append(encoded.begin[i][solution.begins[i]])
        parts.append(encoded.removes[i] == bool(solution.removes[i]))
        parts.append(encoded.replaces[i] == (i in solution.replaces))
        parts.append(z3.Or(*encoded.in_source[i]) == (solution.reads[i] != solution.removes[i]))
        parts.append(z3.Or(*encoded.adds[i]) == bool(solution.adds[i]))
        if solution.removes[i] and solution.adds[i]:
            in_place = solution.adds[i] == solution.removes[i] and i not in solution.replaces
            parts.append(encoded.in_place[i] == z3.BoolVal(in_place))
    return z3.And(*parts)


def _sat(solver: Any) -> bool:
    """Whether the constraints can be satisfied. Raises ``TimeoutError`` if it stays open."""
    answer = solver.check()
    if answer == z3.unknown:
        raise TimeoutError(f"the solver gave up: {solver.reason_unknown()}")
    return bool(answer == z3.sat)


def as_finding(solution: Footprints, level: str, rules: Profile | None = None) -> Finding:
    """A solution run in the model. Raises ``ValueError`` when the model does not confirm it."""
    kinds = [kind(solution, i) for i in range(len(solution.reads))]
    name = f"{describe(kinds)} break {level} (synthesised)"
    return finding(scenario(solution, level, name), "partitioned", level, rules or DEFAULT)
