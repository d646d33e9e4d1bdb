"""INSERT INTO t SELECT ...: an append that may read its own table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from model.history import Row, SerialResult
from model.physical.log import Snapshot
from model.queries import Relation, alone
from model.queries.relation import Branches
from model.statements.base import Execution, Rows
from model.statements.insert.generated import filled
from model.statements.insert.values import added, append, evolution
from model.statements.select import ReadsByQuery, read
from model.tables.table import Table
from model.values import types


@dataclass(frozen=True, slots=True)
class InsertSelect(ReadsByQuery):
    """Adds the rows of a query over the target, over other tables, or over none.

    ``positions`` gives for each output of the query the column that it goes to; the other
    columns are NULL, generated, or (those at ``assigned``) handed out by the table. ``after`` is
    the definition that schema evolution leads to; None stands for the table's own.
    """

    text: str
    table: Table
    query: Relation
    positions: tuple[int, ...]
    assigned: tuple[int, ...] = ()
    after: Table | None = None

    takes_number = True

    @property
    def kind(self) -> str:
        return "INSERT SELECT"

    def definitions(self) -> tuple[Table, ...]:
        return evolution(self)

    def execute(self, snapshot: Snapshot, writer: str, others: Rows) -> Execution:
        # Identity values are assigned in the order in which one task reads: largest file first.
        done = read(self.query, self.table, snapshot, others, largest_first=bool(self.assigned))
        items, reads = done.logical(self.query, self.table)
        tasks = self._stored(self.query.branches(done.inputs))
        execution = append(self, writer, tasks, done.predicates, done.files, items)
        return execution if reads is None else replace(execution, predicate_reads=reads)

    def rerun(self, tables: Rows) -> SerialResult:
        branches, reads = alone(self.query, tables)
        stored = self._stored(branches)
        name = self.table.name
        matched = tuple(tuple(filter(read.matches, tables[read.table])) for read in reads)
        return SerialResult(matched, {**tables, name: tables[name] + added(self, stored)})

    def _stored(self, branches: Branches) -> Branches:
        return tuple(tuple(self._as_stored(branch)) for branch in branches)

    def _as_stored(self, outputs: Iterable[Row]) -> Iterable[Row]:
        table, given = self.after or self.table, frozenset(self.positions)
        for output in outputs:
            row: list[object] = [None] * len(table.names)
            for position, value in zip(self.positions, output, strict=True):
                row[position] = types.store(value, table.types[position])
            yield table.stored(filled(table, tuple(row), given))
