"""SELECT as a statement of its own, and the scans of any statement with a query.

A reader sees its snapshot and writes nothing. Statements that contain a query, such as INSERT
SELECT, scan a snapshot in the same way and note the same reads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from model.expressions.evaluation import matcher
from model.expressions.syntax import Expression
from model.history import ItemRead, PredicateRead, Row, SerialResult
from model.physical.files import DataFile, StoredRow
from model.physical.footprint import ReadPredicate
from model.physical.log import Snapshot
from model.physical.skipping import scan, split_filter
from model.queries import Relation, alone, flat, scan_reads
from model.queries.query import Query
from model.queries.relation import Inputs
from model.statements.base import Execution, Rows, Statement, item_reads, live_files
from model.tables.table import Table


class ReadsByQuery(Statement):
    """A statement with the reads of its ``query``, which does not change the rows of the target."""

    __slots__ = ()

    query: Relation

    @property
    def predicate_reads(self) -> tuple[PredicateRead, ...]:
        return scan_reads(self.query)

    @property
    def conditions(self) -> tuple[Expression, ...]:
        return tuple(scan.condition for scan in self.query.scans)

    def reads_on(self, tables: Rows) -> tuple[PredicateRead, ...]:
        if isinstance(self.query, Query):
            return self.predicate_reads
        return alone(self.query, tables)[1]


@dataclass(frozen=True, slots=True)
class Reading:
    """The result of the scans of a relation.

    ``inputs`` are the rows of each scan; ``predicates`` and ``files`` are what the engine notes
    as read of the target, ``stored`` the rows of the target among the inputs. ``opened`` are the
    files that have to be in storage: none for a query that the log's statistics answer.
    """

    inputs: Inputs
    predicates: tuple[ReadPredicate, ...]
    files: tuple[DataFile, ...]
    stored: Sequence[StoredRow]
    opened: tuple[DataFile, ...]

    def logical(
        self, relation: Relation, table: Table
    ) -> tuple[tuple[ItemRead, ...], tuple[PredicateRead, ...] | None]:
        """The item reads, and the predicate reads if they are narrower than the scans."""
        if isinstance(relation, Query):
            return item_reads(table, self.stored), None
        reads = relation.reads(self.inputs)
        own = [read for read in reads if read.table == table.name]
        rows = {row.row: row for row in self.stored if any(p.matches(row.values) for p in own)}
        return item_reads(table, rows.values()), reads


def read(
    relation: Relation,
    table: Table,
    snapshot: Snapshot,
    others: Rows,
    *,
    largest_first: bool = False,
) -> Reading:
    """Runs the scans of a relation on a snapshot of the target. Raises StatementFailure.

    With ``largest_first`` the rows come in the order in which one task reads the files, taking
    the number of rows for their size; among files of equal size the order is unknown
    (FilePartition.scala).
    """
    inputs: list[Sequence[Row]] = []
    predicates: list[ReadPredicate] = []
    files: dict[str, DataFile] = {}
    opened: dict[str, DataFile] = {}
    stored: list[StoredRow] = []
    for query in relation.scans:
        if query.table != table.name:
            inputs.append(query.matching(others[query.table]))
            continue
        predicate = split_filter(query.condition, table)
        if predicate is None:
            inputs.append(())
            continue
        scanned = scan(predicate, live_files(snapshot), table)
        if largest_first:
            scanned = tuple(sorted(scanned, key=lambda file: -file.records))
        matches = matcher(query.condition)
        # Rows of files that are skipped are not looked at, so a condition cannot fail on them.
        rows = [row for file in scanned for row in file.rows if matches(row.values)]
        inputs.append([row.values for row in rows])
        predicates.append(predicate)
        files.update((file.key, file) for file in scanned)
        if predicate != ReadPredicate() or not _from_log(query, scanned, table):
            opened.update((file.key, file) for file in scanned)
        stored += rows
    opening = tuple(opened.values())
    return Reading(inputs, tuple(predicates), tuple(files.values()), stored, opening)


def _from_log(scan: Query, files: tuple[DataFile, ...], table: Table) -> bool:
    """Whether the statistics of these files answer a query without a condition.

    A deletion vector leaves the bounds of a file as they are; its count is known.
    """
    indexed = table.indexed
    if any(file.vector is not None for file in files):
        indexed = frozenset()
    return scan.from_log(indexed.intersection(*(file.indexed for file in files)))


@dataclass(frozen=True, slots=True)
class Select(ReadsByQuery):
    """Returns the rows of a query over the target, over other tables, or over none."""

    text: str
    table: Table
    query: Relation

    reads_only = True

    @property
    def kind(self) -> str:
        return "SELECT"

    def execute(self, snapshot: Snapshot, writer: str, others: Rows) -> Execution:
        done = read(self.query, self.table, snapshot, others)
        items, reads = done.logical(self.query, self.table)
        result = flat(self.query.branches(done.inputs))
        return Execution(None, items, result=result, predicate_reads=reads, scanned=done.opened)

    def rerun(self, tables: Rows) -> SerialResult:
        _, reads = alone(self.query, tables)
        matched = tuple(tuple(filter(read.matches, tables[read.table])) for read in reads)
        return SerialResult(matched, tables)
