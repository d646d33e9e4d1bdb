"""INSERT INTO t VALUES ...: a blind append."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from model.files import DataFile, StoredRow, write_files
from model.footprint import Footprint, ReadPredicate
from model.history import ItemRead, PredicateRead, Row, RowChange, SerialResult
from model.log import Snapshot
from model.statements.base import Execution, Rows
from model.table import Table


@dataclass(frozen=True, slots=True)
class InsertValues:
    """Adds constant rows, already in the types of the table's columns."""

    text: str
    table: Table
    rows: tuple[Row, ...]

    @property
    def kind(self) -> str:
        return "INSERT"

    @property
    def predicate_reads(self) -> tuple[PredicateRead, ...]:
        return ()

    def execute(self, snapshot: Snapshot, writer: str, others: Rows) -> Execution:
        return append(self.table, writer, self.rows)

    def effect(self, row: Row, tables: Rows) -> Row | None:
        return row

    def rerun(self, tables: Rows) -> SerialResult:
        name = self.table.name
        return SerialResult((), {**tables, name: tables[name] + self.rows})


def append(
    table: Table,
    writer: str,
    rows: Iterable[Row],
    read_predicates: tuple[ReadPredicate, ...] = (),
    read_files: tuple[DataFile, ...] = (),
    items: tuple[ItemRead, ...] = (),
) -> Execution:
    """The execution that adds ``rows``, each a row of its own, after the given reads."""
    stored = tuple(StoredRow((writer, i), writer, row) for i, row in enumerate(rows))
    footprint = Footprint(
        "WRITE",
        read_predicates=read_predicates,
        read_files=read_files,
        adds=write_files(writer, table, stored),
        records_empty=True,
    )
    changes = tuple(RowChange(table.name, row.row, None, row.values) for row in stored)
    return Execution(footprint, items, changes)
