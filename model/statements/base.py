"""What every statement offers: a run on a snapshot, and a run alone on plain rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from model.history import ItemRead, PredicateRead, Row, RowChange, SerialResult
from model.physical.files import DataFile, StoredRow
from model.physical.footprint import Footprint
from model.physical.log import Snapshot
from model.tables.table import Table

Rows = Mapping[str, tuple[Row, ...]]
"""Rows of every table, by its name."""

Later = Callable[[Snapshot], Footprint | None]
"""A commit that a statement makes after another one: its footprint on the snapshot that it
finds then, None where there is nothing to do. Raises StatementFailure where the statement fails
there, after the commits that it has made."""


@dataclass(frozen=True, slots=True, eq=False)
class Execution:
    """One run of a statement on a snapshot, before anything is committed.

    Both layers side by side: ``footprint`` is physical (None for a reader), ``item_reads`` and
    ``changes`` are logical and relative to the snapshot. ``result`` holds a reader's rows;
    ``failure`` is Spark's error class where the statement fails by itself. ``then`` are the
    commits that a statement makes after its first one, each on the version before it; none of
    them changes a row.
    ``predicate_reads`` are given where what the statement reads depends on the tables'
    contents; None stands for the statement's own. ``resolved`` is the statement with what it
    found in rows or in the log put in, where that decides what it does; None where the text
    says it all. ``scanned`` are the files whose rows were looked at; None stands for those that
    count as read.
    """

    footprint: Footprint | None
    item_reads: tuple[ItemRead, ...] = ()
    changes: tuple[RowChange, ...] = ()
    result: tuple[Row, ...] | None = None
    failure: str | None = None
    then: tuple[Later, ...] = ()
    predicate_reads: tuple[PredicateRead, ...] | None = None
    resolved: Statement | None = None
    scanned: tuple[DataFile, ...] | None = None

    @property
    def opened(self) -> tuple[DataFile, ...]:
        """The files that have to be on the storage for the statement to run."""
        if self.scanned is not None or self.footprint is None:
            return self.scanned or ()
        return self.footprint.read_files


class Statement(Protocol):
    """A parsed statement over the target table (and others that it reads).

    ``kind`` is its name in the conflict table, ``text`` the SQL as written, ``table`` the
    target's definition that it was parsed for.
    """

    @property
    def kind(self) -> str: ...

    @property
    def text(self) -> str: ...

    @property
    def table(self) -> Table: ...

    @property
    def predicate_reads(self) -> tuple[PredicateRead, ...]:
        """What it reads, as predicates; the same on every snapshot.

        Where it is not, those of :attr:`Execution.resolved` count, and these are wider.
        """
        ...

    def execute(self, snapshot: Snapshot, writer: str, others: Rows) -> Execution:
        """Runs the statement for transaction ``writer`` on ``snapshot``.

        ``others`` has the rows of the tables besides the target. Raises StatementFailure where
        Spark fails the statement.
        """
        ...

    def effect(self, row: Row, tables: Rows) -> Row | None:
        """What it makes of one row of the target that it rewrites, the tables being as given.

        The same object where it leaves the row alone, another one for a new version (equal
        values or not), None where it deletes the row.
        """
        ...

    def rerun(self, tables: Rows) -> SerialResult:
        """Runs the statement alone on plain rows. Raises StatementFailure likewise."""
        ...


class LeavesRows:
    """A statement about files or the definition: it changes no row.

    Nor does it read any, unless its class says otherwise.
    """

    __slots__ = ()

    @property
    def predicate_reads(self) -> tuple[PredicateRead, ...]:
        return ()

    def effect(self, row: Row, tables: Rows) -> Row | None:
        return row

    def rerun(self, tables: Rows) -> SerialResult:
        return SerialResult((), tables)


@runtime_checkable
class ReadsByContents(Protocol):
    """A statement whose predicates depend on what is in the tables: MERGE, by its source."""

    def reads_on(self, tables: Rows) -> tuple[PredicateRead, ...]:
        """What it reads, as predicates, the tables being as given. Raises StatementFailure."""
        ...


def reads_on(statement: Statement, tables: Rows) -> tuple[PredicateRead, ...]:
    """What a statement reads, as predicates, the tables being as given.

    Raises StatementFailure where finding out does.
    """
    if isinstance(statement, ReadsByContents):
        return statement.reads_on(tables)
    return statement.predicate_reads


def item_reads(table: Table, rows: Iterable[StoredRow]) -> tuple[ItemRead, ...]:
    """The stored rows, as items that a statement read."""
    return tuple(ItemRead(table.name, row.row, row.values) for row in rows)


def live_files(snapshot: Snapshot) -> tuple[DataFile, ...]:
    """The files of a snapshot, in the order in which they were added."""
    return tuple(snapshot.files.values())
