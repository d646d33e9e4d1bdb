"""Idempotent writes, under an application's id and version: made once, however often tried.

The application is what Structured Streaming calls a query: it numbers its writes and retries one
when it does not know how it ended. The session settings ``spark.databricks.delta.write.
txnAppId`` and ``txnVersion`` give any write such a number.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from model.expressions.syntax import Expression
from model.history import PredicateRead, Row, SerialResult
from model.physical.footprint import Footprint
from model.physical.log import Snapshot
from model.queries.query import Query
from model.statements.base import Execution, LeavesRows, Rows, Statement
from model.tables.table import Table


@dataclass(frozen=True, slots=True)
class Idempotent(Statement):
    """``statement`` as write number ``version`` of ``application``.

    It is skipped if the snapshot has that number or a larger one. Because it depends on that
    number, it cannot commit after a write of the same application that it has not seen.
    """

    statement: Statement
    application: str
    version: int

    @property
    def kind(self) -> str:
        return self.statement.kind

    @property
    def text(self) -> str:
        return self.statement.text

    @property
    def table(self) -> Table:
        return self.statement.table

    @property
    def inner(self) -> Statement:
        return self.statement

    @property
    def conditions(self) -> tuple[Expression, ...]:
        return self.statement.conditions

    @property
    def subqueries(self) -> tuple[Query, ...]:
        return self.statement.subqueries

    @property
    def constant_rows(self) -> tuple[Row, ...]:
        return self.statement.constant_rows

    @property
    def violation(self) -> str:
        return self.statement.violation

    def definitions(self) -> tuple[Table, ...]:
        return self.statement.definitions()

    @property
    def predicate_reads(self) -> tuple[PredicateRead, ...]:
        return self.statement.predicate_reads

    def execute(self, snapshot: Snapshot, writer: str, others: Rows) -> Execution:
        written = snapshot.applications.get(self.application)
        if written is not None and written >= self.version:
            skipped = Skipped(self.text, self.table)
            return Execution(Footprint("WRITE"), resolved=skipped)
        execution = self.statement.execute(snapshot, writer, others)
        footprint = execution.footprint
        assert footprint is not None
        # A DELETE without a matching row does not record its number (DeleteCommand.scala).
        idle = footprint.operation == "DELETE" and not footprint.removes
        numbers = () if idle else ((self.application, self.version),)
        return replace(
            execution,
            footprint=replace(
                footprint,
                applications_read=frozenset({self.application}),
                applications_written=numbers,
            ),
        )

    def reads_on(self, tables: Rows) -> tuple[PredicateRead, ...]:
        return self.statement.reads_on(tables)

    def effect(self, row: Row, tables: Rows) -> Row | None:
        return self.statement.effect(row, tables)

    def rerun(self, tables: Rows) -> SerialResult:
        return self.statement.rerun(tables)


@dataclass(frozen=True, slots=True)
class Skipped(LeavesRows):
    """A statement that turned out to have nothing to do before it read any row."""

    text: str
    table: Table

    @property
    def kind(self) -> str:
        return "SKIPPED"

    def execute(self, snapshot: Snapshot, writer: str, others: Rows) -> Execution:
        return Execution(Footprint("WRITE"))
