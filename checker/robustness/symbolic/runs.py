"""The accesses of one run of any statement, over unknown rows and parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import z3

from checker.robustness.jobs.folding import may_be_blind, may_fold
from checker.robustness.symbolic.expressions import (
    SymbolicRow,
    fresh,
    fresh_row,
    same_cells,
    unknown,
)
from checker.robustness.symbolic.footprint import NO, YES, Access, Addition, anything
from checker.robustness.symbolic.merge import merge_access
from checker.robustness.symbolic.scope import Scope
from model.expressions.evaluation import aggregate
from model.expressions.simplification.shape import everywhere
from model.expressions.syntax import Aggregate, Expression, Literal
from model.queries import Computed, Constants, Distinct, Relation, Union
from model.queries.query import Query
from model.statements import (
    Delete,
    DynamicOverwrite,
    Idempotent,
    InsertSelect,
    InsertValues,
    Merge,
    Overwrite,
    Restore,
    Select,
    Statement,
    Truncate,
    Update,
)


class Run(Scope):
    """One run of any statement."""

    def access(self, statement: Statement) -> Access:
        access = self._access(statement)
        return replace(access, parameters=self.parameters)

    def _access(self, statement: Statement) -> Access:
        match statement:
            case Idempotent():
                # Skipped it reads nothing, so what it does for certain stays as it is.
                return self._access(statement.statement)
            case Select():
                reads = self.query_reads(statement.query)
                return Access("SELECT", reads=reads, reader=True, writer=False)
            case InsertValues() | InsertSelect():
                return self._insert(statement)
            case Delete(condition=condition):
                where = self.where(condition)
                return Access(
                    "DELETE",
                    self.reads(condition),
                    where,
                    where,
                    takes=where,
                    takes_what_it_reads=True,
                )
            case Update():
                return self._update(statement)
            case Merge():
                return merge_access(self, statement)
            case Overwrite() | DynamicOverwrite():
                return self._overwrite(statement)
            case Truncate():
                return Access(
                    "TRUNCATE",
                    _any_row,
                    _any_row,
                    _any_row,
                    takes=_any_row,
                    takes_what_it_reads=True,
                    reader=True,
                )
            case Restore():
                back = (Addition(YES, fresh_row(self.types)),)
                return Access("RESTORE", _any_row, removes=_any_row, adds=back, alone=True)
        if statement.files_only:
            return Access(statement.kind)
        return anything(statement.kind, self.types)

    def _insert_related(self, query: Relation) -> Access:
        """INSERT of joined or united rows: their values and number are unknown."""
        mine = self.scans_target(query)
        certain = (Addition(YES, fresh_row(self.types)),) if _has_a_row(query) else ()
        return Access(
            "INSERT SELECT",
            reads=self.query_reads(query),
            covers=self.query_covers(query),
            adds=(Addition(YES, fresh_row(self.types), many=True),),
            surely_adds=lambda read: certain,
            # The optimizer may see that the query is empty, and scan nothing.
            blind=not mine or may_be_blind(query, self.parsed),
            only_blind=not mine,
        )

    def _insert(self, statement: InsertValues | InsertSelect) -> Access:
        if isinstance(statement, InsertValues):
            rows = tuple(Addition(YES, self._constant_row(row)) for row in statement.rows)
            return Access(
                "INSERT",
                adds=rows,
                surely_adds=lambda read: rows,
                blind=True,
                only_blind=True,
            )
        query = statement.query
        if isinstance(query, Constants):
            listed = tuple(Addition(YES, self._listed(statement, row)) for row in query.rows)
            return Access(
                "INSERT SELECT",
                adds=listed,
                surely_adds=lambda read: listed,
                blind=True,
                only_blind=True,
            )
        if not isinstance(query, Query):
            return self._insert_related(query)
        mine = query.table == statement.table.name
        source = fresh_row(self.others[query.table])
        when = self.over(source).truth(query.condition).true
        one = not query.groups and bool(query.aggregates)
        may = Addition(YES if one else when, self._output(statement, source), many=not one)

        def surely(read: SymbolicRow | None) -> Sequence[Addition]:
            if one:
                return (may,)
            if read is None or not mine:
                return ()
            matched = self.over(read).truth(query.condition).true
            return (Addition(matched, self._output(statement, read)),)

        plain = not query.groups and not query.aggregates and not mine

        def derived(table: str, row: SymbolicRow) -> Sequence[Addition]:
            if not plain or self.parsed.sources_change or table != query.table:
                return ()
            matched = self.over(row).truth(query.condition).true
            return (Addition(matched, self._output(statement, row)),)

        return Access(
            "INSERT SELECT",
            reads=self.query_reads(query),
            covers=self.query_covers(query),
            adds=(may,),
            surely_adds=surely,
            surely_derives=derived,
            sources=((query.table, source),) if plain else (),
            # A query that folds adds only the row of an aggregate over no rows.
            blind=not mine or (one and self._may_fold(query)),
            only_blind=not mine,
            blind_adds=(Addition(YES, self._over_no_rows(statement)),) if mine and one else None,
            needs=() if one else ((query.table, source),),
        )

    def _may_fold(self, query: Query) -> bool:
        table = self.parsed.statement.table
        return self.parsed.guessed or may_fold(query.condition, table, self.parsed.types)

    def _output(self, statement: InsertSelect, source: SymbolicRow) -> SymbolicRow:
        assert isinstance(statement.query, Query)
        given = dict(zip(statement.positions, statement.query.outputs, strict=True))
        return self.built(given, source, None)

    def _over_no_rows(self, statement: InsertSelect) -> SymbolicRow:
        """The row of aggregates over no rows."""
        assert isinstance(statement.query, Query)
        outputs = map(_over_no_rows, statement.query.outputs)
        return self.built(dict(zip(statement.positions, outputs, strict=True)), (), None)

    def _listed(self, statement: InsertSelect, row: Sequence[Any]) -> SymbolicRow:
        """A row of constants that goes to the columns of an INSERT."""
        types = statement.query.types
        values = zip(statement.positions, row, types, strict=True)
        given: dict[int, Expression] = {place: Literal(v, t) for place, v, t in values}
        return self.built(given, (), None)

    def _constant_row(self, row: Sequence[Any]) -> SymbolicRow:
        over = self.over(())
        return self.stored(
            [
                fresh(type_) if i in self.computed else over.stored(value, type_)
                for i, (value, type_) in enumerate(zip(row, self.types, strict=True))
            ]
        )

    def _update(self, statement: Update) -> Access:
        where, own = self.where(statement.condition), self.reads(statement.condition)
        given = dict(statement.assignments)
        old = fresh_row(self.types)

        def changed(row: SymbolicRow) -> Addition:
            return Addition(where(row), self.built(given, row, row), row)

        def surely(read: SymbolicRow | None) -> Sequence[Addition]:
            return () if read is None else (changed(read),)

        inner = [self.query_reads(q) for q in statement.subqueries]
        return Access(
            "UPDATE",
            reads=lambda row: z3.Or(own(row), *(reads(row) for reads in inner)),
            covers=where,
            removes=where,
            adds=(changed(old),),
            surely_adds=surely,
            takes=where,
            takes_what_it_reads=not statement.subqueries,
        )

    def _overwrite(self, statement: Overwrite | DynamicOverwrite) -> Access:
        inserted = self._access(statement.inserts)
        if isinstance(statement, Overwrite):
            replaced, read = self.where(statement.replaced), self.reads(statement.replaced)
        else:

            def replaced(row: SymbolicRow) -> Any:
                same_partition = [
                    z3.And(a.when, same_cells(row, a.row, self.partitions)) for a in inserted.adds
                ]
                # Several rows of a query may come, each to a partition of its own.
                many = not isinstance(statement.inserts, InsertValues)
                return z3.Or(*same_partition, unknown().true if many else NO)

            read = replaced

        adds = inserted.adds
        if isinstance(statement, Overwrite) and statement.checked:
            adds = tuple(replace(a, when=z3.And(a.when, replaced(a.row))) for a in adds)
        inserts = statement.inserts
        reads_table = isinstance(inserts, InsertSelect) and self.scans_target(inserts.query)
        return Access(
            statement.kind,
            reads=lambda row: z3.Or(read(row), inserted.reads(row)),
            covers=lambda row: z3.Or(replaced(row), inserted.covers(row)),
            removes=replaced,
            adds=adds,
            surely_adds=inserted.surely_adds,
            surely_derives=inserted.surely_derives,
            sources=inserted.sources,
            takes=replaced,
            takes_what_it_reads=not reads_table,
        )


def _has_a_row(relation: Relation) -> bool:
    """Whether a query gives a row whatever its tables hold: an aggregate does."""
    match relation:
        case Query(aggregates=aggregates, groups=groups):
            return bool(aggregates and not groups)
        case Computed(query=query):
            return bool(query.aggregates and not query.groups)
        case Constants(rows=rows):
            return bool(rows)
        case Union(parts=parts):
            return any(map(_has_a_row, parts))
        case Distinct(source=source):
            return _has_a_row(source)
    return False


def _over_no_rows(expression: Expression) -> Expression:
    """An output of a query, over no rows."""

    def valued(part: Expression) -> Expression:
        return Literal(aggregate(part, []), part.type) if isinstance(part, Aggregate) else part

    return everywhere(expression, valued)


def _any_row(row: SymbolicRow) -> Any:
    return YES
