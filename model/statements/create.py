"""CREATE TABLE for a new table, and [CREATE OR] REPLACE TABLE for one that exists."""

from __future__ import annotations

from dataclasses import dataclass, replace

from model.errors import StatementFailure
from model.expressions.syntax import TRUE
from model.history import PredicateRead, Row, RowChange, SerialResult
from model.physical.definition_change import metadata_change, protocol_change
from model.physical.files import DataFile, StoredRow, write_files
from model.physical.footprint import Footprint, ProtocolChange, ReadPredicate
from model.physical.log import Snapshot
from model.statements.alter.statement import CLUSTERING_DOMAIN
from model.statements.base import Execution, Rows, Statement, item_reads, live_files
from model.statements.insert.select import InsertSelect
from model.statements.overwrite import alone, predicate_read
from model.tables.table import Table

NOT_EMPTY = "DELTA_CREATE_TABLE_WITH_NON_EMPTY_LOCATION"
"""The engine's error class if the new table's folder is not empty."""

EXISTS = "TABLE_OR_VIEW_ALREADY_EXISTS"
"""Spark's error class if there is already a table of that name."""


@dataclass(frozen=True, slots=True)
class CreateTable(Statement):
    """Makes the table: version 0 has its metadata and its protocol, and the rows of AS SELECT.

    ``table`` is the table that does not exist yet, ``after`` its future definition. The winner of
    a race writes the protocol, so the loser fails because the protocol changed. ``unless`` is IF
    NOT EXISTS, ``replaces`` OR REPLACE, which with AS SELECT notes the whole table as read
    although there is none; every other creation is a blind append. Without AS SELECT the folder
    has to be empty (CreateDeltaTableCommand.scala, ``assertPathEmpty``).
    """

    text: str
    table: Table
    operation: str
    after: Table
    inserts: InsertSelect | None = None
    unless: bool = False
    replaces: bool = False

    @property
    def kind(self) -> str:
        return "CREATE TABLE"

    @property
    def litters(self) -> bool:
        """AS SELECT makes the folder of the log before it writes a file, and leaves it behind.

        It does so even if it fails (WriteIntoDelta.scala, ``createLogDirectoriesIfNotExists``).
        """
        return self.inserts is not None

    def definitions(self) -> tuple[Table, ...]:
        return (self.after,)

    @property
    def predicate_reads(self) -> tuple[PredicateRead, ...]:
        """The reads of its SELECT, and that the table is empty so far."""
        selected = self.inserts.predicate_reads if self.inserts is not None else ()
        return (predicate_read(self.table, TRUE), *selected)

    def execute(self, snapshot: Snapshot, writer: str, others: Rows) -> Execution:
        coming = Execution(Footprint(self.operation))
        if self.inserts is not None:
            coming = self.inserts.execute(snapshot, writer, others)
        elif snapshot.littered:
            raise StatementFailure(
                NOT_EMPTY, f"the folder of {self.table.name} has files of another statement"
            )
        assert coming.footprint is not None
        # Metadata has the time of its creation, so no two commits write the same.
        after = replace(self.after, created=f"by {writer} after version {snapshot.version}")
        overwrites = self.replaces and self.inserts is not None
        footprint = replace(
            coming.footprint,
            operation=self.operation,
            read_predicates=(ReadPredicate(),) if overwrites else (),
            metadata=metadata_change(self.table, after),
            protocol=ProtocolChange(added=after.features),
            domains=frozenset({CLUSTERING_DOMAIN}) if after.clustering else frozenset(),
            table=after,
        )
        reads = coming.predicate_reads
        if reads is not None:
            reads = (predicate_read(self.table, TRUE), *reads)
        return Execution(footprint, coming.item_reads, coming.changes, predicate_reads=reads)

    def reads_on(self, tables: Rows) -> tuple[PredicateRead, ...]:
        selected = self.inserts.reads_on(tables) if self.inserts is not None else ()
        return (predicate_read(self.table, TRUE), *selected)

    def rerun(self, tables: Rows) -> SerialResult:
        name = self.table.name
        there = tables[name]
        if there and self.unless:
            return SerialResult((there, *(() for _ in self.predicate_reads[1:])), tables)
        if there and not self.replaces:
            raise StatementFailure(EXISTS, f"table {name} already exists")
        added: tuple[Row, ...] = ()
        reads: tuple[tuple[Row, ...], ...] = ()
        if self.inserts is not None:
            added, reads = alone(self.inserts, {**tables, name: ()})
        return SerialResult((there, *reads), {**tables, name: added})


