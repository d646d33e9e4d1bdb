"""The interface of all statements: running on a snapshot or on plain rows, and their properties."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from model.expressions.syntax import Expression
from model.history import ItemRead, PredicateRead, Row, RowChange, SerialResult
from model.physical.files import DataFile, StoredRow
from model.physical.footprint import Footprint
from model.physical.log import Snapshot
from model.queries.query import Query
from model.tables.invariants import NULL_VIOLATED, VIOLATED
from model.tables.table import NoPlace, Table

Rows = Mapping[str, tuple[Row, ...]]
"""Rows of every table, by its name."""

Later = Callable[[Snapshot], Footprint | None]
"""A commit that a statement makes after another one: its footprint on the snapshot at that
time, None if there is nothing to do. Raises StatementFailure if the statement fails there, after
the commits that it has made."""


@dataclass(frozen=True, slots=True, eq=False)
class Execution:
    """One run of a statement on a snapshot, before anything is committed.

    It has both layers: ``footprint`` is physical (None for a reader), ``item_reads`` and
    ``changes`` are logical and relative to the snapshot. ``result`` holds a reader's rows;
    ``failure`` is Spark's error class if the statement fails by itself. ``then`` are the
    commits that a statement makes after its first one, each on the version before it; none of
    them changes a row.
    ``predicate_reads`` are given if the predicates depend on the tables' contents; None stands
    for the statement's own. ``resolved`` is the statement completed with values from rows or
    from the log, if its effect depends on them; None if the text decides alone. ``scanned`` are
    the files whose rows were looked at; None stands for those that count as read.
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
        """The files that have to be in storage for the statement to run."""
        if self.scanned is not None or self.footprint is None:
            return self.scanned or ()
        return self.footprint.read_files


class Statement(ABC):
    """A parsed statement over the target table (and others that it reads).

    ``kind`` is its name in the conflict table, ``text`` the SQL as written, ``table`` the
    target's definition that it was parsed for. The properties below describe a statement to its
    callers; their defaults here are the answers of most statements.
    """

    __slots__ = ()

    if TYPE_CHECKING:
        # Only for the type checker: a dataclass would take these as defaults of its fields.

        @property
        def kind(self) -> str: ...

        @property
        def text(self) -> str: ...

        @property
        def table(self) -> Table: ...

    @property
    @abstractmethod
    def predicate_reads(self) -> tuple[PredicateRead, ...]:
        """Its predicate reads; the same on every snapshot.

        If they depend on the snapshot, those of :attr:`Execution.resolved` count, and these are
        wider.
        """

    @abstractmethod
    def execute(self, snapshot: Snapshot, writer: str, others: Rows) -> Execution:
        """Runs the statement for transaction ``writer`` on ``snapshot``.

        ``others`` has the rows of the tables besides the target. Raises StatementFailure where
        Spark fails the statement.
        """

    @abstractmethod
    def rerun(self, tables: Rows) -> SerialResult:
        """Runs the statement alone on plain rows. Raises StatementFailure like ``execute``."""

    def effect(self, row: Row, tables: Rows) -> Row | None:
        """The row after this statement, given all tables.

        The same object where the statement leaves the row alone, another one for a new version
        (equal values or not), None where it deletes the row.
        """
        return row

    def reads_on(self, tables: Rows) -> tuple[PredicateRead, ...]:
        """Its predicate reads, given all tables. Raises StatementFailure."""
        return self.predicate_reads

    def definitions(self) -> tuple[Table, ...]:
        """The definitions that its commits put in force, one after the other.

        They are known without running the statement, except for the marks of identity columns.
        Empty if the definition stays, and for RESTORE, whose definition only the log has.
        """
        return ()

    @property
    def changes_definition(self) -> bool:
        """Whether it may put another definition in force (RESTORE aside)."""
        return bool(self.definitions())

    @property
    def inner(self) -> Statement:
        """The statement itself, without an application's number."""
        return self

    @property
    def conditions(self) -> tuple[Expression, ...]:
        """The conditions by which it finds the rows that it reads."""
        return ()

    @property
    def subqueries(self) -> tuple[Query, ...]:
        """The subqueries whose values it sets."""
        return ()

    @property
    def constant_rows(self) -> tuple[Row, ...]:
        """The rows that it adds, if they are written out in its text."""
        return ()

    @property
    def zorder(self) -> tuple[int, ...]:
        """The places of the columns by which it sorts the rows of the files that it writes."""
        return ()

    @property
    def frees(self) -> str:
        """The files that it deletes from storage: ``nothing``, ``removed files``, ``all files``."""
        return "nothing"

    @property
    def fails(self) -> bool:
        """Whether it fails whenever it runs."""
        return False

    @property
    def litters(self) -> bool:
        """Whether beginning it leaves files behind if there is no table yet."""
        return False

    @property
    def violation(self) -> str:
        """The error class with which it fails on rows that break a constraint of its table."""
        return NULL_VIOLATED if self.table.not_null else VIOLATED

    reads_only: ClassVar[bool] = False
    """Whether it is a query: it returns rows, and never writes a version."""

    files_only: ClassVar[bool] = False
    """Whether it only concerns files: it reads and changes neither rows nor the definition."""

    restores: ClassVar[bool] = False
    """Whether it puts files and the definition of an earlier version back."""

    takes_number: ClassVar[bool] = False
    """Whether it looks at the number that an application gives its writes (``txnVersion``)."""


class LeavesRows(Statement):
    """A statement about files or the definition: it changes no row.

    It does not read any row either, unless its class says otherwise.
    """

    __slots__ = ()

    @property
    def predicate_reads(self) -> tuple[PredicateRead, ...]:
        return ()

    def rerun(self, tables: Rows) -> SerialResult:
        return SerialResult((), tables)


def check_places(statement: Statement) -> Statement:
    """The statement. Raises NoPlace if it adds a column that stored rows have no place for."""
    width = len(statement.table.names)
    for after in statement.definitions():
        if len(after.names) > width:
            column = f"{after.names[width]!r} of type {after.types[width]}"
            raise NoPlace(f"rows have no place for column {column}")
    return statement


def item_reads(table: Table, rows: Iterable[StoredRow]) -> tuple[ItemRead, ...]:
    """The item reads of these stored rows."""
    return tuple(ItemRead(table.name, row.row, row.values) for row in rows)


def live_files(snapshot: Snapshot) -> tuple[DataFile, ...]:
    """The files of a snapshot, in the order in which they were added."""
    return tuple(snapshot.files.values())
