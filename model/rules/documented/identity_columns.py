"""A table with identity columns supports no concurrent transactions."""

from __future__ import annotations

from model.physical.log import Commit
from model.rules.base import Attempt, Rule


def check(attempt: Attempt, winner: Commit) -> str | None:
    """Conflict with every winner. The documents name no exception for it.

    Identity columns keep their high-water mark in the table's metadata, so the conflict goes by
    the name that a metadata change has.
    """
    if not attempt.table.identities:
        return None
    return f"{winner.transaction} wrote to a table with identity columns at the same time"


RULE = Rule(
    "identity columns",
    "MetadataChanged",
    check,
    "notes to both matrices, 14.2 and 14.3; N58",
)
