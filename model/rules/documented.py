"""The conflict rules as the documents of Databricks word them, whatever is built.

Where the words leave a choice there is one rule for each way to read them; the profiles say
which of them is the weaker reading (``model.profiles.databricks``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache

from model.errors import StatementFailure
from model.expressions import syntax as expressions
from model.expressions.evaluation import matcher
from model.expressions.syntax import Expression
from model.history import Row, RowId
from model.levels import WRITE_SERIALIZABLE
from model.physical.files import DataFile, StoredRow
from model.physical.footprint import ReadPredicate
from model.physical.log import Commit
from model.physical.row_level import row_changes
from model.rules import delta_spark
from model.rules.base import Attempt, Rule
from model.values.types import sql_row


def row_by_row(attempt: Attempt, winner: Commit) -> bool:
    """Whether the two are resolved row by row: both must be operations that can be (N66, N73)."""
    return attempt.footprint.contends_for == winner.footprint.contends_for == "rows"


def apart(attempt: Attempt, winner: Commit) -> bool:
    """Whether the rules about files pass the pair over.

    They do for two that are resolved row by row, and where one of the two is a compaction of a
    table with deletion vectors, which "cannot conflict" with any other write (N71).
    """
    return row_by_row(attempt, winner) or "nothing" in (
        attempt.footprint.contends_for,
        winner.footprint.contends_for,
    )


# Protocol, metadata and identity columns.


def protocol_changed(attempt: Attempt, winner: Commit) -> str | None:
    """Conflict with every protocol change: an upgrade fails all operations in flight."""
    if winner.footprint.protocol is None:
        return None
    return f"{winner.transaction} changed the table's protocol"


PROTOCOL_CHANGED = Rule(
    "protocol changed",
    "ProtocolChanged",
    protocol_changed,
    "ProtocolChangedException (all); REORG that upgrades (14.3); N60, N94",
)


def metadata_changed(attempt: Attempt, winner: Commit) -> str | None:
    """Conflict with every metadata change, whatever it is."""
    if winner.footprint.metadata is None:
        return None
    return f"{winner.transaction} changed the table's metadata"


METADATA_CHANGED = Rule(
    "metadata changed",
    "MetadataChanged",
    metadata_changed,
    "MetadataChangedException (2020, 14.2); metadata changes fail all concurrent writes (14.3); "
    "N92, N97, N98",
)


def schema_changed(attempt: Attempt, winner: Commit) -> str | None:
    """Conflict if the schema changed, or if both change metadata.

    The least that "might cause concurrent writes to fail" can mean: a write in flight was
    checked against a schema that is gone, or the two changes would have to be merged.
    """
    change = winner.footprint.metadata
    if change is None:
        return None
    if attempt.footprint.metadata is not None:
        return f"both change the table's metadata, {winner.transaction} first"
    if change.schema_changed:
        return f"{winner.transaction} changed the table's schema"
    return None


SCHEMA_CHANGED = Rule(
    "metadata changed",
    "MetadataChanged",
    schema_changed,
    "metadata changes might fail concurrent writes (2026); N92",
)


def identity_columns(attempt: Attempt, winner: Commit) -> str | None:
    """Conflict with every winner: such a table supports no concurrent transactions.

    The documents name no exception for it. Identity columns keep their high-water mark in the
    table's metadata, so the conflict goes by the name that a metadata change has.
    """
    if not attempt.table.identities:
        return None
    return f"{winner.transaction} wrote to a table with identity columns at the same time"


IDENTITY_COLUMNS = Rule(
    "identity columns",
    "MetadataChanged",
    identity_columns,
    "notes to both matrices, 14.2 and 14.3; N58",
)


# Files added: ConcurrentAppendException.


def added_files_of_2020(attempt: Attempt, winner: Commit) -> str | None:
    """Conflict as the text of 2020 on the exception has it.

    Serializable: any append to a partition that is read. WriteSerializable: only where files of
    it were rewritten. An append that reads (INSERT ... SELECT from the table itself) does not
    rewrite, so at WriteSerializable nobody conflicts with it.
    """
    if attempt.level == WRITE_SERIALIZABLE and not winner.footprint.removes:
        return None
    return delta_spark.added_files(attempt, winner)


def added_files_by_the_matrix_of_2020(attempt: Attempt, winner: Commit) -> str | None:
    """The same, and two INSERTs never conflict, as the matrix of 2020 has it for both levels.

    That matrix has no note that makes an exception of an INSERT which reads its own table.
    """
    only_adds = not attempt.footprint.removes and not winner.footprint.removes
    return None if only_adds else added_files_of_2020(attempt, winner)


_SOURCE_2020 = "ConcurrentAppendException and matrix (2020); N50, N51, N88"

ADDED_FILES_OF_2020 = Rule("added files", "ConcurrentAppend", added_files_of_2020, _SOURCE_2020)
ADDED_FILES_BY_THE_MATRIX_OF_2020 = Rule(
    "added files", "ConcurrentAppend", added_files_by_the_matrix_of_2020, _SOURCE_2020
)


def added_files(attempt: Attempt, winner: Commit) -> str | None:
    """Conflict with files added in a partition that is read, anywhere without partitions (14.2 on).

    At WriteSerializable blind inserts never count. Files that a compaction adds do: the words
    "any files added by a concurrent operation" come first, the list of operations after them.
    """
    return None if apart(attempt, winner) else delta_spark.added_files(attempt, winner)


def added_files_with_data(attempt: Attempt, winner: Commit) -> str | None:
    """The same for INSERT, DELETE, UPDATE and MERGE alone, which the document lists as causes."""
    return added_files(attempt, winner) if winner.footprint.data_changed else None


_ADDED_SOURCE = "ConcurrentAppendException (14.2); N86, N87, N89"

ADDED_FILES = Rule("added files", "ConcurrentAppend", added_files, _ADDED_SOURCE)
ADDED_FILES_WITH_DATA = Rule(
    "added files", "ConcurrentAppend", added_files_with_data, _ADDED_SOURCE
)


# Files removed. A compaction that conflicts with nothing (N71) raises the question what a "file"
# is: it may come between two transactions that touch one file, and give the second of them
# another file to remove.


def delete_read(attempt: Attempt, winner: Commit) -> str | None:
    """Conflict with the removal of a file that was read."""
    return None if apart(attempt, winner) else delta_spark.delete_read(attempt, winner)


def moved_delete_read(attempt: Attempt, winner: Commit) -> str | None:
    """Conflict also with the removal of a file to which rows of a file that was read have moved."""
    if apart(attempt, winner):
        return None
    if because := delta_spark.delete_read(attempt, winner):
        return because
    if _share_a_row(attempt.footprint.read_files, winner.footprint.removes):
        return f"{winner.transaction} removed rows that it had read, from a compacted file"
    return None


def _share_a_row(files: Iterable[DataFile], others: Iterable[DataFile]) -> bool:
    theirs = [_versions(file) for file in others]
    return any(not rows.isdisjoint(_versions(file)) for file in files for rows in theirs)


@lru_cache(maxsize=8192)
def _versions(file: DataFile) -> frozenset[tuple[RowId, str]]:
    return frozenset((row.row, row.writer) for row in file.rows)


_READ_SOURCE = "ConcurrentDeleteReadException (all); N90"

DELETE_READ = Rule("delete read", "ConcurrentDeleteRead", delete_read, _READ_SOURCE)
MOVED_DELETE_READ = Rule("delete read", "ConcurrentDeleteRead", moved_delete_read, _READ_SOURCE)


def delete_delete(attempt: Attempt, winner: Commit) -> str | None:
    """Conflict if both remove the same file."""
    return None if apart(attempt, winner) else delta_spark.delete_delete(attempt, winner)


DELETE_DELETE = Rule(
    "delete delete",
    "ConcurrentDeleteDelete",
    delete_delete,
    "ConcurrentDeleteDeleteException (all); N91",
)


# Row-level concurrency: two transactions conflict over rows, not over files.


def row_modified(attempt: Attempt, winner: Commit) -> str | None:
    """Conflict if both modify one row: "can conflict when modifying the same row"."""
    if not row_by_row(attempt, winner):
        return None
    mine = row_changes(attempt.footprint).replaced
    theirs = row_changes(winner.footprint).replaced
    for row, version in mine.items():
        if row in theirs:
            return f"{winner.transaction} changed the row {_text(attempt, version)} as well"
    return None


def row_read(attempt: Attempt, winner: Commit) -> str | None:
    """Conflict also if the winner changed a row that the current transaction reads.

    To read a row is to match a read predicate. Reading is not modifying, but the matrix gives
    an INSERT with a subquery over its table, which modifies no row, the limits of MERGE (N57).
    """
    if not row_by_row(attempt, winner):
        return None
    if because := row_modified(attempt, winner):
        return because
    row = first_read(attempt, row_changes(winner.footprint).replaced.values())
    if row is None:
        return None
    return f"{winner.transaction} changed the row {_text(attempt, row)}, which it reads"


def row_added(attempt: Attempt, winner: Commit) -> str | None:
    """Conflict if the winner wrote a row that the current transaction would have read.

    Which winners count depends on the level, as for files: at WriteSerializable blind appends
    do not. At Serializable an inserted row that matches is the "same row" that the matrix speaks
    of for INSERT.
    """
    if not row_by_row(attempt, winner):
        return None
    if attempt.footprint.blind_append or not delta_spark.looks_at_added_files(attempt, winner):
        return None
    row = first_read(attempt, row_changes(winner.footprint).written)
    if row is None:
        return None
    return f"{winner.transaction} wrote the row {_text(attempt, row)}, which it reads"


def first_read(attempt: Attempt, rows: Iterable[StoredRow]) -> StoredRow | None:
    """The first of the rows that a read predicate matches, or may match."""
    footprint = attempt.footprint
    for row in rows:
        if footprint.read_whole_table or any(
            _matcher(predicate)(row.values) for predicate in footprint.read_predicates
        ):
            return row
    return None


@lru_cache(maxsize=4096)
def _matcher(predicate: ReadPredicate) -> Callable[[Row], bool]:
    condition: Expression = expressions.conjunction((predicate.partition, predicate.data))
    matches = matcher(condition)

    def may_match(row: Row) -> bool:
        try:
            return matches(row)
        except StatementFailure:
            return True  # The statement would fail on this row, so it looks at it.

    return may_match


def _text(attempt: Attempt, row: StoredRow) -> str:
    return sql_row(attempt.table.shown(row.values))


_ROW_SOURCE = (
    "matrix with row-level concurrency and its limitations (14.2, 14.3); N39, N40, N66, read at "
)

ROW_MODIFIED = Rule("same row", "ConcurrentDeleteRead", row_modified, _ROW_SOURCE + "their weakest")
ROW_READ = Rule("same row", "ConcurrentDeleteRead", row_read, _ROW_SOURCE + "their strongest")
ROW_ADDED = Rule("row added", "ConcurrentAppend", row_added, _ROW_SOURCE + "their strongest")
