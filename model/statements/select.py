"""SELECT ...: a reader. It sees its snapshot and writes nothing."""

from __future__ import annotations

from dataclasses import dataclass

from model.history import PredicateRead, Row, SerialResult
from model.log import Snapshot
from model.query import Query
from model.relations import Relation, alone, flat, scan_reads
from model.statements.base import Execution, Rows
from model.statements.reading import read
from model.table import Table


@dataclass(frozen=True, slots=True)
class Select:
    """Returns the rows of a query over the target, over other tables, or over none."""

    text: str
    table: Table
    query: Relation

    @property
    def kind(self) -> str:
        return "SELECT"

    @property
    def predicate_reads(self) -> tuple[PredicateRead, ...]:
        return scan_reads(self.query)

    def reads_on(self, tables: Rows) -> tuple[PredicateRead, ...]:
        if isinstance(self.query, Query):
            return self.predicate_reads
        return alone(self.query, tables)[1]

    def execute(self, snapshot: Snapshot, writer: str, others: Rows) -> Execution:
        done = read(self.query, self.table, snapshot, others)
        items, reads = done.logical(self.query, self.table)
        result = flat(self.query.branches(done.inputs))
        return Execution(None, items, result=result, predicate_reads=reads, scanned=done.opened)

    def effect(self, row: Row, tables: Rows) -> Row | None:
        return row

    def rerun(self, tables: Rows) -> SerialResult:
        _, reads = alone(self.query, tables)
        matched = tuple(tuple(filter(each.matches, tables[each.table])) for each in reads)
        return SerialResult(matched, tables)
