"""A winner removed files that the current transaction read or removes, as the documents word it.

A compaction that conflicts with nothing (N71) makes a question of the word "file": it may come
between two transactions that touch one file, and give the second of them another file to remove.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from model.history import RowId
from model.physical.files import DataFile
from model.physical.log import Commit
from model.rules import delete_delete, delete_read
from model.rules.base import Attempt, Rule
from model.rules.documented.pairs import apart


def read_check(attempt: Attempt, winner: Commit) -> str | None:
    """Conflict with the removal of a file that was read."""
    return None if apart(attempt, winner) else delete_read.check(attempt, winner)


def removed_check(attempt: Attempt, winner: Commit) -> str | None:
    """Conflict when both remove one file."""
    return None if apart(attempt, winner) else delete_delete.check(attempt, winner)


def moved_read_check(attempt: Attempt, winner: Commit) -> str | None:
    """Conflict as well when a file is removed to which rows of a file that was read have moved."""
    if apart(attempt, winner):
        return None
    if because := delete_read.check(attempt, winner):
        return because
    if _share_a_row(attempt.footprint.read_files, winner.footprint.removes):
        return f"{winner.transaction} removed rows that it had read, from a compacted file"
    return None


def _share_a_row(files: Iterable[DataFile], others: Iterable[DataFile]) -> bool:
    theirs = [_versions(file) for file in others]
    return any(not known.isdisjoint(_versions(file)) for file in files for known in theirs)


@lru_cache(maxsize=8192)
def _versions(file: DataFile) -> frozenset[tuple[RowId, str]]:
    return frozenset((row.row, row.writer) for row in file.rows)


_READ_SOURCE = "ConcurrentDeleteReadException (all); N90"

READ = Rule("delete read", "ConcurrentDeleteRead", read_check, _READ_SOURCE)
MOVED_READ = Rule("delete read", "ConcurrentDeleteRead", moved_read_check, _READ_SOURCE)
REMOVED = Rule(
    "delete delete",
    "ConcurrentDeleteDelete",
    removed_check,
    "ConcurrentDeleteDeleteException (all); N91",
)
