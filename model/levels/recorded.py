"""The levels that a foreign history is judged at, weak to strong."""

from __future__ import annotations

READ_COMMITTED = "ReadCommitted"
READ_ATOMIC = "ReadAtomic"
CAUSAL = "Causal"
REPEATABLE_READ = "RepeatableRead"
SNAPSHOT = "SnapshotIsolation"
SERIALIZABLE = "Serializable"

STRENGTH = {
    READ_COMMITTED: 0,
    READ_ATOMIC: 1,
    CAUSAL: 2,
    SNAPSHOT: 3,
    REPEATABLE_READ: 4,
    SERIALIZABLE: 4,
}
"""A larger number forbids whatever a smaller one forbids.

Without predicates and with the reads of a key-value history, Adya's PL-2.99 (repeatable read)
forbids the same cycles as PL-3, so both have one number.
"""

MEANS = {SERIALIZABLE: "PL-3"}
"""Names that another level has as well, and which one is meant here.

Without a log, Serializable is Adya's PL-3: serializable in some order. Delta's level of that name
demands the order of the log.
"""


def forbids(level: str, weakest: str) -> bool:
    """Whether a level forbids an anomaly that ``weakest`` is the weakest level to forbid."""
    return STRENGTH[level] >= STRENGTH[weakest]
