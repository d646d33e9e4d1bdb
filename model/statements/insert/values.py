"""INSERT INTO t VALUES ...: a blind append."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from model.history import ItemRead, PredicateRead, Row, RowChange, SerialResult
from model.physical.definition_change import metadata_change
from model.physical.files import DataFile, StoredRow, write_files
from model.physical.footprint import Footprint, ReadPredicate
from model.physical.log import Snapshot
from model.statements.base import Execution, Rows, Statement
from model.statements.insert.generated import hand_out
from model.tables.invariants import enforce
from model.tables.table import Table


@dataclass(frozen=True, slots=True)
class InsertValues(Statement):
    """Adds constant rows, already in the types of the table's columns.

    ``assigned`` are the places of the identity columns whose values the table hands out.
    ``after`` is the definition that schema evolution leads to; None stands for the table's own.
    """

    text: str
    table: Table
    rows: tuple[Row, ...]
    assigned: tuple[int, ...] = ()
    after: Table | None = None

    takes_number = True

    @property
    def kind(self) -> str:
        return "INSERT"

    @property
    def constant_rows(self) -> tuple[Row, ...]:
        return self.rows

    def definitions(self) -> tuple[Table, ...]:
        return evolution(self)

    @property
    def predicate_reads(self) -> tuple[PredicateRead, ...]:
        return ()

    def execute(self, snapshot: Snapshot, writer: str, others: Rows) -> Execution:
        return append(self, writer, (self.rows,))

    def rerun(self, tables: Rows) -> SerialResult:
        name = self.table.name
        return SerialResult((), {**tables, name: tables[name] + added(self, (self.rows,))})


class Appends(Protocol):
    """A statement that adds rows to its table."""

    @property
    def table(self) -> Table: ...

    @property
    def assigned(self) -> tuple[int, ...]: ...

    @property
    def after(self) -> Table | None: ...


def evolution(statement: Appends) -> tuple[Table, ...]:
    """The definition that schema evolution leads to; none if the columns stay."""
    after = statement.after
    return () if after is None or after == statement.table else (after,)


def added(statement: Appends, tasks: Sequence[Sequence[Row]]) -> tuple[Row, ...]:
    """The rows that a statement adds when run alone. Raises StatementFailure."""
    table = statement.after or statement.table
    if statement.assigned:
        tasks = hand_out(table, statement.assigned, tasks).tasks
    rows = tuple(row for task in tasks for row in task)
    if table.constrained:
        enforce(table, rows)
    return rows


def append(
    statement: Appends,
    writer: str,
    tasks: Iterable[Iterable[Row]],
    read_predicates: tuple[ReadPredicate, ...] = (),
    read_files: tuple[DataFile, ...] = (),
    items: tuple[ItemRead, ...] = (),
) -> Execution:
    """The execution that adds rows, each with a new identity, after the given reads.

    ``tasks`` has the rows by the task that writes them, each into files of its own. Raises
    StatementFailure if a row breaks a constraint.
    """
    before, assigned = statement.table, statement.assigned
    table = statement.after or before
    groups = tuple(tuple(rows) for rows in tasks)
    # Without rows nothing is written to any partition, so no high-water mark is noted; a table
    # without partitions still gets a file, which is left out afterwards.
    hands_out = assigned and (any(groups) or not table.partitions)
    handed = hand_out(table, assigned, groups) if hands_out else None
    metadata = None
    if handed is not None:
        groups, metadata = handed.tasks, handed.metadata
    after = table if handed is None else handed.table
    if table is not before and table != before:
        metadata = metadata_change(before, after)
    rows = [row for group in groups for row in group]
    stored = tuple(StoredRow((writer, i), writer, row) for i, row in enumerate(rows))
    if len(groups) == 1:
        adds = write_files(writer, table, stored)
    else:
        adds, start = (), 0
        for task, group in enumerate(groups):
            part = stored[start : start + len(group)]
            adds += write_files(f"{writer}-{task}", table, part)
            start += len(group)
    footprint = Footprint(
        "WRITE",
        read_predicates=read_predicates,
        read_files=read_files,
        adds=adds,
        records_empty=True,
        metadata=metadata,
        table=None if metadata is None else after,
    )
    changes = tuple(RowChange(table.name, row.row, None, row.values) for row in stored)
    return Execution(footprint, items, changes)
