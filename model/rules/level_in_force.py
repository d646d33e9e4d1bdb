"""Which level a commit is checked at: not always the table's."""

from __future__ import annotations

from model.levels import SERIALIZABLE, SNAPSHOT_ISOLATION, WRITE_SERIALIZABLE
from model.physical.footprint import Footprint

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
    """The level for one commit on a table of level ``table_level``.

    A commit that changed no data is checked at SnapshotIsolation; on a WriteSerializable table
    only when its operation, besides, is one that never changes any. One that writes anything
    besides files (metadata, protocol, a domain, an application id) is checked at the table's
    level (OptimisticTransaction.scala, ``getIsolationLevelToUse``). ``commitLarge`` checks
    nothing and logs Serializable.
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
