"""The conflict rules of delta-rs, in the order in which conflict_checker.rs asks.

It also has two rules of Delta on Spark (``delta_spark``): the next version alone for a commit
that is not tried again, and the application transaction. The profile lists them all.
"""

from __future__ import annotations

from model.levels import SNAPSHOT_ISOLATION, WRITE_SERIALIZABLE
from model.physical.log import Commit
from model.physical.pruning import pruner
from model.rules.base import Attempt, Rule

_SOURCE = "delta-rs, crates/core/src/kernel/transaction/conflict_checker.rs, "


def protocol_changed(attempt: Attempt, winner: Commit) -> str | None:
    """Conflict with a protocol of a higher version, or if both write one, even the same."""
    change = winner.footprint.protocol
    if change is None:
        return None
    if change.added:
        return f"{winner.transaction} raised the protocol's version"
    if attempt.footprint.protocol is not None:
        return f"both write the table's protocol, {winner.transaction} first"
    return None


PROTOCOL_CHANGED = Rule(
    "protocol changed",
    "ProtocolChanged",
    protocol_changed,
    _SOURCE + "check_protocol_compatibility",
)
"""The versions count, not the features; adding a constraint raises the writer's from 2 to 3."""


def metadata_changed(attempt: Attempt, winner: Commit) -> str | None:
    """Conflict with any metadata action, whatever it changes."""
    if winner.footprint.metadata is None:
        return None
    return f"{winner.transaction} wrote metadata"


METADATA_CHANGED = Rule(
    "metadata changed",
    "MetadataChanged",
    metadata_changed,
    _SOURCE + "check_no_metadata_updates",
)


def added_files(attempt: Attempt, winner: Commit) -> str | None:
    """Conflict with an added file if its statistics do not rule out a match of a read predicate.

    At WriteSerializable a winner that calls itself a blind append is left out. delta-rs never
    calls its own commits so, hence both levels are checked alike among them. Files that were
    only rearranged count. A transaction without a predicate conflicts with none, and a DELETE or
    an append has none when it names no condition.
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


ADDED_FILES = Rule(
    "added files",
    "ConcurrentAppend",
    added_files,
    _SOURCE + "check_for_added_files_that_should_have_been_read_by_current_txn",
)


def delete_read(attempt: Attempt, winner: Commit) -> str | None:
    """Conflict with the removal of a file that counts as read."""
    removed = _removed_data(winner)
    if removed and any(file.path in removed for file in attempt.footprint.read_files):
        return f"{winner.transaction} removed a file that counts as read"
    if removed and attempt.footprint.read_whole_table:
        return f"{winner.transaction} removed a file of the table, all of which it had read"
    return None


DELETE_READ = Rule(
    "delete read",
    "ConcurrentDeleteRead",
    delete_read,
    _SOURCE + "check_for_deleted_files_against_current_txn_read_files",
)


def delete_delete(attempt: Attempt, winner: Commit) -> str | None:
    """Conflict if both remove the same file.

    A statement has also read whatever it removes, so ``delete_read`` always speaks first.
    """
    removed = _removed_data(winner)
    if removed and any(file.path in removed for file in attempt.footprint.removes):
        return f"{winner.transaction} removed a file that it removes as well"
    return None


DELETE_DELETE = Rule(
    "delete delete",
    "ConcurrentDeleteDelete",
    delete_delete,
    _SOURCE + "check_for_deleted_files_against_current_txn_deleted_files",
)


def _removed_data(winner: Commit) -> frozenset[str]:
    """The paths that a winner removed, without those that it only rearranged.

    ``dataChange`` is false for a compaction, and both rules pass such a removal over. So an
    operation that replaces files which a compaction has already replaced commits all the same,
    and brings back the rows that it copied, or misses those that it meant to delete.
    """
    footprint = winner.footprint
    return frozenset(f.path for f in footprint.removes) if footprint.data_changed else frozenset()
