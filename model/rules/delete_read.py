"""A winner removed a file that the current transaction read."""

from __future__ import annotations

from model.physical.log import Commit
from model.rules.base import Attempt, Rule


def check(attempt: Attempt, winner: Commit) -> str | None:
    """Conflict with the removal of a file read, or of any file once the whole table was.

    A commit that only states files again leaves out those that are gone.
    """
    removed = winner.footprint.removes
    if not removed or attempt.footprint.restates:
        return None
    read = {file.path for file in attempt.footprint.read_files}
    if any(file.path in read for file in removed):
        return f"{winner.transaction} removed a file that it had read"
    if attempt.footprint.read_whole_table:
        return f"{winner.transaction} removed a file of the table, all of which it had read"
    return None


RULE = Rule(
    "delete read",
    "ConcurrentDeleteRead",
    check,
    "ConflictChecker.scala, checkForDeletedFilesAgainstCurrentTxnReadFiles; N90",
)
