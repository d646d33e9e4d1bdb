"""delta-rs: a winner wrote metadata, or a protocol that the current transaction does not know."""

from __future__ import annotations

from model.physical.log import Commit
from model.rules.base import Attempt, Rule

_SOURCE = "delta-rs, crates/core/src/kernel/transaction/conflict_checker.rs, "


def metadata_check(attempt: Attempt, winner: Commit) -> str | None:
    """Conflict with any metadata action, whatever it changes."""
    if winner.footprint.metadata is None:
        return None
    return f"{winner.transaction} wrote metadata"


def protocol_check(attempt: Attempt, winner: Commit) -> str | None:
    """Conflict with a protocol of a higher version, or where both write one, even the same."""
    change = winner.footprint.protocol
    if change is None:
        return None
    if change.added:
        return f"{winner.transaction} raised the protocol's version"
    if attempt.footprint.protocol is not None:
        return f"both write the table's protocol, {winner.transaction} first"
    return None


METADATA = Rule(
    "metadata changed",
    "MetadataChanged",
    metadata_check,
    _SOURCE + "check_no_metadata_updates",
)

PROTOCOL = Rule(
    "protocol changed",
    "ProtocolChanged",
    protocol_check,
    _SOURCE + "check_protocol_compatibility",
)
"""The versions count, not the features; adding a constraint raises the writer's from 2 to 3."""
