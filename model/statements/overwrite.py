"""INSERT OVERWRITE and INSERT INTO ... REPLACE WHERE: rows replaced by others in one commit."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TypeVar

from model.errors import StatementFailure
from model.expressions import syntax as expressions
from model.expressions.evaluation import matcher
from model.expressions.simplification.shape import FALSE
from model.expressions.syntax import Column, Comparison, Expression, Literal, Or
from model.history import PredicateRead, Row, RowChange, SerialResult
from model.physical.files import DataFile, StoredRow, recorded, write_files
from model.physical.footprint import ReadPredicate
from model.physical.log import Snapshot
from model.statements.base import Execution, Rows, Statement, item_reads, live_files
from model.statements.insert.select import InsertSelect
from model.statements.insert.values import InsertValues
from model.statements.rewrite import remains, select
from model.tables.invariants import NULL_VIOLATED, VIOLATED
from model.tables.table import Table

MISMATCH = "DELTA_REPLACE_WHERE_MISMATCH"
"""The engine's error class for a new row outside the condition (WriteIntoDelta.scala)."""

T = TypeVar("T")

Inserts = InsertValues | InsertSelect


@dataclass(frozen=True, slots=True)
class Overwrite(Statement):
    """Replaces the rows that meet a condition, TRUE for the whole table, by those of an INSERT.

    ``by_condition`` tells REPLACE WHERE from INSERT OVERWRITE; with ``checked`` each new row has
    to meet the condition as well. ``refused`` is the error class if the engine does not accept
    the condition.
    """

    text: str
    table: Table
    inserts: Inserts
    replaced: Expression
    by_condition: bool = False
    checked: bool = False
    refused: str | None = None

    takes_number = True

    @property
    def kind(self) -> str:
        return "REPLACE WHERE" if self.by_condition else "INSERT OVERWRITE"

    @property
    def conditions(self) -> tuple[Expression, ...]:
        return (self.replaced, *self.inserts.conditions)

    @property
    def violation(self) -> str:
        """New rows have to meet the condition of REPLACE WHERE, too."""
        return MISMATCH if self.by_condition else self.inserts.violation

    def definitions(self) -> tuple[Table, ...]:
        return self.inserts.definitions()

    @property
    def predicate_reads(self) -> tuple[PredicateRead, ...]:
        return (predicate_read(self.table, self.replaced), *self.inserts.predicate_reads)

    def execute(self, snapshot: Snapshot, writer: str, others: Rows) -> Execution:
        if self.refused is not None:
            raise StatementFailure(
                self.refused, f"{self._where} cannot be a REPLACE WHERE condition"
            )
        inserted = self._inserted(lambda: self.inserts.execute(snapshot, writer, others))
        self._check(change.after for change in inserted.changes if change.after is not None)
        target = select(snapshot, self.table, self.replaced)
        matches = matcher(self.replaced)

        def taken(row: StoredRow) -> bool:
            return matches(row.values)

        left = remains(self.table, target.touched, taken, writer)
        # New rows and the rows left of old files never share a file.
        copied = write_files(f"{writer}-kept", self.table, left.copied, recording=True)
        if copied and inserted.footprint is not None:
            adds = recorded(inserted.footprint.adds, self.table)
            inserted = replace(inserted, footprint=replace(inserted.footprint, adds=adds))
        execution = replacing(
            self.table,
            inserted,
            target.predicate,
            target.read,
            target.touched,
            target.matching,
            (*left.marked, *copied),
            ()
            if expressions.columns(self.replaced) <= self.table.partition_columns
            else target.read,
        )
        return _with_reads(execution, inserted, predicate_read(self.table, self.replaced))

    def reads_on(self, tables: Rows) -> tuple[PredicateRead, ...]:
        return (predicate_read(self.table, self.replaced), *self.inserts.reads_on(tables))

    def effect(self, row: Row, tables: Rows) -> Row | None:
        return None if matcher(self.replaced)(row) else row

    def rerun(self, tables: Rows) -> SerialResult:
        added, reads = self._inserted(lambda: alone(self.inserts, tables))
        self._check(added)
        return exchange(self.table.name, tables, self.replaced, added, reads)

    def _inserted(self, run: Callable[[], T]) -> T:
        """The INSERT's execution. A broken constraint is reported as a row outside the condition.

        Source: WriteIntoDelta.scala, which checks the condition as one constraint among others
        and takes any violation for a violation of the condition.
        """
        try:
            return run()
        except StatementFailure as error:
            if self.checked and error.error_class in (VIOLATED, NULL_VIOLATED):
                raise StatementFailure(MISMATCH, str(error)) from error
            raise

    def _check(self, added: Iterable[Row]) -> None:
        """Raises StatementFailure for a new row that does not meet the condition."""
        if self.checked and not all(map(matcher(self.replaced), added)):
            raise StatementFailure(MISMATCH, f"a new row does not meet {self._where}")

    @property
    def _where(self) -> str:
        return expressions.sql(self.replaced)


