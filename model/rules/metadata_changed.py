"""A winner changed the table's metadata."""

from __future__ import annotations

from model.physical.log import Commit
from model.rules.base import Attempt, Rule

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
"""Properties whose enablement a transaction in flight can take over.

Source: ConflictChecker.scala, ``metadataConfigurationChangeAllowList``; each was replayed.
"""


def check(attempt: Attempt, winner: Commit) -> str | None:
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
    change = commit.footprint.metadata
    return change is not None and change.identity_only and change.schema_changed


RULE = Rule(
    "metadata changed",
    "MetadataChanged",
    check,
    "ConflictChecker.scala, attemptToResolveMetadataConflicts; N92, N97",
)
