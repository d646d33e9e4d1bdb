"""SELECT ...: a reader. It sees its snapshot and writes nothing."""

from __future__ import annotations

from dataclasses import dataclass

from model.evaluation import matcher
from model.history import PredicateRead, Row, SerialResult
from model.log import Snapshot
from model.query import Query
from model.skipping import scan, split_filter
from model.statements.base import Execution, Rows, item_reads, live_files
from model.table import Table


@dataclass(frozen=True, slots=True)
class Select:
    """Returns the rows of a query over the target, or over another table."""

    text: str
    table: Table
    query: Query

    @property
    def kind(self) -> str:
        return "SELECT"

    @property
    def predicate_reads(self) -> tuple[PredicateRead, ...]:
        return (self.query.predicate_read,)

    def execute(self, snapshot: Snapshot, writer: str, others: Rows) -> Execution:
        if self.query.table != self.table.name:
            matching = self.query.matching(others[self.query.table])
            return Execution(None, result=self.query.result(matching))
        predicate = split_filter(self.query.condition, self.table)
        files = () if predicate is None else scan(predicate, live_files(snapshot), self.table)
        matches = matcher(self.query.condition)
        # Rows of files that are skipped are not looked at, so a condition cannot fail on them.
        rows = [row for file in files for row in file.rows if matches(row.values)]
        result = self.query.result(row.values for row in rows)
        return Execution(None, item_reads(self.table, rows), result=result)

    def effect(self, row: Row, tables: Rows) -> Row | None:
        return row

    def rerun(self, tables: Rows) -> SerialResult:
        matching = self.query.matching(tables[self.query.table])
        self.query.result(matching)
        return SerialResult((matching,), tables)
