"""A winner wrote an application transaction that the current one depends on."""

from __future__ import annotations

from model.physical.log import Commit
from model.rules.base import Attempt, Rule


def check(attempt: Attempt, winner: Commit) -> str | None:
    """Conflict when the winner wrote an application id that the current transaction read."""
    written = {application for application, _ in winner.footprint.applications_written}
    shared = attempt.footprint.applications_read & written
    if shared:
        return f"{winner.transaction} wrote for application {', '.join(sorted(shared))} as well"
    return None


RULE = Rule(
    "application transaction",
    "ConcurrentTransaction",
    check,
    "ConflictChecker.scala, checkForUpdatedApplicationTransactionIdsThatCurrentTxnDependsOn; N93",
)