@dataclass(frozen=True, slots=True)
class DynamicOverwrite(Statement):
    """Replaces the partitions that the rows of an INSERT are in (partitionOverwriteMode).

    ``written`` is the condition of being in those partitions once the rows are known; before
    that, the statement may replace any row.
    """

    text: str
    table: Table
    inserts: Inserts
    written: Expression | None = None

    takes_number = True

    @property
    def kind(self) -> str:
        return "INSERT OVERWRITE"

    @property
    def conditions(self) -> tuple[Expression, ...]:
        return self.inserts.conditions

    def definitions(self) -> tuple[Table, ...]:
        return self.inserts.definitions()

    @property
    def predicate_reads(self) -> tuple[PredicateRead, ...]:
        condition = expressions.TRUE if self.written is None else self.written
        return (predicate_read(self.table, condition), *self.inserts.predicate_reads)

    def execute(self, snapshot: Snapshot, writer: str, others: Rows) -> Execution:
        inserted = self.inserts.execute(snapshot, writer, others)
        assert inserted.footprint is not None
        written = {file.partition for file in inserted.footprint.adds}
        condition = partitions_of(
            tuple(file.rows[0].values for file in inserted.footprint.adds), self.table
        )
        # The engine chooses the files by partition values and notes none of them as read.
        gone = tuple(file for file in live_files(snapshot) if file.partition in written)
        leaving = tuple(row for file in gone for row in file.rows)
        predicate = ReadPredicate(condition)
        execution = replacing(self.table, inserted, predicate, (), gone, leaving, ())
        execution = _with_reads(execution, inserted, predicate_read(self.table, condition))
        return replace(execution, resolved=replace(self, written=condition))

    def reads_on(self, tables: Rows) -> tuple[PredicateRead, ...]:
        condition = expressions.TRUE if self.written is None else self.written
        return (predicate_read(self.table, condition), *self.inserts.reads_on(tables))

    def effect(self, row: Row, tables: Rows) -> Row | None:
        added, _ = alone(self.inserts, tables)
        return None if matcher(partitions_of(added, self.table))(row) else row

    def rerun(self, tables: Rows) -> SerialResult:
        added, reads = alone(self.inserts, tables)
        condition = partitions_of(added, self.table)
        return exchange(self.table.name, tables, condition, added, reads)


def replacing(
    table: Table,
    inserted: Execution,
    predicate: ReadPredicate,
    read: tuple[DataFile, ...],
    gone: tuple[DataFile, ...],
    leaving: tuple[StoredRow, ...],
    kept: tuple[DataFile, ...],
    opened: tuple[DataFile, ...] = (),
) -> Execution:
    """The execution of an INSERT that also removes the rows ``leaving`` and the files ``gone``.

    ``predicate`` and ``read`` are the reads by which it locates them, ``kept`` the files with
    the rows that stay; ``opened`` are the files that have to be opened for that.
    """
    coming = inserted.footprint
    assert coming is not None
    read_keys = {file.key for file in read}
    footprint = replace(
        coming,
        read_predicates=(*coming.read_predicates, predicate),
        read_files=(*read, *(file for file in coming.read_files if file.key not in read_keys)),
        adds=(*coming.adds, *kept),
        removes=gone,
    )
    rows = {row.row for row in leaving}
    reads = item_reads(table, leaving)
    reads += tuple(item for item in inserted.item_reads if item.row not in rows)
    changes = tuple(RowChange(table.name, row.row, row.values, None) for row in leaving)
    scanned = (*inserted.opened, *opened)
    return Execution(footprint, reads, (*changes, *inserted.changes), scanned=scanned)


def _with_reads(execution: Execution, inserted: Execution, own: PredicateRead) -> Execution:
    """The execution with its predicate reads, if the INSERT reads less than its scans."""
    if inserted.predicate_reads is None:
        return execution
    return replace(execution, predicate_reads=(own, *inserted.predicate_reads))


def predicate_read(table: Table, condition: Expression) -> PredicateRead:
    """The read of the rows that a statement replaces."""
    return PredicateRead(table.name, expressions.sql(condition), matcher(condition))


def alone(inserts: Inserts, tables: Rows) -> tuple[tuple[Row, ...], tuple[tuple[Row, ...], ...]]:
    """The rows that an INSERT alone adds to the tables, and those that it reads."""
    name = inserts.table.name
    result = inserts.rerun(tables)
    return result.tables[name][len(tables[name]) :], result.reads


def exchange(
    name: str,
    tables: Rows,
    condition: Expression,
    added: tuple[Row, ...],
    reads: tuple[tuple[Row, ...], ...],
) -> SerialResult:
    """The tables with the rows that meet a condition replaced by others."""
    matches = matcher(condition)
    rows = [(row, matches(row)) for row in tables[name]]
    leaving = tuple(row for row, match in rows if match)
    staying = tuple(row for row, match in rows if not match)
    return SerialResult((leaving, *reads), {**tables, name: staying + added})


def partitions_of(rows: Iterable[Row], table: Table) -> Expression:
    """The condition of being in a partition of one of the rows."""
    partitions = dict.fromkeys(tuple(row[place] for place in table.partitions) for row in rows)
    columns = [Column(place, table.names[place], table.types[place]) for place in table.partitions]
    condition: Expression | None = None
    for values in partitions:
        parts: list[Expression] = [
            Comparison("<=>", column, Literal(value, column.type))
            for column, value in zip(columns, values, strict=True)
        ]
        here = expressions.conjunction(tuple(parts))
        condition = here if condition is None else Or(condition, here)
    return FALSE if condition is None else condition
