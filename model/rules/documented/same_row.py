"""Row-level concurrency: two transactions conflict over rows, not over files."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache

from model.errors import StatementFailure
from model.expressions import syntax as expressions
from model.expressions.evaluation import matcher
from model.expressions.syntax import Expression
from model.history import Row
from model.physical.files import StoredRow
from model.physical.footprint import ReadPredicate
from model.physical.log import Commit
from model.physical.row_level import row_changes
from model.rules.added_files import counted
from model.rules.base import Attempt, Rule
from model.rules.documented.pairs import row_by_row
from model.values.types import sql_row


def modified(attempt: Attempt, winner: Commit) -> str | None:
    """Conflict when both modify one row: "can conflict when modifying the same row"."""
    if not row_by_row(attempt, winner):
        return None
    mine = row_changes(attempt.footprint).replaced
    theirs = row_changes(winner.footprint).replaced
    for row, version in mine.items():
        if row in theirs:
            return f"{winner.transaction} changed the row {_text(attempt, version)} as well"
    return None


def read(attempt: Attempt, winner: Commit) -> str | None:
    """Conflict as well when the winner changed a row that the current one reads.

    To read a row is to match a read predicate. Reading is not modifying, but the matrix gives
    an INSERT with a subquery over its table, which modifies no row, the limits of MERGE (N57).
    """
    if not row_by_row(attempt, winner):
        return None
    if because := modified(attempt, winner):
        return because
    found = first_read(attempt, row_changes(winner.footprint).replaced.values())
    if found is None:
        return None
    return f"{winner.transaction} changed the row {_text(attempt, found)}, which it reads"


def added(attempt: Attempt, winner: Commit) -> str | None:
    """Conflict when the winner wrote a row that the current one would have read.

    Which winners count is a matter of the level, as for files: at WriteSerializable not those
    that append blindly. At Serializable a row that was inserted and matches is the "same row"
    that the matrix speaks of for INSERT.
    """
    if not row_by_row(attempt, winner):
        return None
    if attempt.footprint.blind_append or not counted(attempt, winner):
        return None
    found = first_read(attempt, row_changes(winner.footprint).written)
    if found is None:
        return None
    return f"{winner.transaction} wrote the row {_text(attempt, found)}, which it reads"


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
            return True  # the statement would fail on this row, so it looks at it

    return may_match


def _text(attempt: Attempt, row: StoredRow) -> str:
    return sql_row(attempt.table.shown(row.values))


_SOURCE = "matrix with row-level concurrency and its limitations (14.2, 14.3); N39, N40, N66, "

MODIFIED = Rule("same row", "ConcurrentDeleteRead", modified, _SOURCE + "read at their weakest")
READ = Rule("same row", "ConcurrentDeleteRead", read, _SOURCE + "read at their strongest")
ADDED = Rule("row added", "ConcurrentAppend", added, _SOURCE + "read at their strongest")