@dataclass(frozen=True, slots=True)
class ReplaceTable(Statement):
    """Puts the definition ``after`` in force and removes every row.

    ``inserts`` has the rows of AS SELECT, computed over the old table; None without AS SELECT.
    The history of the table goes on, so this is a transaction like others: it reads the whole
    table, and others conflict with its metadata. Properties, including the isolation level, do
    not survive, and the commit is checked at the level that it leaves behind.
    """

    text: str
    table: Table
    operation: str
    after: Table
    inserts: InsertSelect | None = None

    @property
    def kind(self) -> str:
        return "REPLACE TABLE"

    def definitions(self) -> tuple[Table, ...]:
        return (self.after,)

    @property
    def predicate_reads(self) -> tuple[PredicateRead, ...]:
        selected = self.inserts.predicate_reads if self.inserts is not None else ()
        return (predicate_read(self.table, TRUE), *selected)

    @property
    def _domains(self) -> frozenset[str]:
        """The metadata domain of clustering columns, if either definition has some."""
        clustered = self.table.clustering or self.after.clustering
        return frozenset({CLUSTERING_DOMAIN} if clustered else ())

    def execute(self, snapshot: Snapshot, writer: str, others: Rows) -> Execution:
        rows, files = tuple(snapshot.stored()), live_files(snapshot)
        coming = Execution(Footprint(self.operation))
        if self.inserts is not None:
            coming = self.inserts.execute(snapshot, writer, others)
        assert coming.footprint is not None
        # Metadata has the time of its creation, so no two commits write the same.
        after = replace(self.after, created=f"by {writer} after version {snapshot.version}")
        # The rows are not grouped by partition: one file for each task that has some.
        tasks = [
            [StoredRow(row.row, writer, self.after.stored(row.values)) for row in file.rows]
            for file in coming.footprint.adds
        ]
        written: tuple[DataFile, ...] = ()
        for number, task in enumerate(tasks):
            written += write_files(f"{writer}-{number}", self.after, task)
        added = [row for task in tasks for row in task]
        footprint = replace(
            coming.footprint,
            operation=self.operation,
            read_predicates=(*coming.footprint.read_predicates, ReadPredicate()),
            read_files=files,
            adds=written,
            removes=files,
            metadata=metadata_change(self.table, after),
            protocol=protocol_change(self.table, after),
            domains=self._domains,
            table=after,
        )
        changes = [RowChange(self.table.name, row.row, row.values, None) for row in rows]
        changes += [RowChange(self.table.name, row.row, None, row.values) for row in added]
        reads = coming.predicate_reads
        if reads is not None:
            reads = (predicate_read(self.table, TRUE), *reads)
        items = item_reads(self.table, rows)
        return Execution(footprint, items, tuple(changes), predicate_reads=reads)

    def reads_on(self, tables: Rows) -> tuple[PredicateRead, ...]:
        selected = self.inserts.reads_on(tables) if self.inserts is not None else ()
        return (predicate_read(self.table, TRUE), *selected)

    def effect(self, row: Row, tables: Rows) -> Row | None:
        return None

    def rerun(self, tables: Rows) -> SerialResult:
        name = self.table.name
        added: tuple[Row, ...] = ()
        reads: tuple[tuple[Row, ...], ...] = ()
        if self.inserts is not None:
            added, reads = alone(self.inserts, tables)
        after = tuple(map(self.after.stored, added))
        return SerialResult((tables[name], *reads), {**tables, name: after})
