"""TRUNCATE TABLE t: every row leaves, with no look at what is in the files."""

from __future__ import annotations

from dataclasses import dataclass

from model.expressions.syntax import TRUE
from model.history import PredicateRead, Row, RowChange, SerialResult
from model.physical.footprint import Footprint, ReadPredicate
from model.physical.log import Snapshot
from model.statements.base import Execution, Rows, item_reads, live_files
from model.statements.overwrite import predicate_read
from model.tables.table import Table


@dataclass(frozen=True, slots=True)
class Truncate:
    """Removes all files. On an empty table it starts no transaction, at any level."""

    text: str
    table: Table

    @property
    def kind(self) -> str:
        return "TRUNCATE"

    @property
    def predicate_reads(self) -> tuple[PredicateRead, ...]:
        return (predicate_read(self.table, TRUE),)

    def execute(self, snapshot: Snapshot, writer: str, others: Rows) -> Execution:
        files, rows = live_files(snapshot), tuple(snapshot.stored())
        footprint = Footprint(
            "TRUNCATE", read_predicates=(ReadPredicate(),), read_files=files, removes=files
        )
        changes = tuple(RowChange(self.table.name, row.row, row.values, None) for row in rows)
        return Execution(footprint, item_reads(self.table, rows), changes, scanned=())

    def effect(self, row: Row, tables: Rows) -> Row | None:
        return None

    def rerun(self, tables: Rows) -> SerialResult:
        return SerialResult((tables[self.table.name],), {**tables, self.table.name: ()})
