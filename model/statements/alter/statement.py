"""ALTER TABLE and similar statements, which change a table's definition and no row."""

from __future__ import annotations

from dataclasses import dataclass, replace

from model.errors import StatementFailure
from model.expressions import syntax as expressions
from model.expressions.evaluation import matcher
from model.expressions.syntax import TRUE, Expression, IsNull, Not, Or
from model.history import PredicateRead, Row, SerialResult
from model.physical.definition_change import metadata_change, protocol_change
from model.physical.footprint import Footprint, MetadataChange, ReadPredicate
from model.physical.log import Snapshot
from model.statements.base import Execution, LeavesRows, Rows, item_reads, live_files
from model.tables.table import Table

CLUSTERING_DOMAIN = "delta.clustering"

NEW_CONSTRAINT_VIOLATED = "DELTA_NEW_CHECK_CONSTRAINT_VIOLATION"
"""The engine's error class for a new constraint that rows of the table break."""

WHOLE_TABLE = ReadPredicate(TRUE, TRUE)


@dataclass(frozen=True, slots=True)
class AlterTable(LeavesRows):
    """Puts the definition ``after`` in force, in a commit called ``operation``.

    Such a commit holds a metadata action even if nothing changes, and a protocol action if the
    features change. ``metadata`` is False for one that only writes ``domains``; with neither,
    the statement writes no version. It reads nothing, so it counts as a blind append.
    """

    text: str
    table: Table
    operation: str
    after: Table
    metadata: bool = True
    domains: frozenset[str] = frozenset()

    @property
    def kind(self) -> str:
        return "ALTER TABLE"

    def definitions(self) -> tuple[Table, ...]:
        return (self.after,)

    def execute(self, snapshot: Snapshot, writer: str, others: Rows) -> Execution:
        return Execution(
            Footprint(
                self.operation,
                data_changed=False,
                metadata=metadata_change(self.table, self.after) if self.metadata else None,
                protocol=protocol_change(self.table, self.after),
                domains=self.domains,
                table=self.after,
            )
        )


@dataclass(frozen=True, slots=True)
class AddConstraint(LeavesRows):
    """ADD CONSTRAINT name CHECK (condition): reads every row, and fails if one breaks it.

    Logically it reads the rows that break the constraint; physically the whole table.
    """

    text: str
    table: Table
    name: str
    condition: Expression
    after: Table

    @property
    def kind(self) -> str:
        return "ALTER TABLE"

    @property
    def violation(self) -> str:
        return NEW_CONSTRAINT_VIOLATED

    def definitions(self) -> tuple[Table, ...]:
        return (self.after,)

    @property
    def predicate_reads(self) -> tuple[PredicateRead, ...]:
        broken = self._broken
        return (PredicateRead(self.table.name, expressions.sql(broken), matcher(broken)),)

    @property
    def _broken(self) -> Expression:
        return Or(Not(self.condition), IsNull(self.condition))

    def execute(self, snapshot: Snapshot, writer: str, others: Rows) -> Execution:
        self._check(snapshot.rows())
        footprint = Footprint(
            "ADD CONSTRAINT",
            read_predicates=(WHOLE_TABLE,),
            read_files=live_files(snapshot),
            data_changed=False,
            metadata=metadata_change(self.table, self.after),
            protocol=protocol_change(self.table, self.after),
            table=self.after,
        )
        return Execution(footprint)

    def rerun(self, tables: Rows) -> SerialResult:
        self._check(tables[self.table.name])
        return SerialResult(((),), tables)

    def _check(self, rows: tuple[Row, ...]) -> None:
        holds = matcher(self.condition)
        broken = [row for row in rows if not holds(row)]
        if broken:
            raise StatementFailure(NEW_CONSTRAINT_VIOLATED, f"{len(broken)} rows break {self.name}")


@dataclass(frozen=True, slots=True)
class SyncIdentity(LeavesRows):
    """ALTER COLUMN ... SYNC IDENTITY: raises the high-water mark to cover all existing values.

    It reads the whole table, and its commit is marked as changing identity values alone.
    """

    text: str
    table: Table
    place: int

    @property
    def kind(self) -> str:
        return "ALTER TABLE"

    def definitions(self) -> tuple[Table, ...]:
        """The same definition with another mark."""
        return (self.table,)

    @property
    def predicate_reads(self) -> tuple[PredicateRead, ...]:
        return (PredicateRead(self.table.name, "TRUE", matcher(TRUE)),)

    def execute(self, snapshot: Snapshot, writer: str, others: Rows) -> Execution:
        values = [v for row in snapshot.rows() if isinstance(v := row[self.place], int)]
        identities = {
            place: identity.covering(values) if place == self.place else identity
            for place, identity in self.table.identities
        }
        after = replace(self.table, identities=tuple(identities.items()))
        moved = after.identities != self.table.identities
        footprint = Footprint(
            "CHANGE COLUMN",
            read_predicates=(WHOLE_TABLE,),
            read_files=live_files(snapshot),
            read_whole_table=True,
            data_changed=False,
            metadata=MetadataChange(identity_only=True, schema_changed=moved),
            table=after,
        )
        return Execution(footprint, item_reads(self.table, snapshot.stored()))

    def rerun(self, tables: Rows) -> SerialResult:
        return SerialResult((tables[self.table.name],), tables)


@dataclass(frozen=True, slots=True)
class Refused(LeavesRows):
    """A statement that fails with ``error_class`` whenever it runs on this definition."""

    text: str
    table: Table
    kind: str
    error_class: str
    message: str

    @property
    def fails(self) -> bool:
        return True

    def execute(self, snapshot: Snapshot, writer: str, others: Rows) -> Execution:
        raise StatementFailure(self.error_class, self.message)

    def rerun(self, tables: Rows) -> SerialResult:
        raise StatementFailure(self.error_class, self.message)
