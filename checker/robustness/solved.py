"""Runs and rows that z3 suggests for a cycle of three.

The roles of a cycle are formulas over unknown rows and parameters (``checker.robustness.roles``).
Where one run can play T and Z, and another X and W, a solution of both parts together has values
for the parameters of the three runs and for the rows that they meet. The formulas allow more than
SQL does, so a solution is only worth trying: the model says whether it is a history without a
serial order.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import z3

from checker.robustness.jobs.domain import beyond, usual_values, values
from checker.robustness.jobs.workload import Instance, Jobs
from checker.robustness.other_rows import with_rows
from checker.robustness.roles import ways_back, ways_to_build
from checker.robustness.search import Instances
from checker.robustness.symbolic.access import Job
from checker.robustness.symbolic.expressions import Cell, SymbolicRow, constant
from checker.robustness.symbolic.footprint import Access
from checker.solving import Limits, ask
from model.errors import InvalidScenario
from model.history import Row, Value
from model.values.types import ColumnType

LIMITS = Limits(resources=2_000_000, wall_ms=5_000)
"""Limits of one question to z3."""

MOST_SOLUTIONS = 3
"""The most solutions of one way that are tried."""

_SMALL = 9
"""Numbers are looked for between this and its negative first."""

_EPOCH = datetime.datetime(1970, 1, 1)
_FIRST_DAY, _LAST_DAY = datetime.date(2000, 1, 1), datetime.date(2099, 12, 31)

Triple = tuple[str, str, str]


def suggestions(
    jobs: Jobs, considered: Sequence[Job], triples: Sequence[Triple]
) -> Iterator[tuple[Jobs, Instances, Triple]]:
    """The jobs on a table with rows that a solution needs, and the runs to try there."""
    by_name = {job.name: job for job in considered if job.parsed is not None}
    for triple in triples:
        if all(name in by_name for name in triple):
            t, b, x = (by_name[name] for name in triple)
            for solution in _solutions(jobs, t, b, x):
                yield from _placed(jobs, triple, solution)


@dataclass(frozen=True, slots=True)
class _Solution:
    """Values of the parameters of T, B and X, and of rows by their table."""

    given: tuple[Mapping[str, Value], ...]
    rows: Mapping[str, tuple[Row, ...]]


def _solutions(jobs: Jobs, t: Job, b: Job, x: Job) -> Iterator[_Solution]:
    miss, builder = t.run(), x.run()
    for build, append in ways_to_build(t, b, miss, builder):
        for back, row in ways_back(t, builder, miss):
            yield from _solved(jobs, (t, b, x), (miss, append, builder), [*build, *back], row)


def _solved(
    jobs: Jobs,
    roles: tuple[Job, Job, Job],
    runs: tuple[Access, Access, Access],
    conditions: list[Any],
    row: SymbolicRow | None,
) -> Iterator[_Solution]:
    cells = _Cells(jobs, roles, runs, row)
    solver = z3.Solver()
    solver.add(*conditions, *cells.ranges)
    for _ in range(MOST_SOLUTIONS):
        small = ask(solver, LIMITS, *cells.small).answer == "sat"
        if not small and ask(solver, LIMITS).answer != "sat":
            return
        model = solver.model()
        yield cells.solution(model)
        solver.add(z3.Not(z3.And(*cells.same(model))))


class _Cells:
    """The unknowns that a solution has values for, with what a value of their type can be."""

    def __init__(
        self,
        jobs: Jobs,
        roles: tuple[Job, Job, Job],
        runs: tuple[Access, Access, Access],
        row: SymbolicRow | None,
    ) -> None:
        self.row = row
        self.target = jobs.target.name
        self.types = jobs.target.types
        self.ranges: list[Any] = []
        self.small: list[Any] = []
        self.terms: list[Any] = []
        self._texts: dict[str, Fraction] = {}
        self.parameters: list[dict[str, tuple[Cell, ColumnType]]] = []
        for job, run in zip(roles, runs, strict=True):
            met: dict[str, tuple[Cell, ColumnType]] = {}
            for parameter in jobs.templates[job.name].parameters:
                if parameter.name in run.parameters:
                    cell = run.parameters[parameter.name]
                    self._add(cell, parameter.type, values(jobs, parameter))
                    met[parameter.name] = (cell, parameter.type)
            self.parameters.append(met)
        if row is not None:
            self._add_row(jobs, row, jobs.target.names, self.types)
        miss, append, _ = runs
        self.sources = [
            (name, source, jobs.definitions[name].types)
            for run in (miss, append)
            for name, source in run.needs
        ]
        for name, source, types in self.sources:
            self._add_row(jobs, source, jobs.definitions[name].names, types)

    def _add_row(
        self, jobs: Jobs, row: SymbolicRow, names: Sequence[str], types: Sequence[ColumnType]
    ) -> None:
        for cell, name, type_ in zip(row, names, types, strict=True):
            self._add(cell, type_, usual_values(jobs, name.lower(), type_))

    def _add(self, cell: Cell, type_: ColumnType, usual: Sequence[Value]) -> None:
        term = cell.term
        self.terms.append(term)
        if z3.is_bool(term):
            return
        match type_.family:
            case "number":
                scale = 0 if type_.bits else type_.scale if type_.precision else 1
                self.ranges.append(z3.IsInt(term * 10**scale))
                most = 2 ** (type_.bits - 1) - 1 if type_.bits else 10**4
                if type_.precision:
                    most = 10 ** (type_.precision - type_.scale) - 1
                self.ranges += [term >= -most, term <= most]
                self.small += [term >= -_SMALL, term <= _SMALL]
            case "date":
                self.ranges.append(z3.IsInt(term))
                self._between(term, _FIRST_DAY, _LAST_DAY, type_)
            case "timestamp":
                self.ranges.append(z3.IsInt(term))
                first, last = (
                    datetime.datetime.combine(day, datetime.time())
                    for day in (_FIRST_DAY, _LAST_DAY)
                )
                self._between(term, first, last, type_)
            case "string":
                texts = {str(value) for value in usual} | {"x", "y"}
                for text in texts:
                    self._texts[text] = constant(text, type_).term.as_fraction()
                self.ranges.append(z3.Or(*(term == self._texts[text] for text in sorted(texts))))

    def _between(self, term: Any, first: Value, last: Value, type_: ColumnType) -> None:
        self.ranges += [term >= constant(first, type_).term, term <= constant(last, type_).term]

    def same(self, model: Any) -> list[Any]:
        """That the terms have the values of a model."""
        return [term == model.eval(term, model_completion=True) for term in self.terms]

    def solution(self, model: Any) -> _Solution:
        """The values of a model."""
        given = tuple(
            {name: self._value(model, cell, type_, False) for name, (cell, type_) in met.items()}
            for met in self.parameters
        )
        rows: dict[str, tuple[Row, ...]] = {}
        if self.row is not None:
            rows[self.target] = (self._row(model, self.row, self.types),)
        for name, source, types in self.sources:
            rows[name] = (*rows.get(name, ()), self._row(model, source, types))
        return _Solution(given, rows)

    def _row(self, model: Any, row: SymbolicRow, types: Sequence[ColumnType]) -> Row:
        pairs = zip(row, types, strict=True)
        return tuple(self._value(model, cell, type_, True) for cell, type_ in pairs)

    def _value(self, model: Any, cell: Cell, type_: ColumnType, nullable: bool) -> Value:
        if nullable and z3.is_true(model.eval(cell.null, model_completion=True)):
            return None
        term = model.eval(cell.term, model_completion=True)
        if z3.is_bool(term):
            return bool(z3.is_true(term))
        number: Fraction = term.as_fraction()
        match type_.family:
            case "date":
                return datetime.date.fromordinal(int(number))
            case "timestamp":
                return _EPOCH + datetime.timedelta(seconds=int(number))
            case "string":
                return next(text for text, code in self._texts.items() if code == number)
        if type_.bits:
            return int(number)
        if type_.precision:
            return (Decimal(number.numerator) / number.denominator).quantize(
                Decimal(1).scaleb(-type_.scale)
            )
        return float(number)


def _placed(
    jobs: Jobs, triple: Triple, solution: _Solution
) -> Iterator[tuple[Jobs, Instances, Triple]]:
    """The solution on the table of the set-up with its rows added, and on one with those alone."""
    chosen: dict[str, tuple[Instance, ...]] = {}
    _, append, _ = triple
    for name, given in zip(triple, solution.given, strict=True):
        template = jobs.templates[name]
        full = {
            parameter.name: given.get(parameter.name, values(jobs, parameter)[0])
            for parameter in template.parameters
        }
        # A query may have to fold to be a blind append, as a comparison beyond a column's range.
        folded = [
            full | {parameter.name: value}
            for parameter in template.parameters
            if name == append
            for value in beyond(jobs, parameter)
        ]
        for some in (full, *folded):
            instance = Instance(name, some, template.filled(some))
            try:
                jobs.statement(instance.sql)
            except InvalidScenario:
                continue  # The parameters allow a value that the statement does not.
            chosen[name] = (*chosen.get(name, ()), instance)
    if not all(name in chosen for name in triple):
        return
    here = solution.rows.get(jobs.target.name, ())
    elsewhere = {name: rows for name, rows in solution.rows.items() if name != jobs.target.name}
    for alone in (False, True):
        placed = with_rows(jobs, here, elsewhere, alone=alone)
        if placed is not None:
            yield placed, chosen, triple
