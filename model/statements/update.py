"""UPDATE t SET ... [WHERE ...], including updates that move rows to another partition."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from model.errors import StatementFailure
from model.expressions import syntax as expressions
from model.expressions.evaluation import evaluator, matcher
from model.expressions.syntax import Expression
from model.history import ItemRead, PredicateRead, Row, RowChange, SerialResult, Value
from model.physical.files import DataFile, StoredRow, write_files
from model.physical.footprint import Footprint
from model.physical.log import Snapshot
from model.queries.query import Query
from model.statements.base import Execution, Rows, Statement, item_reads
from model.statements.insert.generated import completed
from model.statements.rewrite import remains, select, test_of
from model.tables.invariants import enforce
from model.tables.table import Table
from model.values import types


@dataclass(frozen=True, slots=True)
class Update(Statement):
    """Gives new values to the rows that match: each becomes a new version of the same row.

    ``assignments`` maps column positions to expressions over the old row, followed by the
    values of ``subqueries``: scalar subqueries in SET. Their reads count as the statement's, but
    the engine does not note them: the footprint has the WHERE clause alone.
    """

    text: str
    table: Table
    assignments: tuple[tuple[int, Expression], ...]
    condition: Expression
    subqueries: tuple[Query, ...] = ()

    takes_number = True

    @property
    def kind(self) -> str:
        return "UPDATE"

    @property
    def conditions(self) -> tuple[Expression, ...]:
        inner = (scan.condition for query in self.subqueries for scan in query.scans)
        return (self.condition, *inner)

    @property
    def predicate_reads(self) -> tuple[PredicateRead, ...]:
        where = PredicateRead(
            self.table.name, expressions.sql(self.condition), test_of(self.condition, self.table)
        )
        return (where, *(query.predicate_read for query in self.subqueries))

    def execute(self, snapshot: Snapshot, writer: str, others: Rows) -> Execution:
        target = select(snapshot, self.table, self.condition)
        matches = matcher(self.condition)
        scalars: Row = ()
        reads: tuple[ItemRead, ...] = item_reads(self.table, target.matching)
        if self.subqueries:
            scalars = self._scalars({**others, self.table.name: snapshot.rows()})
            reads = self._items(snapshot)
        written, changes = [], []
        marked: tuple[DataFile, ...] = ()
        copying = not self.table.deletion_vectors
        for row in (row for file in target.touched for row in file.rows):
            if matches(row.values):
                after = self._updated(row.values, scalars)
                changes.append(RowChange(self.table.name, row.row, row.values, after))
                written.append(StoredRow(row.row, writer, after))
            elif copying:
                # In its old position: a copied row keeps its place among the updated ones.
                written.append(row)
        if not copying:
            taken = remains(self.table, target.touched, lambda row: matches(row.values), writer)
            marked = taken.marked
        footprint = Footprint(
            "UPDATE",
            read_predicates=(target.predicate,),
            read_files=target.read,
            adds=(*marked, *write_files(writer, self.table, written, recording=True)),
            removes=target.touched,
            records_empty=True,
        )
        return Execution(footprint, reads, tuple(changes))

    def effect(self, row: Row, tables: Rows) -> Row | None:
        if not test_of(self.condition, self.table)(row):
            return row
        return self._updated(row, self._scalars(tables))

    def rerun(self, tables: Rows) -> SerialResult:
        name, matches = self.table.name, test_of(self.condition, self.table)
        scalars = self._scalars(tables)
        rows = [(row, matches(row)) for row in tables[name]]
        read = tuple(row for row, match in rows if match)
        after = tuple(self._updated(row, scalars) if match else row for row, match in rows)
        if self.table.constrained:
            enforce(self.table, (new for new, (_, match) in zip(after, rows, strict=True) if match))
        inner = tuple(query.matching(tables[query.table]) for query in self.subqueries)
        return SerialResult((read, *inner), {**tables, name: after})

    def _updated(self, row: Row, scalars: Row) -> Row:
        after = list(row)
        for index, expression in self.assignments:
            value = evaluator(expression)(row + scalars)
            after[index] = types.store(value, self.table.types[index], types.UPDATE_OVERFLOW)
        if not self.table.generated:
            return self.table.stored(tuple(after))
        given = frozenset(index for index, _ in self.assignments)
        new = completed(self.table, tuple(after), given, types.UPDATE_OVERFLOW)
        return self.table.stored(new)

    def _scalars(self, tables: Rows) -> Row:
        return tuple(_scalar(query, tables[query.table]) for query in self.subqueries)

    def _items(self, snapshot: Snapshot) -> tuple[ItemRead, ...]:
        mine = [p for p in self.predicate_reads if p.table == self.table.name]
        rows = [r for r in snapshot.stored() if any(p.matches(r.values) for p in mine)]
        return item_reads(self.table, rows)


def _scalar(query: Query, rows: Iterable[Row]) -> Value:
    """A scalar subquery's value: NULL if it has no row. Raises StatementFailure for several."""
    result = query.result(query.matching(rows))
    if len(result) > 1:
        raise StatementFailure(
            "SCALAR_SUBQUERY_TOO_MANY_ROWS", "a subquery used as a value returned several rows"
        )
    return result[0][0] if result else None
