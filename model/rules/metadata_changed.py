"""A winner changed the table's metadata."""

from __future__ import annotations

from model.log import Commit
from model.rules.base import Attempt, Rule

HARMLESS_PROPERTIES = frozenset(
    {
        "delta.enableRowTracking",
        "delta.rowTracking.materializedRowIdColumnName",
        "delta.rowTracking.materializedRowCommitVersionColumnName",
        "delta.columnMapping.mode",
        "delta.columnMapping.maxColumnId",
        "delta.enableDeletionVectors",
    }
)
"""Properties whose enablement a transaction in flight can take over.

Source: ConflictChecker.scala, ``metadataConfigurationChangeAllowList``.
"""


def check(attempt: Attempt, winner: Commit) -> str | None:
    """Conflict with any metadata change, apart from harmless ones that only the winner makes."""
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
    if harmful := change.properties - HARMLESS_PROPERTIES:
        return f"{winner.transaction} changed {', '.join(sorted(harmful))}"
    return None


RULE = Rule(
    "metadata changed",
    "MetadataChanged",
    check,
    "ConflictChecker.scala, attemptToResolveMetadataConflicts; N92, N97",
)
