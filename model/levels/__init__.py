"""Every isolation level, in one place: as forbidden cycles, as axioms, and of recorded histories.

``cycles`` has the table that Delta's levels come from, ``axioms`` the levels of key-value
histories, ``recorded`` the levels that histories of other tools are judged at, and ``snapshots``
which of them coincide where everybody reads one snapshot.
"""

from model.levels.cycles import (
    CONFLICTS,
    DELTA_LEVELS,
    DEPENDENCIES,
    ITEM_RW,
    LEVELS,
    LOG,
    RW,
    START,
    UNSEEN,
    WR,
    WW,
    EdgeKind,
    Level,
    Phenomenon,
    anomaly,
    implied_by,
    implies,
)

__all__ = [
    "CONFLICTS",
    "DELTA_LEVELS",
    "DEPENDENCIES",
    "ITEM_RW",
    "LEVELS",
    "LOG",
    "RW",
    "START",
    "UNSEEN",
    "WR",
    "WW",
    "EdgeKind",
    "Level",
    "Phenomenon",
    "anomaly",
    "implied_by",
    "implies",
]
