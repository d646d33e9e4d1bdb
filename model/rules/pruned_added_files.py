"""delta-rs: a winner added a file that the current transaction's predicate may match."""

from __future__ import annotations

from model.log import Commit
from model.pruning import pruner
from model.rules.base import SNAPSHOT_ISOLATION, Attempt, Rule


def check(attempt: Attempt, winner: Commit) -> str | None:
    """Conflict with an added file whose statistics leave room for a match.

    No winner is left out as a blind append at WriteSerializable: delta-rs looks for the flag in
    the winner's commit and never writes it there itself, so both levels are checked alike.
    Files that were only rearranged count. A transaction without a predicate conflicts with
    none, and a DELETE or an append has none when it names no condition.
    """
    if attempt.level == SNAPSHOT_ISOLATION:
        return None
    for predicate in attempt.footprint.read_predicates:
        matches = pruner(predicate.data)
        if any(matches(file) for file in winner.footprint.adds):
            return (
                f"{winner.transaction} added a file that may hold rows which it reads "
                f"({predicate.text})"
            )
    return None


RULE = Rule(
    "added files",
    "ConcurrentAppend",
    check,
    "delta-rs, crates/core/src/kernel/transaction/conflict_checker.rs, "
    "check_for_added_files_that_should_have_been_read_by_current_txn",
)
