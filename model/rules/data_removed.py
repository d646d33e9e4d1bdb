"""delta-rs: a winner removed data that the current transaction read, or removes as well.

A removal that only rearranges data (``dataChange`` false: a compaction) is passed over by both
rules. So an operation that replaces files which a compaction has replaced already commits, and
brings back what it copied, or misses what it meant to delete.

Whatever a statement removes counts as read, so the second rule never speaks first.
"""

from __future__ import annotations

from model.physical.log import Commit
from model.rules.base import Attempt, Rule

_SOURCE = "delta-rs, crates/core/src/kernel/transaction/conflict_checker.rs, "


def _counted(winner: Commit) -> frozenset[str]:
    footprint = winner.footprint
    return frozenset(f.path for f in footprint.removes) if footprint.data_changed else frozenset()


def read_check(attempt: Attempt, winner: Commit) -> str | None:
    """Conflict with the removal of a file that counts as read."""
    removed = _counted(winner)
    if removed and any(file.path in removed for file in attempt.footprint.read_files):
        return f"{winner.transaction} removed a file that counts as read"
    if removed and attempt.footprint.read_whole_table:
        return f"{winner.transaction} removed a file of the table, all of which it had read"
    return None


def removed_check(attempt: Attempt, winner: Commit) -> str | None:
    """Conflict when both remove one file."""
    removed = _counted(winner)
    if removed and any(file.path in removed for file in attempt.footprint.removes):
        return f"{winner.transaction} removed a file that it removes as well"
    return None


READ = Rule(
    "delete read",
    "ConcurrentDeleteRead",
    read_check,
    _SOURCE + "check_for_deleted_files_against_current_txn_read_files",
)

REMOVED = Rule(
    "delete delete",
    "ConcurrentDeleteDelete",
    removed_check,
    _SOURCE + "check_for_deleted_files_against_current_txn_deleted_files",
)
