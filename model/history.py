"""The transaction history: the one type that every decider judges.

A history is logical. It knows rows, predicates and versions, and nothing of files. The
simulator predicts one, a replay observes one, and a log can be turned into one; all three are
the same type, so one checker serves them.

Terms follow Adya ("Weak Consistency", 1999): a *row version* is an item version, the order of
the versions of a row is the order of the commits in the log, and a predicate read observes
which row versions match.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from model.listing import cut, listed

Value = object
"""A SQL value: int, float, str, bool, Decimal, date, datetime, or None for NULL."""

Row = tuple[Value, ...]
"""The values of one row, in the order of the table's columns."""

RowId = tuple[str, int]
"""Identity of a row through its updates: (writer that inserted it, ordinal in that writer).

The writer is a transaction's name, or ``setup`` followed by the version for rows that were
there before the transactions began.
"""


@dataclass(frozen=True, slots=True)
class RowChange:
    """The change of one row by one committed transaction.

    ``before`` is the row as the last earlier commit left it (None: it was not there),
    ``after`` the row as this commit leaves it (None: deleted).
    """

    table: str
    row: RowId
    before: Row | None
    after: Row | None


@dataclass(frozen=True, slots=True)
class ItemRead:
    """One row version that a transaction read: the row and the values that it saw."""

    table: str
    row: RowId
    values: Row


@dataclass(frozen=True, slots=True)
class PredicateRead:
    """A read of all rows of a table that match a condition.

    ``matches`` decides a row (True only if SQL says TRUE; NULL is not a match); ``text`` is the
    condition in SQL, ``TRUE`` for the whole table.
    """

    table: str
    text: str
    matches: Callable[[Row], bool] = field(compare=False)


@dataclass(frozen=True, slots=True)
class Transaction:
    """One transaction of a history.

    ``read_version`` is the version of the table that its snapshot shows. ``commit_version`` is
    the version that it wrote; None for a reader, for a statement that succeeded without writing
    a version (judged as a reader), and for one that aborted. ``committed`` is False only for
    one that aborted: no level says anything about it.

    ``rerun`` runs the statement on other contents of the tables (each a sequence of rows, by
    table name) and returns (rows read, rows afterwards, by table); the definition decider
    executes serial orders with it. None if the statement is not known, as in a log.
    """

    name: str
    text: str
    read_version: int
    commit_version: int | None
    committed: bool
    predicate_reads: tuple[PredicateRead, ...] = ()
    item_reads: tuple[ItemRead, ...] = ()
    changes: tuple[RowChange, ...] = ()
    rerun: Callable[[Mapping[str, tuple[Row, ...]]], SerialResult] | None = field(
        default=None, compare=False
    )

    def __repr__(self) -> str:
        end = "aborted" if not self.committed else f"committed version {self.commit_version}"
        if self.committed and self.commit_version is None:
            end = "wrote no version"
        return f"<Transaction {self.name}: {cut(self.text)}; read {self.read_version}, {end}>"

    @property
    def writes(self) -> bool:
        """Whether the transaction wrote a version of the table, and so counts as a writer."""
        return self.commit_version is not None


@dataclass(frozen=True, slots=True)
class SerialResult:
    """One statement run alone: the rows that it read and the tables that it left behind.

    ``reads`` has one entry for each predicate read, in the order of
    ``Transaction.predicate_reads``: the rows that matched. A statement that fails when run
    alone has ``failed`` set and leaves the tables as they were.
    """

    reads: tuple[tuple[Row, ...], ...]
    tables: Mapping[str, tuple[Row, ...]]
    failed: str | None = None


@dataclass(frozen=True, slots=True)
class History:
    """Transactions over one target table (and others that they only read), judged together.

    ``initial`` maps each table to its rows before the first transaction, with their identity;
    ``base_version`` is the target's version at that moment, so that every commit version of
    the history is larger. ``final`` holds the target's rows at the end, as the physical table
    has them. ``unknown`` says in words what was not observed; a history with unknowns can be
    judged to violate a level, but never to hold one.
    """

    table: str
    base_version: int
    initial: Mapping[str, Mapping[RowId, Row]]
    transactions: tuple[Transaction, ...]
    final: tuple[Row, ...]
    unknown: tuple[str, ...] = ()

    def __repr__(self) -> str:
        names = listed(transaction.name for transaction in self.transactions)
        rest = f", {len(self.unknown)} things unknown" if self.unknown else ""
        return f"<History of {self.table}: {names}; {len(self.final)} rows at its end{rest}>"

    def __getitem__(self, name: str) -> Transaction:
        for transaction in self.transactions:
            if transaction.name == name:
                return transaction
        raise KeyError(name)

    @property
    def committed(self) -> tuple[Transaction, ...]:
        """Writers in log order, then readers, each once."""
        writers = [t for t in self.transactions if t.committed and t.commit_version is not None]
        readers = [t for t in self.transactions if t.committed and t.commit_version is None]
        writers.sort(key=lambda t: t.commit_version or 0)
        return (*writers, *readers)
