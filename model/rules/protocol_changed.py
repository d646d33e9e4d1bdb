"""A winner changed the protocol in a way that the current transaction cannot take over."""

from __future__ import annotations

from model.log import Commit
from model.rules.base import Attempt, Rule

FAILS_AT_UPGRADE = frozenset(
    {"clustering", "identityColumns", "icebergCompatV1", "icebergCompatV2"}
)
"""Features whose arrival asks something of every writer, so that those in flight must fail.

Source: TableFeature.scala, ``failConcurrentTransactionsAtUpgrade``.
"""


def check(attempt: Attempt, winner: Commit) -> str | None:
    """Conflict when both change the protocol, or the winner drops or unsafely adds features."""
    change = winner.footprint.protocol
    if change is None:
        return None
    if attempt.footprint.protocol is not None:
        return f"both change the table's protocol, {winner.transaction} first"
    if change.dropped:
        return f"{winner.transaction} dropped {', '.join(sorted(change.dropped))}"
    if unsafe := change.added & FAILS_AT_UPGRADE:
        return f"{winner.transaction} added {', '.join(sorted(unsafe))}"
    return None


RULE = Rule(
    "protocol changed",
    "ProtocolChanged",
    check,
    "ConflictChecker.scala, checkProtocolCompatibility; N94",
)
