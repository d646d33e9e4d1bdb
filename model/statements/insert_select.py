"""INSERT INTO t SELECT ...: an append that may read its own table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from model import types
from model.evaluation import matcher
from model.files import DataFile
from model.footprint import ReadPredicate
from model.history import ItemRead, PredicateRead, Row, SerialResult
from model.log import Snapshot
from model.query import Query
from model.skipping import scan, split_filter
from model.statements.base import Execution, Rows, item_reads, live_files
from model.statements.generated import filled
from model.statements.insert_values import added, append
from model.table import Table


@dataclass(frozen=True, slots=True)
class InsertSelect:
    """Adds the rows of a query over the target or over another table.

    ``positions`` gives for each output of the query the column that it goes to; the other
    columns are NULL, generated, or (those at ``assigned``) handed out by the table. ``after`` is
    the definition that schema evolution leads to; None stands for the table's own.
    """

    text: str
    table: Table
    query: Query
    positions: tuple[int, ...]
    assigned: tuple[int, ...] = ()
    after: Table | None = None

    @property
    def kind(self) -> str:
        return "INSERT SELECT"

    @property
    def predicate_reads(self) -> tuple[PredicateRead, ...]:
        return (self.query.predicate_read,)

    def execute(self, snapshot: Snapshot, writer: str, others: Rows) -> Execution:
        if self.query.table != self.table.name:
            matching = self.query.matching(others[self.query.table])
            return self._append(writer, self._stored(self.query.result(matching)))
        predicate = split_filter(self.query.condition, self.table)
        if predicate is None:
            return self._append(writer, self._stored(self.query.result(())))
        files = scan(predicate, live_files(snapshot), self.table)
        matches = matcher(self.query.condition)
        if self.assigned:
            # One task reads the largest file first, as far as the number of rows tells the size;
            # among equals the order is nobody's to know (FilePartition.scala).
            files = tuple(sorted(files, key=lambda file: -file.records))
        rows = [row for file in files for row in file.rows if matches(row.values)]
        stored = self._stored(self.query.result(row.values for row in rows))
        items = item_reads(self.table, rows)
        return self._append(writer, stored, (predicate,), files, items)

    def effect(self, row: Row, tables: Rows) -> Row | None:
        return row

    def rerun(self, tables: Rows) -> SerialResult:
        matching = self.query.matching(tables[self.query.table])
        stored = self._stored(self.query.result(matching))
        name = self.table.name
        return SerialResult((matching,), {**tables, name: tables[name] + added(self, stored)})

    def _append(
        self,
        writer: str,
        rows: tuple[Row, ...],
        read_predicates: tuple[ReadPredicate, ...] = (),
        read_files: tuple[DataFile, ...] = (),
        items: tuple[ItemRead, ...] = (),
    ) -> Execution:
        return append(self, writer, rows, read_predicates, read_files, items)

    def _stored(self, outputs: Iterable[Row]) -> tuple[Row, ...]:
        rows = []
        table, given = self.after or self.table, frozenset(self.positions)
        for output in outputs:
            row: list[object] = [None] * len(table.names)
            for position, value in zip(self.positions, output, strict=True):
                row[position] = types.store(value, table.types[position])
            rows.append(table.stored(filled(table, tuple(row), given)))
        return tuple(rows)
