"""The accesses of a MERGE: the rows that it reads, takes out and adds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import z3

from checker.robustness.failures import fails
from checker.robustness.symbolic.expressions import SymbolicRow, constant, fresh, fresh_row
from checker.robustness.symbolic.footprint import NO, YES, Access, Addition
from checker.robustness.symbolic.scope import Scope
from model.expressions import syntax as expressions
from model.expressions.syntax import Column, Expression
from model.queries import Relation
from model.queries.query import Query
from model.statements import Merge
from model.statements.merge.clause import MergeClause
from model.values.types import ColumnType


def merge_access(scope: Scope, statement: Merge) -> Access:
    """The access of one run of a MERGE."""
    return _MergeRun(scope, statement).access()


class _MergeRun:
    """One run: ``sources`` are its source rows. Of a query's, one stands for all of them."""

    def __init__(self, scope: Scope, statement: Merge) -> None:
        self.scope = scope
        self.statement = statement
        self.types = scope.types
        query = statement.source.query
        self.query = query
        rows = [self._queried_row(query)] if query else self._constant_rows()
        self.guards = [guard for guard, _ in rows]
        self.sources = [row for _, row in rows]
        self.no_target = tuple(constant(None, type_) for type_ in self.types)
        self.no_source = tuple(constant(None, type_) for type_ in self._widths())

    def access(self) -> Access:
        statement = self.statement
        # One row of constants matches or does not, and a sole clause takes a match if it applies.
        single = len(self.sources) == 1
        only_by_clause = not statement.not_matched and (single or not statement.matched)
        takes_every_match = only_by_clause or any(
            clause.condition is None for clause in statement.matched
        )
        return Access(
            "MERGE",
            reads=self.reads,
            covers=self.covers,
            removes=lambda row: z3.Or(NO, *self._acted_on(row), *self._unmatched(row)),
            adds=self._additions(),
            surely_adds=self.surely_adds,
            takes=self.takes,
            takes_what_it_reads=takes_every_match and not statement.source.reads(statement.table),
        )

    def reads(self, row: SymbolicRow) -> Any:
        """Also the rows that it fails on, for having several matches or by a condition."""
        one = self.query is None and len(self.sources) == 1
        by_clause = one and not self.statement.not_matched
        matches = (self._acted_on if by_clause else self._matches)(row)
        return z3.Or(self._own(row), *matches, *self._unmatched(row), *self._failures(row))

    def covers(self, row: SymbolicRow) -> Any:
        if self.statement.by_source:
            return YES
        own = NO if self.query is None else self.scope.query_covers(self.query)(row)
        return z3.Or(own, *(self._acted_on if self.statement.matched_only else self._matches)(row))

    def takes(self, row: SymbolicRow) -> Any:
        if self._writes_every_file:
            return YES
        unmatched: list[Any] = []
        if self.query is None:
            matched = z3.Or(NO, *self._matches(row))
            unmatched = [z3.And(z3.Not(matched), applies) for applies in self._unmatched(row)]
        return z3.Or(NO, *self._acted_on(row), *unmatched)

    @property
    def _writes_every_file(self) -> bool:
        return bool(self.statement.by_source) and not self.statement.table.deletion_vectors

    def surely_adds(self, read: SymbolicRow | None) -> Sequence[Addition]:
        """A row may match one source row only, and then a sole clause takes it if it applies.

        Where every file is written anew, so is a row on which no clause acts, and, if no clause
        deletes, any row, whatever becomes of it.
        """
        matched = self.statement.matched
        if read is None:
            return ()
        kept: list[Addition] = []
        if self._writes_every_file and self.query is None:
            acted = z3.Or(NO, *self._acted_on(read), *self._unmatched(read))
            kept = [Addition(z3.Not(acted), read, read)]
            if not any(clause.deletes for clause in (*matched, *self.statement.by_source)):
                kept.append(Addition(YES, fresh_row(self.types), read))
        if len(self.sources) != 1 or len(matched) != 1 or matched[0].deletes:
            return kept
        return [*self._updated(read), *kept]

    def _on(self, row: SymbolicRow, source: SymbolicRow) -> Any:
        return self.scope.over(row + source).truth(self.statement.condition).true

    def _applies(self, clause: MergeClause, joined: SymbolicRow) -> Any:
        return self.scope.over(joined).truth(clause.test).true

    def _own(self, row: SymbolicRow) -> Any:
        return NO if self.query is None else self.scope.query_reads(self.query)(row)

    def _matches(self, row: SymbolicRow) -> list[Any]:
        pairs = zip(self.guards, self.sources, strict=True)
        return [z3.And(guard, self._on(row, source)) for guard, source in pairs]

    def _acted_on(self, row: SymbolicRow) -> list[Any]:
        acted_on = []
        for matched, source in zip(self._matches(row), self.sources, strict=True):
            acts = [self._applies(clause, row + source) for clause in self.statement.matched]
            acted_on.append(z3.And(matched, z3.Or(NO, *acts)))
        return acted_on

    def _unmatched(self, row: SymbolicRow) -> list[Any]:
        joined = row + self.no_source
        return [self._applies(clause, joined) for clause in self.statement.by_source]

    def _failures(self, row: SymbolicRow) -> list[Any]:
        """That ON fails on the row with some source row, or a clause's condition does."""
        statement, failing = self.statement, []
        for guard, source in zip(self.guards, self.sources, strict=True):
            over = self.scope.over(row + source)
            parts = [statement.condition, *(clause.test for clause in statement.matched)]
            failing += [z3.And(guard, fails(over, part)) for part in parts]
        over = self.scope.over(row + self.no_source)
        return failing + [fails(over, clause.test) for clause in statement.by_source]

    def _result(self, clause: MergeClause, target: SymbolicRow, source: SymbolicRow) -> SymbolicRow:
        old = None if clause.inserts else target
        return self.scope.built(dict(clause.assignments or ()), target + source, old)

    def _updated(self, row: SymbolicRow) -> list[Addition]:
        return [
            Addition(
                z3.And(guard, self._on(row, source), self._applies(clause, row + source)),
                self._result(clause, row, source),
                row,
            )
            for clause in self.statement.matched
            if not clause.deletes
            for guard, source in zip(self.guards, self.sources, strict=True)
        ]

    def _additions(self) -> tuple[Addition, ...]:
        adds = self._updated(fresh_row(self.types))
        for clause in self.statement.not_matched:
            for guard, source in zip(self.guards, self.sources, strict=True):
                when = z3.And(guard, self._applies(clause, self.no_target + source))
                adds.append(Addition(when, self._result(clause, self.no_target, source)))
        for clause in self.statement.by_source:
            if not clause.deletes:
                old = fresh_row(self.types)
                when = self._applies(clause, old + self.no_source)
                adds.append(Addition(when, self._result(clause, old, self.no_source), old))
        return tuple(adds)

    def _widths(self) -> list[ColumnType]:
        """Types of the source's columns, as far as the statement mentions them."""
        statement = self.statement
        width = len(self.types)
        parts: list[Expression] = [statement.condition]
        for clause in (*statement.matched, *statement.not_matched, *statement.by_source):
            parts += [clause.test, *(e for _, e in clause.assignments or ())]
        mentioned = {
            n.index - width: n.type
            for part in parts
            for n in expressions.walk(part)
            if isinstance(n, Column) and n.index >= width
        }
        return [
            mentioned.get(i, ColumnType("double", "number")) for i in range(statement.source.width)
        ]

    def _constant_rows(self) -> list[tuple[Any, SymbolicRow]]:
        over, types = self.scope.over(()), self._widths()
        return [
            (
                YES,
                tuple(over.literal(value, type_) for value, type_ in zip(row, types, strict=True)),
            )
            for row in self.statement.source.rows({})
        ]

    def _queried_row(self, query: Relation) -> tuple[Any, SymbolicRow]:
        """A row of a source that is a query: from a row that its condition lets through."""
        types = query.types
        if not isinstance(query, Query):
            return YES, fresh_row(types)
        inner = fresh_row(self.scope.others[query.table])
        over = self.scope.over(inner)
        plain = not query.aggregates and not query.groups
        cells = tuple(
            over.cell(output) if plain else fresh(type_)
            for output, type_ in zip(query.outputs, types, strict=True)
        )
        return (over.truth(query.condition).true if plain else YES), cells
