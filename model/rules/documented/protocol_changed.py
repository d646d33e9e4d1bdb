"""A winner changed the table's protocol, as the documents word it."""

from __future__ import annotations

from model.physical.log import Commit
from model.rules.base import Attempt, Rule


def check(attempt: Attempt, winner: Commit) -> str | None:
    """Conflict with every protocol change: an upgrade fails all operations in flight."""
    if winner.footprint.protocol is None:
        return None
    return f"{winner.transaction} changed the table's protocol"


RULE = Rule(
    "protocol changed",
    "ProtocolChanged",
    check,
    "ProtocolChangedException (all); REORG that upgrades (14.3); N60, N94",
)
