"""A winner added files where the current transaction reads (ConcurrentAppendException, 14.2 on)."""

from __future__ import annotations

from model.physical.log import Commit
from model.rules import added_files
from model.rules.base import Attempt, Rule
from model.rules.documented.pairs import apart


def any_operation(attempt: Attempt, winner: Commit) -> str | None:
    """Conflict with files added in a partition that is read, anywhere without partitions.

    At WriteSerializable blind inserts never count. Files that a compaction adds do: the words
    "any files added by a concurrent operation" come first, the list of operations after them.
    """
    return None if apart(attempt, winner) else added_files.check(attempt, winner)


def listed_operations(attempt: Attempt, winner: Commit) -> str | None:
    """The same for INSERT, DELETE, UPDATE and MERGE alone, which the document lists as causes."""
    return any_operation(attempt, winner) if winner.footprint.data_changed else None


_SOURCE = "ConcurrentAppendException (14.2); N86, N87, N89"

ANY = Rule("added files", "ConcurrentAppend", any_operation, _SOURCE)
LISTED = Rule("added files", "ConcurrentAppend", listed_operations, _SOURCE)
