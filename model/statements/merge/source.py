"""The source of a MERGE: constant rows, or a query over a table."""

from __future__ import annotations

from dataclasses import dataclass

from model.history import ItemRead, Row
from model.physical.files import DataFile
from model.physical.footprint import ReadPredicate
from model.physical.log import Snapshot
from model.queries import Relation, alone
from model.statements.base import Rows, item_reads
from model.statements.select import read
from model.tables.table import Table

Branches = tuple[tuple[Row, ...], ...]
"""Source rows, by the task that produces them."""


@dataclass(frozen=True)
class MergeSource:
    """The rows behind USING.

    ``constants`` are given row by row, one group for each SELECT of a UNION ALL, which the
    engine turns into one task each; ``query`` is given instead of them where a table is read.
    ``never_null`` and ``constant`` hold the numbers of the columns whose form tells the
    optimizer that they are not NULL, or the same on every row.
    """

    width: int
    constants: Branches = ()
    query: Relation | None = None
    never_null: frozenset[int] = frozenset()
    constant: frozenset[int] = frozenset()

    def branches(self, tables: Rows) -> Branches:
        """The source rows, the tables being as given. Raises StatementFailure."""
        return self.constants if self.query is None else alone(self.query, tables)[0]

    def rows(self, tables: Rows) -> tuple[Row, ...]:
        """The source rows, the tables being as given. Raises StatementFailure."""
        return tuple(row for branch in self.branches(tables) for row in branch)

    def reads(self, table: Table) -> bool:
        """Whether the source is the table itself."""
        return self.query is not None and any(s.table == table.name for s in self.query.scans)

    def scanned(self, snapshot: Snapshot, others: Rows) -> SourceScan:
        """The scan of the target itself as a source."""
        assert self.query is not None
        done = read(self.query, snapshot.table, snapshot, others)
        items = item_reads(snapshot.table, {row.row: row for row in done.stored}.values())
        return SourceScan(done.predicates, done.files, items, self.query.branches(done.inputs))


@dataclass(frozen=True, slots=True)
class SourceScan:
    """The predicate that the engine notes for the source if that is the target itself."""

    predicates: tuple[ReadPredicate, ...]
    files: tuple[DataFile, ...]
    items: tuple[ItemRead, ...]
    branches: Branches
