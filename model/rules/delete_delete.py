"""A winner removed a file that the current transaction removes as well."""

from __future__ import annotations

from model.physical.log import Commit
from model.rules.base import Attempt, Rule


def check(attempt: Attempt, winner: Commit) -> str | None:
    """Conflict when both remove one file."""
    removed = winner.footprint.removes
    if not removed:
        return None
    mine = {file.path for file in attempt.footprint.removes}
    if any(file.path in mine for file in removed):
        return f"{winner.transaction} removed a file that it removes as well"
    return None


RULE = Rule(
    "delete delete",
    "ConcurrentDeleteDelete",
    check,
    "ConflictChecker.scala, checkForDeletedFilesAgainstCurrentTxnDeletedFiles; N91",
)
