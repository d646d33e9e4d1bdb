"""A winner wrote a domain of metadata that the current transaction writes as well."""

from __future__ import annotations

from model.physical.log import Commit
from model.rules.base import Attempt, Rule


def check(attempt: Attempt, winner: Commit) -> str | None:
    """Conflict when both write the same domain, such as the clustering columns."""
    shared = attempt.footprint.domains & winner.footprint.domains
    if shared:
        return f"{winner.transaction} wrote {', '.join(sorted(shared))} as well"
    return None


RULE = Rule(
    "domain metadata",
    "ConcurrentTransaction",
    check,
    "ConflictChecker.scala, checkIfDomainMetadataConflict",
)
