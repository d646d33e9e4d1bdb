"""What one run of a job may read and write, over unknown rows and parameters.

Everything here allows at least what the statement can do on any table with any parameters.
What it *surely* does (``covers``, ``surely_adds``, ``takes_what_it_reads``) is said only where it
does so whenever it reads the row in question.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import z3

from checker.robustness.jobs import Jobs
from checker.robustness.sentinels import Parsed, parsed
from checker.robustness.symbolic import (
    Cell,
    Reader,
    SymbolicRow,
    constant,
    fresh,
    fresh_row,
    same_cells,
    unknown,
)
from checker.robustness.symbolic_footprint import NO, YES, Access, Addition, Condition, anything
from checker.robustness.template import Template
from model import expressions
from model.expressions import Aggregate, Column, Comparison, Expression, Literal
from model.query import Query
from model.relations import Constants, Relation
from model.statements import (
    Delete,
    DynamicOverwrite,
    Idempotent,
    InsertSelect,
    InsertValues,
    Merge,
    Optimize,
    Overwrite,
    Reorg,
    Restore,
    Select,
    Statement,
    Truncate,
    Update,
    Vacuum,
)
from model.statements.merge_clause import MergeClause
from model.types import ColumnType


@dataclass(frozen=True, slots=True)
class Job:
    """What is known of a job for the theorems.

    ``outside`` says why their premises do not cover it; None where they do. ``parsed`` is None
    where nothing is known of what it reads and writes.
    """

    name: str
    kind: str
    outside: str | None
    parsed: Parsed | None
    types: tuple[ColumnType, ...]
    partitions: tuple[int, ...]
    others: Mapping[str, tuple[ColumnType, ...]]

    def run(self) -> Access:
        """A run with parameters of its own, of which nothing is known."""
        if self.parsed is None:
            return anything(self.kind, self.types)
        return _Run(self.parsed, self.types, self.partitions, self.others).access(
            self.parsed.statement
        )


def job(jobs: Jobs, name: str, template: Template, statement: Statement) -> Job:
    """What is known of a job; ``statement`` is any instance of it."""
    table = jobs.target
    return Job(
        name,
        statement.kind,
        _outside(statement),
        parsed(jobs, template),
        table.types,
        table.partitions,
        {other: known.types for other, known in jobs.known.items()},
    )


def _outside(statement: Statement) -> str | None:
    inner = statement.statement if isinstance(statement, Idempotent) else statement
    if isinstance(inner, Update) and any(q.table == inner.table.name for q in inner.subqueries):
        return "Delta does not note what a subquery in SET reads"
    if isinstance(inner, Vacuum) and inner.frees == "all files":
        return "a VACUUM that retains nothing takes away files of transactions that still run"
    inserts = inner.inserts if isinstance(inner, Overwrite | DynamicOverwrite) else inner
    evolved = inserts.after if isinstance(inserts, InsertSelect | InsertValues | Merge) else None
    if evolved is not None and evolved != inserts.table:
        return "schema evolution changes the table's definition"
    known = Delete | DynamicOverwrite | InsertSelect | InsertValues | Merge | Optimize | Overwrite
    if isinstance(inner, known | Reorg | Restore | Select | Truncate | Update | Vacuum):
        return None
    return f"a {statement.kind} may change the table's definition"


@dataclass(frozen=True, slots=True)
class _Run:
    """The access of one run: its parameters are unknowns of its own."""

    parsed: Parsed
    types: tuple[ColumnType, ...]
    partitions: tuple[int, ...]
    others: Mapping[str, tuple[ColumnType, ...]]
    parameters: dict[str, Cell] = field(default_factory=dict)

    def access(self, statement: Statement) -> Access:
        found = self._access(statement)
        return replace(found, parameters=self.parameters)

    def _access(self, statement: Statement) -> Access:
        match statement:
            case Idempotent():
                # Skipped it reads nothing, so what it does for certain stays as it is.
                return self._access(statement.statement)
            case Select():
                reads = self._query_reads(statement.query)
                return Access("SELECT", reads=reads, reader=True, writer=False)
            case InsertValues() | InsertSelect():
                return self._insert(statement)
            case Delete(condition=condition):
                where = self._where(condition)
                return Access("DELETE", where, where, where, takes_what_it_reads=True)
            case Update():
                return self._update(statement)
            case Merge():
                return self._merge(statement)
            case Overwrite() | DynamicOverwrite():
                return self._overwrite(statement)
            case Truncate():
                return Access(
                    "TRUNCATE",
                    lambda row: YES,
                    lambda row: YES,
                    lambda row: YES,
                    takes_what_it_reads=True,
                    reader=True,
                )
            case Restore():
                back = (Addition(YES, fresh_row(self.types)),)
                yes = lambda row: YES  # noqa: E731
                return Access("RESTORE", yes, removes=yes, adds=back, alone=True)
            case Optimize() | Reorg() | Vacuum():
                return Access(statement.kind)
        return anything(statement.kind, self.types)

    def _over(self, row: SymbolicRow) -> Reader:
        return Reader(row, self._parameter, self.parsed.hole)

    def _parameter(self, name: str, type_: ColumnType) -> Cell:
        if name not in self.parameters:
            self.parameters[name] = Cell(fresh(type_).term, NO)
        return self.parameters[name]

    def _where(self, condition: Expression) -> Condition:
        return lambda row: self._over(row).truth(condition).true

    def _query_reads(self, query: Relation) -> Condition:
        name = self.parsed.statement.table.name
        scans = [self._where(scan.condition) for scan in query.scans if scan.table == name]
        return lambda row: z3.Or(NO, *(scan(row) for scan in scans))

    def _scans_target(self, query: Relation) -> bool:
        return any(scan.table == self.parsed.statement.table.name for scan in query.scans)

    def _insert_related(self, query: Relation) -> Access:
        """INSERT of joined or united rows: nothing is known of them, nor whether there are any."""
        mine = self._scans_target(query)
        return Access(
            "INSERT SELECT",
            reads=self._query_reads(query),
            covers=self._query_reads(query),
            adds=(Addition(YES, fresh_row(self.types)),),
            surely_adds=lambda read: (),
            blind=True,  # The optimizer may see that there is no row, and scan nothing.
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
            found = tuple(Addition(YES, self._listed(statement, row)) for row in query.rows)
            return Access(
                "INSERT SELECT",
                adds=found,
                surely_adds=lambda read: found,
                blind=True,
                only_blind=True,
            )
        if not isinstance(query, Query):
            return self._insert_related(query)
        mine = query.table == statement.table.name
        source = fresh_row(self.others[query.table])
        when = self._over(source).truth(query.condition).true
        one = not query.groups and bool(query.aggregates)
        may = Addition(YES if one else when, self._output(statement, source))

        def surely(read: SymbolicRow | None) -> Sequence[Addition]:
            if one:
                return (may,)
            if read is None or not mine:
                return ()
            matched = self._over(read).truth(query.condition).true
            return (Addition(matched, self._output(statement, read)),)

        plain = not query.groups and not query.aggregates and not mine

        def derived(table: str, row: SymbolicRow) -> Sequence[Addition]:
            if not plain or table != query.table:
                return ()
            matched = self._over(row).truth(query.condition).true
            return (Addition(matched, self._output(statement, row)),)

        return Access(
            "INSERT SELECT",
            reads=self._query_reads(query),
            covers=self._query_reads(query),
            adds=(may,),
            surely_adds=surely,
            surely_derives=derived,
            sources=((query.table, source),) if plain else (),
            blind=not mine or _may_fold(query.condition),
            only_blind=not mine,
        )

    def _output(self, statement: InsertSelect, source: SymbolicRow) -> SymbolicRow:
        assert isinstance(statement.query, Query)
        given = dict(zip(statement.positions, statement.query.outputs, strict=True))
        return self._built(given, source, None)

    def _listed(self, statement: InsertSelect, row: Sequence[Any]) -> SymbolicRow:
        """A row of constants that goes to the columns of an INSERT."""
        types = statement.query.types
        values = zip(statement.positions, row, types, strict=True)
        given: dict[int, Expression] = {place: Literal(v, t) for place, v, t in values}
        return self._built(given, (), None)

    def _constant_row(self, row: Sequence[Any]) -> SymbolicRow:
        over = self._over(())
        generated = self._computed
        return tuple(
            fresh(type_) if i in generated else over.literal(value, type_)
            for i, (value, type_) in enumerate(zip(row, self.types, strict=True))
        )

    @property
    def _computed(self) -> frozenset[int]:
        """Columns whose values the table computes or hands out."""
        table = self.parsed.statement.table
        return frozenset(place for place, _ in (*table.generated, *table.identities))

    @property
    def _defaulted(self) -> frozenset[int]:
        """Columns that a new row has a value of even where the statement gives none."""
        return frozenset(place for place, _ in self.parsed.statement.table.defaults)

    def _built(
        self, given: dict[int, Expression], joined: SymbolicRow, old: SymbolicRow | None
    ) -> SymbolicRow:
        """A row of values over a joined row; what is not given stays as in ``old``, if any."""
        over, cells, new = self._over(joined), [], old is None
        for place, type_ in enumerate(self.types):
            if place in self._computed:
                cells.append(fresh(type_))
            elif place in given:
                expression = given[place]
                known = not any(isinstance(e, Aggregate) for e in expressions.walk(expression))
                cells.append(over.cell(expression, type_) if known else fresh(type_))
            elif new and place in self._defaulted:
                cells.append(fresh(type_))
            elif old:
                cells.append(old[place])
            else:
                cells.append(constant(None, type_))
        return tuple(cells)

    def _update(self, statement: Update) -> Access:
        where = self._where(statement.condition)
        given = dict(statement.assignments)
        old = fresh_row(self.types)

        def changed(row: SymbolicRow) -> Addition:
            return Addition(where(row), self._built(given, row, row), row)

        def surely(read: SymbolicRow | None) -> Sequence[Addition]:
            return () if read is None else (changed(read),)

        inner = [self._query_reads(q) for q in statement.subqueries]
        return Access(
            "UPDATE",
            reads=lambda row: z3.Or(where(row), *(reads(row) for reads in inner)),
            covers=where,
            removes=where,
            adds=(changed(old),),
            surely_adds=surely,
            takes_what_it_reads=not statement.subqueries,
        )

    def _overwrite(self, statement: Overwrite | DynamicOverwrite) -> Access:
        inserted = self._access(statement.inserts)
        if isinstance(statement, Overwrite):
            replaced = self._where(statement.replaced)
        else:

            def replaced(row: SymbolicRow) -> Any:
                found = [
                    z3.And(a.when, same_cells(row, a.row, self.partitions)) for a in inserted.adds
                ]
                # Several rows of a query may come, each to a partition of its own.
                many = not isinstance(statement.inserts, InsertValues)
                return z3.Or(*found, unknown().true if many else NO)

        adds = inserted.adds
        if isinstance(statement, Overwrite) and statement.checked:
            adds = tuple(replace(a, when=z3.And(a.when, replaced(a.row))) for a in adds)
        inserts = statement.inserts
        reads_table = isinstance(inserts, InsertSelect) and self._scans_target(inserts.query)
        return Access(
            statement.kind,
            reads=lambda row: z3.Or(replaced(row), inserted.reads(row)),
            covers=lambda row: z3.Or(replaced(row), inserted.covers(row)),
            removes=replaced,
            adds=adds,
            surely_adds=inserted.surely_adds,
            surely_derives=inserted.surely_derives,
            sources=inserted.sources,
            takes_what_it_reads=not reads_table,
        )

    def _merge(self, statement: Merge) -> Access:
        source = statement.source
        if source.query is None:
            rows = [self._source_row(row, statement) for row in source.rows({})]
        else:
            rows = [self._queried_row(source.query)]
        guards = [guard for guard, _ in rows]
        sources = [row for _, row in rows]
        nothing = tuple(constant(None, type_) for type_ in self.types)

        def on(row: SymbolicRow, s: SymbolicRow) -> Any:
            return self._over(row + s).truth(statement.condition).true

        def applies(clause: MergeClause, joined: SymbolicRow) -> Any:
            return self._over(joined).truth(clause.test).true

        def own(row: SymbolicRow) -> Any:
            return self._query_reads(source.query)(row) if source.query is not None else NO

        def matches(row: SymbolicRow) -> list[Any]:
            return [z3.And(g, on(row, s)) for g, s in zip(guards, sources, strict=True)]

        def acted_on(row: SymbolicRow) -> list[Any]:
            found = []
            for matched, s in zip(matches(row), sources, strict=True):
                acts = [applies(clause, row + s) for clause in statement.matched]
                found.append(z3.And(matched, z3.Or(NO, *acts)))
            return found

        def unmatched(row: SymbolicRow) -> list[Any]:
            empty = tuple(constant(None, t) for t in self._widths(statement))
            return [applies(clause, row + empty) for clause in statement.by_source]

        def reads(row: SymbolicRow) -> Any:
            by_clause = single and not statement.not_matched
            return z3.Or(own(row), *(acted_on if by_clause else matches)(row), *unmatched(row))

        def covers(row: SymbolicRow) -> Any:
            if statement.by_source:
                return YES
            return z3.Or(own(row), *(acted_on if statement.matched_only else matches)(row))

        def removes(row: SymbolicRow) -> Any:
            return z3.Or(NO, *acted_on(row), *unmatched(row))

        def result(clause: MergeClause, target: SymbolicRow, s: SymbolicRow) -> SymbolicRow:
            old = None if clause.inserts else target
            return self._built(dict(clause.assignments or ()), target + s, old)

        def updated(row: SymbolicRow) -> list[Addition]:
            return [
                Addition(
                    z3.And(guard, on(row, s), applies(clause, row + s)), result(clause, row, s), row
                )
                for clause in statement.matched
                if not clause.deletes
                for guard, s in zip(guards, sources, strict=True)
            ]

        adds = updated(fresh_row(self.types))
        for clause in statement.not_matched:
            for guard, s in zip(guards, sources, strict=True):
                when = z3.And(guard, applies(clause, nothing + s))
                adds.append(Addition(when, result(clause, nothing, s)))
        for clause in statement.by_source:
            if not clause.deletes:
                old = fresh_row(self.types)
                empty = tuple(constant(None, t) for t in self._widths(statement))
                adds.append(Addition(applies(clause, old + empty), result(clause, old, empty), old))
        # A row may match one source row only, and then a sole clause takes it if it applies. Of a
        # table's rows the one here is the one that matches; of constants there may be several.
        single = len(sources) == 1
        sole = statement.matched[0] if len(statement.matched) == 1 else None

        def surely(read: SymbolicRow | None) -> Sequence[Addition]:
            if read is None or not single or sole is None or sole.deletes:
                return ()
            (s,) = sources
            when = z3.And(guards[0], on(read, s), applies(sole, read + s))
            return [Addition(when, result(sole, read, s), read)]

        only_by_clause = not statement.not_matched and (single or not statement.matched)
        every = only_by_clause or any(clause.condition is None for clause in statement.matched)
        return Access(
            "MERGE",
            reads=reads,
            covers=covers,
            removes=removes,
            adds=tuple(adds),
            surely_adds=surely,
            takes_what_it_reads=every and not source.reads(statement.table),
        )

    def _widths(self, statement: Merge) -> list[ColumnType]:
        """Types of the source's columns, as far as the statement mentions them."""
        width = len(self.types)
        parts: list[Expression] = [statement.condition]
        for clause in (*statement.matched, *statement.not_matched, *statement.by_source):
            parts += [clause.test, *(e for _, e in clause.assignments or ())]
        found = {
            n.index - width: n.type
            for part in parts
            for n in expressions.walk(part)
            if isinstance(n, Column) and n.index >= width
        }
        return [found.get(i, ColumnType("double", "number")) for i in range(statement.source.width)]

    def _source_row(self, row: Sequence[Any], statement: Merge) -> tuple[Any, SymbolicRow]:
        over = self._over(())
        types = self._widths(statement)
        return YES, tuple(
            over.literal(value, type_) for value, type_ in zip(row, types, strict=True)
        )

    def _queried_row(self, query: Relation) -> tuple[Any, SymbolicRow]:
        """A row of a source that is a query: from a row that its condition lets through."""
        types = query.types
        if not isinstance(query, Query):
            return YES, fresh_row(types)
        inner = fresh_row(self.others[query.table])
        over = self._over(inner)
        plain = not query.aggregates and not query.groups
        cells = tuple(
            over.cell(output) if plain else fresh(type_)
            for output, type_ in zip(query.outputs, types, strict=True)
        )
        return (over.truth(query.condition).true if plain else YES), cells


def _may_fold(condition: Expression) -> bool:
    """Whether the optimizer may see, for some parameters, that no row can match.

    Such a query never scans the table, and its INSERT counts as a blind append.
    """
    if condition == expressions.TRUE:
        return False
    met: set[int] = set()
    for part in expressions.conjuncts(condition):
        simple = isinstance(part, Comparison) and isinstance(part.left, Column)
        if not simple or not isinstance(part, Comparison) or not isinstance(part.right, Literal):
            return True
        assert isinstance(part.left, Column)
        if part.left.index in met or part.right.value is None:
            return True
        met.add(part.left.index)
    return False
