"""DELETE FROM t [WHERE ...], and TRUNCATE TABLE t, which does not read the files."""

from __future__ import annotations

from dataclasses import dataclass

from model.expressions import syntax as expressions
from model.expressions.evaluation import matcher
from model.expressions.syntax import TRUE, Expression
from model.history import PredicateRead, Row, RowChange, SerialResult
from model.physical.files import write_files
from model.physical.footprint import Footprint, ReadPredicate
from model.physical.log import Snapshot
from model.statements.base import Execution, Rows, Statement, item_reads, live_files
from model.statements.overwrite import predicate_read
from model.statements.rewrite import remains, select, test_of
from model.tables.table import Table


@dataclass(frozen=True, slots=True)
class Delete(Statement):
    """Removes the rows that match: their files are rewritten, or get deletion vectors."""

    text: str
    table: Table
    condition: Expression

    takes_number = True

    @property
    def kind(self) -> str:
        return "DELETE"

    @property
    def conditions(self) -> tuple[Expression, ...]:
        return (self.condition,)

    @property
    def predicate_reads(self) -> tuple[PredicateRead, ...]:
        return (
            PredicateRead(
                self.table.name,
                expressions.sql(self.condition),
                test_of(self.condition, self.table),
            ),
        )

    def execute(self, snapshot: Snapshot, writer: str, others: Rows) -> Execution:
        target = select(snapshot, self.table, self.condition)
        matches = matcher(self.condition)
        left = remains(self.table, target.touched, lambda row: matches(row.values), writer)
        footprint = Footprint(
            "DELETE",
            read_predicates=(target.predicate,),
            read_files=target.read,
            adds=(*left.marked, *write_files(writer, self.table, left.copied, recording=True)),
            removes=target.touched,
            records_empty=True,
        )
        changes = tuple(
            RowChange(self.table.name, row.row, row.values, None) for row in target.matching
        )
        # Whole files are removed going by partition values: none has to be opened.
        by_partition = expressions.columns(self.condition) <= self.table.partition_columns
        return Execution(
            footprint,
            item_reads(self.table, target.matching),
            changes,
            scanned=() if by_partition else None,
        )

    def effect(self, row: Row, tables: Rows) -> Row | None:
        return None if test_of(self.condition, self.table)(row) else row

    def rerun(self, tables: Rows) -> SerialResult:
        name, matches = self.table.name, test_of(self.condition, self.table)
        rows = [(row, matches(row)) for row in tables[name]]
        read = tuple(row for row, match in rows if match)
        left = tuple(row for row, match in rows if not match)
        return SerialResult((read,), {**tables, name: left})


@dataclass(frozen=True, slots=True)
class Truncate(Statement):
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
