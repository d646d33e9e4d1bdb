"""A winner changed the table's metadata, as the documents word it."""

from __future__ import annotations

from model.physical.log import Commit
from model.rules.base import Attempt, Rule


def any_change(attempt: Attempt, winner: Commit) -> str | None:
    """Conflict with every metadata change, whatever it is."""
    if winner.footprint.metadata is None:
        return None
    return f"{winner.transaction} changed the table's metadata"


def schema_change(attempt: Attempt, winner: Commit) -> str | None:
    """Conflict where the schema changed, or where both change metadata.

    The least that "might cause concurrent writes to fail" can mean: a write in flight was
    checked against a schema that is gone, or the two changes would have to be merged.
    """
    change = winner.footprint.metadata
    if change is None:
        return None
    if attempt.footprint.metadata is not None:
        return f"both change the table's metadata, {winner.transaction} first"
    if change.schema_changed:
        return f"{winner.transaction} changed the table's schema"
    return None


ANY = Rule(
    "metadata changed",
    "MetadataChanged",
    any_change,
    "MetadataChangedException (2020, 14.2); metadata changes fail all concurrent writes (14.3); "
    "N92, N97, N98",
)

SCHEMA = Rule(
    "metadata changed",
    "MetadataChanged",
    schema_change,
    "metadata changes might fail concurrent writes (2026); N92",
)
