"""The conflict rules of Delta Lake on Spark, in the order in which ConflictChecker.scala asks.

First comes the level that a commit is checked at, since every rule is asked at that level. Each
rule is a function and, below it, the :class:`Rule` that names the function, its conflict and its
source. ``isodelta prove`` reads the functions as they stand (``checker.proofs.translation``).
"""

from __future__ import annotations

from model.expressions import syntax as expressions
from model.levels import SERIALIZABLE, SNAPSHOT_ISOLATION, WRITE_SERIALIZABLE
from model.physical.files import DataFile
from model.physical.footprint import Footprint
from model.physical.log import Commit
from model.physical.skipping import partition_matches
from model.rules.base import Attempt, Rule
from model.tables.protocol import ENABLING
from model.tables.table import CHECK_PREFIX
from model.values.types import sql_literal

REARRANGING_OPERATIONS = frozenset(
    {
        "Deletion Vector Tombstones",
        "Empty Commit",
        "OPTIMIZE",
        "REORG",
        "ROW TRACKING BACKFILL",
        "ROW TRACKING UNBACKFILL",
        "VACUUM START",
        "VACUUM END",
    }
)
"""Operations that never change data (DeltaOperations.scala, ``changesData``)."""


def level_in_force(table_level: str, footprint: Footprint) -> str:
    """The level at which one commit on a table of level ``table_level`` is checked.

    A commit that changed no data is checked at SnapshotIsolation; on a WriteSerializable table
    only if its operation is also one that never changes any. One that writes anything besides
    files (metadata, protocol, a domain, an application id) is checked at the table's level
    (OptimisticTransaction.scala, ``getIsolationLevelToUse``). ``commitLarge`` checks nothing and
    logs Serializable.
    """
    if footprint.next_version_only:
        return SERIALIZABLE
    changed = footprint.data_changed and bool(footprint.adds or footprint.removes)
    if changed or footprint.metadata or footprint.protocol or footprint.domains:
        return table_level
    if footprint.applications_written:
        return table_level
    if table_level == SERIALIZABLE:
        return SNAPSHOT_ISOLATION
    if table_level == WRITE_SERIALIZABLE and footprint.operation in REARRANGING_OPERATIONS:
        return SNAPSHOT_ISOLATION
    return table_level


def skips_empty_commit(level: str) -> bool:
    """Whether a commit without actions is left out of the log at the level in force."""
    return level in (SERIALIZABLE, SNAPSHOT_ISOLATION)


def next_version(attempt: Attempt, winner: Commit) -> str | None:
    """Conflict with any winner, for a commit that is tried once and without a conflict check."""
    if not attempt.footprint.next_version_only:
        return None
    return f"{winner.transaction} wrote version {winner.version}, the only one that it may write"


NEXT_VERSION = Rule(
    "next version",
    "ConcurrentWrite",
    next_version,
    "OptimisticTransaction.scala, commitLarge",
)


def protocol_changed(attempt: Attempt, winner: Commit) -> str | None:
    """Conflict if both change the protocol, or if the winner drops features.

    Features that a winner adds are not a conflict in themselves: none of those that a table can
    get by a property or a clause was seen to fail a transaction in flight.
    """
    change = winner.footprint.protocol
    if change is None:
        return None
    if attempt.footprint.protocol is not None:
        return f"both change the table's protocol, {winner.transaction} first"
    if change.dropped:
        return f"{winner.transaction} dropped {', '.join(sorted(change.dropped))}"
    return None


PROTOCOL_CHANGED = Rule(
    "protocol changed",
    "ProtocolChanged",
    protocol_changed,
    "ConflictChecker.scala, checkProtocolCompatibility; N94",
)


def feature_in_use(attempt: Attempt, winner: Commit) -> str | None:
    """Failure of DROP FEATURE against a winner that has put the feature to use.

    The winner did so by a CHECK constraint, or by the property that enables the feature.
    """
    mine, theirs = attempt.footprint.protocol, winner.footprint.metadata
    if mine is None or theirs is None or not mine.dropped:
        return None
    if "checkConstraints" in mine.dropped:
        if any(key.startswith(CHECK_PREFIX) for key in theirs.properties):
            return f"{winner.transaction} added a CHECK constraint"
        return None
    for key in theirs.properties - theirs.turned_off:
        if any(ENABLING.get(feature, ("", ""))[0] == key for feature in mine.dropped):
            return f"{winner.transaction} changed {key}"
    return None


FEATURE_IN_USE = Rule(
    "feature in use",
    "DELTA_FEATURE_DROP_CONFLICT_REVALIDATION_FAIL",
    feature_in_use,
    "ConflictChecker.scala, checkProtocolCompatibility",
)

HARMLESS_PROPERTIES = frozenset(
    {
        "delta.enableRowTracking",
        "delta.rowTracking.materializedRowIdColumnName",
        "delta.rowTracking.materializedRowCommitVersionColumnName",
        "delta.columnMapping.mode",
        "delta.columnMapping.maxColumnId",
        "delta.enableDeletionVectors",
        "delta.checkpointPolicy",
        "delta.enableInCommitTimestamps",
    }
)
"""Properties that a winner may enable without failing a transaction in flight.

Source: ConflictChecker.scala, ``metadataConfigurationChangeAllowList``; each was replayed.
"""


