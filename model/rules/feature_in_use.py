"""A winner uses a feature that the current transaction drops."""

from __future__ import annotations

from model.physical.log import Commit
from model.rules.base import Attempt, Rule
from model.tables.protocol import ENABLING
from model.tables.table import CHECK_PREFIX


def check(attempt: Attempt, winner: Commit) -> str | None:
    """Failure of DROP FEATURE against a winner that has put the feature to use.

    By a CHECK constraint, or by the property that enables it.
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


RULE = Rule(
    "feature in use",
    "DELTA_FEATURE_DROP_CONFLICT_REVALIDATION_FAIL",
    check,
    "ConflictChecker.scala, checkProtocolCompatibility",
)
