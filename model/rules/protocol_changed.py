"""A winner changed the protocol in a way that the current transaction cannot take over."""

from __future__ import annotations

from model.physical.log import Commit
from model.rules.base import Attempt, Rule


def check(attempt: Attempt, winner: Commit) -> str | None:
    """Conflict when both change the protocol, or the winner drops features.

    Features that a winner adds are no conflict in themselves: none of those that a table can
    get by a property or a clause was seen to fail a transaction in flight.
    """
    change = winner.footprint.protocol
    if change is None:
        return None
    if attempt.footprint.protocol is not None:
        return f"both change the table's protocol, {winner.transaction} first"
    if change.dropped:
        return f"{winner.transaction} dropped {', '.join(sorted(change.dropped))}"
    return None


RULE = Rule(
    "protocol changed",
    "ProtocolChanged",
    check,
    "ConflictChecker.scala, checkProtocolCompatibility; N94",
)
