"""A winner took the only version that the current transaction could have written."""

from __future__ import annotations

from model.physical.log import Commit
from model.rules.base import Attempt, Rule


def check(attempt: Attempt, winner: Commit) -> str | None:
    """Conflict of a commit that is tried once, without a conflict check, with any winner."""
    if not attempt.footprint.next_version_only:
        return None
    return f"{winner.transaction} wrote version {winner.version}, the only one that it may write"


RULE = Rule(
    "next version",
    "ConcurrentWrite",
    check,
    "OptimisticTransaction.scala, commitLarge",
)
