"""SELECT ...: a reader. It sees its snapshot and writes nothing."""

from __future__ import annotations

from dataclasses import dataclass

from model.history import SerialResult
from model.physical.log import Snapshot
from model.queries import Relation, alone, flat
from model.statements.base import Execution, Rows
from model.statements.reading import ReadsByQuery, read
from model.tables.table import Table


@dataclass(frozen=True, slots=True)
class Select(ReadsByQuery):
    """Returns the rows of a query over the target, over other tables, or over none."""

    text: str
    table: Table
    query: Relation

    @property
    def kind(self) -> str:
        return "SELECT"

    def execute(self, snapshot: Snapshot, writer: str, others: Rows) -> Execution:
        done = read(self.query, self.table, snapshot, others)
        items, reads = done.logical(self.query, self.table)
        result = flat(self.query.branches(done.inputs))
        return Execution(None, items, result=result, predicate_reads=reads, scanned=done.opened)

    def rerun(self, tables: Rows) -> SerialResult:
        _, reads = alone(self.query, tables)
        matched = tuple(tuple(filter(each.matches, tables[each.table])) for each in reads)
        return SerialResult(matched, tables)
