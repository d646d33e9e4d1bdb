"""A winner removed files that the current transaction read or removes, as the documents word it."""

from __future__ import annotations

from model.log import Commit
from model.rules import delete_delete, delete_read
from model.rules.base import Attempt, Rule
from model.rules.documented.pairs import apart


def read_check(attempt: Attempt, winner: Commit) -> str | None:
    """Conflict with the removal of a file that was read."""
    return None if apart(attempt, winner) else delete_read.check(attempt, winner)


def removed_check(attempt: Attempt, winner: Commit) -> str | None:
    """Conflict when both remove one file."""
    return None if apart(attempt, winner) else delete_delete.check(attempt, winner)


READ = Rule(
    "delete read", "ConcurrentDeleteRead", read_check, "ConcurrentDeleteReadException (all); N90"
)
REMOVED = Rule(
    "delete delete",
    "ConcurrentDeleteDelete",
    removed_check,
    "ConcurrentDeleteDeleteException (all); N91",
)
