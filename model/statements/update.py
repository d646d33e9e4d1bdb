"""UPDATE t SET ... [WHERE ...], also one that moves rows to another partition."""

from __future__ import annotations

from dataclasses import dataclass

from model import expressions, types
from model.evaluation import evaluator, matcher
from model.expressions import Expression
from model.files import StoredRow, write_files
from model.footprint import Footprint
from model.history import PredicateRead, Row, RowChange, SerialResult
from model.log import Snapshot
from model.statements.base import Execution, Rows, item_reads
from model.statements.rewrite import select
from model.table import Table


@dataclass(frozen=True, slots=True)
class Update:
    """Gives the rows that match new values: each becomes a new version of the same row.

    ``assignments`` maps column positions to expressions over the old row.
    """

    text: str
    table: Table
    assignments: tuple[tuple[int, Expression], ...]
    condition: Expression

    @property
    def kind(self) -> str:
        return "UPDATE"

    @property
    def predicate_reads(self) -> tuple[PredicateRead, ...]:
        return (
            PredicateRead(
                self.table.name, expressions.sql(self.condition), matcher(self.condition)
            ),
        )

    def execute(self, snapshot: Snapshot, writer: str, others: Rows) -> Execution:
        target = select(snapshot, self.table, self.condition)
        matches = matcher(self.condition)
        written, changes = [], []
        for row in (row for file in target.touched for row in file.rows):
            if matches(row.values):
                after = self._updated(row.values)
                changes.append(RowChange(self.table.name, row.row, row.values, after))
                row = StoredRow(row.row, writer, after)
            written.append(row)
        footprint = Footprint(
            "UPDATE",
            read_predicates=(target.predicate,),
            read_files=target.read,
            adds=write_files(writer, self.table, written),
            removes=target.touched,
            records_empty=True,
        )
        return Execution(footprint, item_reads(self.table, target.matching), tuple(changes))

    def effect(self, row: Row) -> Row | None:
        return self._updated(row) if matcher(self.condition)(row) else row

    def rerun(self, tables: Rows) -> SerialResult:
        name, matches = self.table.name, matcher(self.condition)
        rows = [(row, matches(row)) for row in tables[name]]
        read = tuple(row for row, match in rows if match)
        after = tuple(self._updated(row) if match else row for row, match in rows)
        return SerialResult((read,), {**tables, name: after})

    def _updated(self, row: Row) -> Row:
        after = list(row)
        for index, expression in self.assignments:
            after[index] = types.store(evaluator(expression)(row), self.table.types[index])
        return tuple(after)
