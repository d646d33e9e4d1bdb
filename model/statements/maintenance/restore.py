"""RESTORE TABLE t TO VERSION AS OF n: puts back the files of an earlier version."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from model.errors import StatementFailure
from model.expressions.syntax import TRUE
from model.history import PredicateRead, Row, RowChange, SerialResult
from model.physical.definition_change import metadata_change
from model.physical.files import DataFile, StoredRow
from model.physical.footprint import Footprint, MetadataChange, ProtocolChange
from model.physical.log import Snapshot
from model.scenario import LEVEL_PROPERTY
from model.statements.base import Execution, Rows, Statement, item_reads
from model.statements.idempotent import Skipped
from model.statements.overwrite import predicate_read
from model.tables.table import Identity, Table


@dataclass(frozen=True, slots=True)
class Restore(Statement):
    """Puts the rows and the definition of an earlier version back (RestoreTableCommand.scala).

    Logically it replaces the whole table by rows that the log determines. A row that comes back
    is a new version of the same row: the versions of a row follow the log, and in the log this
    commit comes after the one that deleted it. ``rows`` are the rows that come back, once known.

    Physically nothing counts as read, metadata and protocol are written even if they do not
    change, and the commit conflicts with any winner.
    """

    text: str
    table: Table
    version: int
    rows: tuple[Row, ...] | None = None

    restores = True

    @property
    def kind(self) -> str:
        return "RESTORE"

    @property
    def predicate_reads(self) -> tuple[PredicateRead, ...]:
        return (predicate_read(self.table, TRUE),)

    def execute(self, snapshot: Snapshot, writer: str, others: Rows) -> Execution:
        if self.version > snapshot.version:
            raise StatementFailure(
                "DELTA_CANNOT_RESTORE_TABLE_VERSION",
                f"version {self.version} is not among those of the table",
            )
        if self.version == snapshot.version:
            return Execution(Footprint("RESTORE"), resolved=Skipped(self.text, self.table))
        source = snapshot.at(self.version)
        adds = tuple(f for key, f in source.files.items() if key not in snapshot.files)
        removes = tuple(f for key, f in snapshot.files.items() if key not in source.files)
        after = restored(snapshot.table, source.table)
        footprint = Footprint(
            "RESTORE",
            adds=adds,
            removes=removes,
            metadata=_change(snapshot.table, after),
            protocol=ProtocolChange(added=after.features - snapshot.table.features),
            table=None if after == snapshot.table else after,
            next_version_only=True,
        )
        rows = tuple(row.values for row in source.stored())
        resolved = Restore(self.text, self.table, self.version, rows)
        reads = item_reads(self.table, snapshot.stored())
        changes = row_changes(self.table, rows_of(removes), rows_of(adds))
        return Execution(footprint, reads, changes, resolved=resolved)

    def effect(self, row: Row, tables: Rows) -> Row | None:
        return None

    def rerun(self, tables: Rows) -> SerialResult:
        name = self.table.name
        if self.rows is None:
            raise StatementFailure("UNKNOWN_VERSION", "which rows come back is not known")
        return SerialResult((tables[name],), {**tables, name: self.rows})


def restored(now: Table, then: Table) -> Table:
    """The definition that a RESTORE from ``now`` to ``then`` puts in force.

    Features stay, as readers of the versions in between need them (protocols are merged).
    """
    return replace(then, features=then.features | now.features, identities=merged_marks(then, now))


def merged_marks(source: Table, latest: Table) -> tuple[tuple[int, Identity], ...]:
    """The identity columns of ``source``, with marks that cover the values ``latest`` handed out.

    Source: IdentityColumn.scala, ``copySchemaWithMergedHighWaterMarks``.
    """
    marks = dict(latest.identities)
    merged = []
    for place, identity in source.identities:
        newest = marks.get(place)
        if newest is not None and newest.high_water is not None:
            identity = identity.covering((newest.high_water,))
        merged.append((place, identity))
    return tuple(merged)


def _change(now: Table, after: Table) -> MetadataChange:
    """The metadata action; returning to the level that the scenario declares sets that level."""
    if now.declared(LEVEL_PROPERTY) is None or after.declared(LEVEL_PROPERTY) is not None:
        return metadata_change(now, after)
    change = metadata_change(now.with_properties({}, (LEVEL_PROPERTY,)), after)
    return replace(change, properties=change.properties | {LEVEL_PROPERTY})


def rows_of(files: tuple[DataFile, ...]) -> Iterable[StoredRow]:
    """All rows of some files."""
    return (row for file in files for row in file.rows)


def row_changes(
    table: Table, removed: Iterable[StoredRow], added: Iterable[StoredRow]
) -> tuple[RowChange, ...]:
    """The row changes of replacing stored rows by others; both sides have identities.

    A version of a row that was only moved to another file is left alone.
    """
    before = {row.row: row for row in removed}
    after = {row.row: row for row in added}
    changes = []
    for identity in dict.fromkeys((*before, *after)):
        old, new = before.get(identity), after.get(identity)
        if old is None or new is None or (old.writer, old.values) != (new.writer, new.values):
            values = (None if row is None else row.values for row in (old, new))
            changes.append(RowChange(table.name, identity, *values))
    return tuple(changes)
