"""A winner uses a feature that the current transaction drops."""

from __future__ import annotations

from model.log import Commit
from model.rules.base import Attempt, Rule
from model.table import CHECK_PREFIX


def check(attempt: Attempt, winner: Commit) -> str | None:
    """Failure of DROP FEATURE checkConstraints against a constraint that was added meanwhile."""
    mine, theirs = attempt.footprint.protocol, winner.footprint.metadata
    if mine is None or theirs is None or "checkConstraints" not in mine.dropped:
        return None
    if any(key.startswith(CHECK_PREFIX) for key in theirs.properties):
        return f"{winner.transaction} added a CHECK constraint"
    return None


RULE = Rule(
    "feature in use",
    "DELTA_FEATURE_DROP_CONFLICT_REVALIDATION_FAIL",
    check,
    "ConflictChecker.scala, checkProtocolCompatibility",
)
