"""What a MERGE merges from: constant rows, or a query over a table."""

from __future__ import annotations

from dataclasses import dataclass

from model.files import DataFile
from model.footprint import ReadPredicate
from model.history import ItemRead, Row
from model.log import Snapshot
from model.query import Query
from model.skipping import scan, split_filter
from model.statements.base import Rows, item_reads, live_files
from model.table import Table

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
    query: Query | None = None
    never_null: frozenset[int] = frozenset()
    constant: frozenset[int] = frozenset()

    def branches(self, tables: Rows) -> Branches:
        """The source rows, the tables being as given. Raises StatementFailure."""
        if self.query is None:
            return self.constants
        return (self.query.result(self.query.matching(tables[self.query.table])),)

    def rows(self, tables: Rows) -> tuple[Row, ...]:
        """The source rows, the tables being as given. Raises StatementFailure."""
        return tuple(row for branch in self.branches(tables) for row in branch)

    def reads(self, table: Table) -> bool:
        """Whether the source is the table itself."""
        return self.query is not None and self.query.table == table.name

    def scanned(self, snapshot: Snapshot) -> SourceScan:
        """The scan of the target itself as a source."""
        query = self.query
        assert query is not None
        predicate = split_filter(query.condition, snapshot.table)
        if predicate is None:
            return SourceScan((), (), (), (query.result(()),))
        files = scan(predicate, live_files(snapshot), snapshot.table)
        matches = query.predicate_read.matches
        rows = [row for file in files for row in file.rows if matches(row.values)]
        branches = (query.result(row.values for row in rows),)
        return SourceScan((predicate,), files, item_reads(snapshot.table, rows), branches)


@dataclass(frozen=True, slots=True)
class SourceScan:
    """What the engine notes of the source where it is the target itself."""

    predicates: tuple[ReadPredicate, ...]
    files: tuple[DataFile, ...]
    items: tuple[ItemRead, ...]
    branches: Branches
