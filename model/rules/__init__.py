"""Conflict rules of the physical layer, one module each."""

from model.rules.base import (
    SERIALIZABLE,
    SNAPSHOT_ISOLATION,
    WRITE_SERIALIZABLE,
    Attempt,
    Conflict,
    Rule,
)

__all__ = [
    "SERIALIZABLE",
    "SNAPSHOT_ISOLATION",
    "WRITE_SERIALIZABLE",
    "Attempt",
    "Conflict",
    "Rule",
]
