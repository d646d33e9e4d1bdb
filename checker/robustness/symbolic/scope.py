"""Shared context for encoding a statement: its parameters, row conditions and new rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import z3

from checker.robustness.failures import fails
from checker.robustness.jobs.sentinels import Parsed
from checker.robustness.jobs.widening import OPAQUE
from checker.robustness.symbolic.expressions import Cell, Reader, SymbolicRow, constant, fresh
from checker.robustness.symbolic.footprint import NO, Condition
from model.expressions import syntax as expressions
from model.expressions.syntax import Aggregate, Expression
from model.queries import Relation
from model.values.types import STRING, ColumnType


@dataclass(frozen=True, slots=True)
class Scope:
    """One run of a parsed template, whose parameters are unknowns of its own."""

    parsed: Parsed
    types: tuple[ColumnType, ...]
    partitions: tuple[int, ...]
    others: Mapping[str, tuple[ColumnType, ...]]
    parameters: dict[str, Cell] = field(default_factory=dict)
    memory: dict[object, tuple[Any, SymbolicRow]] = field(default_factory=dict)

    def over(self, row: SymbolicRow) -> Reader:
        """Reads expressions over a row."""
        return Reader(row, self._parameter, self.parsed.types, self.memory)

    def _parameter(self, name: str) -> Cell:
        if name.startswith(OPAQUE):
            return fresh(self.parsed.types[name])
        if name not in self.parameters:
            self.parameters[name] = Cell(fresh(self.parsed.types[name]).term, NO)
        return self.parameters[name]

    def where(self, condition: Expression) -> Condition:
        """The rows that meet a condition."""
        return lambda row: self.over(row).truth(condition).true

    def reads(self, condition: Expression) -> Condition:
        """The rows that make a difference: those that meet it, and those that it fails on."""

        def matters(row: SymbolicRow) -> Any:
            over = self.over(row)
            return z3.Or(over.truth(condition).true, fails(over, condition))

        return matters

    def query_reads(self, query: Relation) -> Condition:
        """The rows of the target that a query reads."""
        return self._scans(query, self.reads)

    def query_covers(self, query: Relation) -> Condition:
        """The rows of the target that a query reads for certain."""
        return self._scans(query, self.where)

    def _scans(self, query: Relation, formula: Any) -> Condition:
        name = self.parsed.statement.table.name
        scans = [formula(scan.condition) for scan in query.scans if scan.table == name]
        return lambda row: z3.Or(NO, *(scan(row) for scan in scans))

    def scans_target(self, query: Relation) -> bool:
        """Whether a query is over the target, perhaps among other tables."""
        return any(scan.table == self.parsed.statement.table.name for scan in query.scans)

    @property
    def computed(self) -> frozenset[int]:
        """Columns whose values the table provides: generated and identity columns."""
        table = self.parsed.statement.table
        return frozenset(place for place, _ in (*table.generated, *table.identities))

    @property
    def _defaulted(self) -> frozenset[int]:
        """Columns that have a value in a new row even if the statement gives none."""
        return frozenset(place for place, _ in self.parsed.statement.table.defaults)

    def built(
        self, given: dict[int, Expression], joined: SymbolicRow, old: SymbolicRow | None
    ) -> SymbolicRow:
        """A row of values over a joined row; other columns stay as in ``old``, if there is one."""
        over, cells, new = self.over(joined), [], old is None
        for place, type_ in enumerate(self.types):
            if place in self.computed:
                cells.append(fresh(type_))
            elif place in given:
                expression = given[place]
                plain = not any(isinstance(e, Aggregate) for e in expressions.walk(expression))
                cells.append(over.cell(expression, type_) if plain else fresh(type_))
            elif new and place in self._defaulted:
                cells.append(fresh(type_))
            elif old:
                cells.append(old[place])
            else:
                cells.append(constant(None, type_))
        return self.stored(cells)

    def stored(self, cells: Sequence[Cell]) -> SymbolicRow:
        """A new row as the table returns it: '' in a partition column is read as NULL."""
        empty = constant("", STRING).term
        return tuple(
            Cell(cell.term, z3.Or(cell.null, cell.term == empty))
            if place in self.partitions and self.types[place].family == "string"
            else cell
            for place, cell in enumerate(cells)
        )
