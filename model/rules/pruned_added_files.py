"""delta-rs: a winner added a file that the current transaction's predicate may match."""

from __future__ import annotations

from model.levels import SNAPSHOT_ISOLATION, WRITE_SERIALIZABLE
from model.physical.log import Commit
from model.physical.pruning import pruner
from model.rules.base import Attempt, Rule


def check(attempt: Attempt, winner: Commit) -> str | None:
    """Conflict with an added file whose statistics leave room for a match.

    At WriteSerializable a winner that says of itself that it is a blind append is left out.
    delta-rs never says so of its own commits, so among them both levels are checked alike. Files
    that were only rearranged count. A transaction without a predicate conflicts with none, and
    a DELETE or an append has none when it names no condition.
    """
    if attempt.level == SNAPSHOT_ISOLATION:
        return None
    if attempt.level == WRITE_SERIALIZABLE and winner.blind:
        return None
    if attempt.footprint.read_whole_table and winner.footprint.adds:
        return f"{winner.transaction} added files to the table, all of which it had read"
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