def metadata_changed(attempt: Attempt, winner: Commit) -> str | None:
    """Conflict with any metadata change, apart from harmless ones that only the winner makes.

    A winner that handed out identity values is passed over, but its new high-water mark is
    not taken over: a later winner's metadata differs by it, and conflicts whatever it changes.
    """
    change = winner.footprint.metadata
    if change is None:
        return None
    if attempt.footprint.metadata is not None:
        return f"both change the table's metadata, {winner.transaction} first"
    if change.identity_only:
        return None
    if change.schema_changed:
        return f"{winner.transaction} changed the table's schema"
    if change.properties_removed:
        return f"{winner.transaction} removed a table property"
    if harmful := (change.properties - HARMLESS_PROPERTIES) | change.turned_off:
        return f"{winner.transaction} changed {', '.join(sorted(harmful))}"
    if any(_moved(earlier) for earlier in attempt.winners if earlier.version < winner.version):
        return f"{winner.transaction} wrote metadata after identity values were handed out"
    return None


def _moved(commit: Commit) -> bool:
    """Whether a commit moved the high-water mark of an identity column, and changed no more."""
    change = commit.footprint.metadata
    return change is not None and change.identity_only and change.schema_changed


METADATA_CHANGED = Rule(
    "metadata changed",
    "MetadataChanged",
    metadata_changed,
    "ConflictChecker.scala, attemptToResolveMetadataConflicts; N92, N97",
)


def domain_metadata(attempt: Attempt, winner: Commit) -> str | None:
    """Conflict if both write the same domain of metadata, such as the clustering columns."""
    shared = attempt.footprint.domains & winner.footprint.domains
    if shared:
        return f"{winner.transaction} wrote {', '.join(sorted(shared))} as well"
    return None


DOMAIN_METADATA = Rule(
    "domain metadata",
    "ConcurrentTransaction",
    domain_metadata,
    "ConflictChecker.scala, checkIfDomainMetadataConflict",
)


def application_transaction(attempt: Attempt, winner: Commit) -> str | None:
    """Conflict if the winner wrote an application id that the current transaction read."""
    written = {application for application, _ in winner.footprint.applications_written}
    shared = attempt.footprint.applications_read & written
    if shared:
        return f"{winner.transaction} wrote for application {', '.join(sorted(shared))} as well"
    return None


APPLICATION_TRANSACTION = Rule(
    "application transaction",
    "ConcurrentTransaction",
    application_transaction,
    "ConflictChecker.scala, checkForUpdatedApplicationTransactionIdsThatCurrentTxnDependsOn; N93",
)


def added_files(attempt: Attempt, winner: Commit) -> str | None:
    """Conflict with a file added to a partition that a read predicate matches.

    Conditions on data columns count as TRUE: statistics of the new file are not looked at. In
    a table without partitions any new file conflicts, whatever was read. A commit that only
    states again the files that are there neither conflicts nor is conflicted with.
    """
    footprint, added = attempt.footprint, winner.footprint.adds
    if not added or footprint.blind_append or not looks_at_added_files(attempt, winner):
        return None
    if footprint.restates or winner.footprint.restates:
        return None
    if footprint.read_whole_table or not attempt.table.partitions:
        return f"{winner.transaction} added a file to the table, which it reads"
    for predicate in footprint.read_predicates:
        for file in added:
            if partition_matches(predicate, file, attempt.table):
                where = expressions.sql(predicate.partition)
                return (
                    f"{winner.transaction} added a file to {_partition(attempt, file)}, "
                    f"which it reads (partitions where {where})"
                )
    return None


def looks_at_added_files(attempt: Attempt, winner: Commit) -> bool:
    """Whether the level in force looks at the files that this winner added.

    SnapshotIsolation looks at none; WriteSerializable leaves out blind appends, unless the
    current transaction changes metadata; Serializable looks at all.
    """
    if attempt.level == SNAPSHOT_ISOLATION:
        return False
    if attempt.level == WRITE_SERIALIZABLE and attempt.footprint.metadata is None:
        return not winner.blind
    return True


def _partition(attempt: Attempt, file: DataFile) -> str:
    pairs = zip(attempt.table.partitions, file.partition, strict=True)
    return "partition " + ", ".join(
        f"{attempt.table.names[index]} = {sql_literal(value)}" for index, value in pairs
    )


ADDED_FILES = Rule(
    "added files",
    "ConcurrentAppend",
    added_files,
    "ConflictChecker.scala, checkForAddedFilesThatShouldHaveBeenReadByCurrentTxn; N86, N87",
)


def delete_read(attempt: Attempt, winner: Commit) -> str | None:
    """Conflict with the removal of a file that was read, or of any if the whole table was read.

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


DELETE_READ = Rule(
    "delete read",
    "ConcurrentDeleteRead",
    delete_read,
    "ConflictChecker.scala, checkForDeletedFilesAgainstCurrentTxnReadFiles; N90",
)


def delete_delete(attempt: Attempt, winner: Commit) -> str | None:
    """Conflict if both remove the same file."""
    removed = winner.footprint.removes
    if not removed:
        return None
    mine = {file.path for file in attempt.footprint.removes}
    if any(file.path in mine for file in removed):
        return f"{winner.transaction} removed a file that it removes as well"
    return None


DELETE_DELETE = Rule(
    "delete delete",
    "ConcurrentDeleteDelete",
    delete_delete,
    "ConflictChecker.scala, checkForDeletedFilesAgainstCurrentTxnDeletedFiles; N91",
)
