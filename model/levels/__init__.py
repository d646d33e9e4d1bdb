"""Isolation levels: every level, in one place; other packages import levels from here.

``table`` lists every level once, with its definitions: as forbidden cycles (``cycles``), as axioms
of key-value histories (``axioms``), and as a level of recorded histories (``recorded``).
``anomalies`` names the cycles, ``snapshots`` says which levels coincide where every transaction
reads one snapshot.
"""

from model.levels.anomalies import (
    LOST_UPDATE,
    WRITE_SKEW,
    common_name,
    consecutive,
    cycle_name,
)
from model.levels.axioms import Axiom, KeyValueLevel
from model.levels.cycles import (
    CONFLICTS,
    DEPENDENCIES,
    ITEM_RW,
    LOG,
    RW,
    START,
    UNSEEN,
    WR,
    WW,
    EdgeKind,
    Level,
    Phenomenon,
)
from model.levels.recorded import STRONG_SESSION, RecordedLevel
from model.levels.table import (
    CAUSAL,
    CONSISTENT_VIEW,
    DELTA_LEVELS,
    KEY_VALUE_LEVELS,
    LEVELS,
    MEANS,
    PL_3,
    READ_ATOMIC,
    READ_COMMITTED,
    READ_UNCOMMITTED,
    RECORDED_LEVELS,
    REPEATABLE_READ,
    SERIALIZABLE,
    SHORT,
    SHORT_WITHOUT_LOG,
    SNAPSHOT_ISOLATION,
    STRICT_SERIALIZABLE,
    WRITE_SERIALIZABLE,
    forbids,
    implied_by,
    implies,
)

__all__ = [
    "CAUSAL",
    "CONFLICTS",
    "CONSISTENT_VIEW",
    "DELTA_LEVELS",
    "DEPENDENCIES",
    "ITEM_RW",
    "KEY_VALUE_LEVELS",
    "LEVELS",
    "LOG",
    "LOST_UPDATE",
    "MEANS",
    "PL_3",
    "READ_ATOMIC",
    "READ_COMMITTED",
    "READ_UNCOMMITTED",
    "RECORDED_LEVELS",
    "REPEATABLE_READ",
    "RW",
    "SERIALIZABLE",
    "SHORT",
    "SHORT_WITHOUT_LOG",
    "SNAPSHOT_ISOLATION",
    "START",
    "STRICT_SERIALIZABLE",
    "STRONG_SESSION",
    "UNSEEN",
    "WR",
    "WRITE_SERIALIZABLE",
    "WRITE_SKEW",
    "WW",
    "Axiom",
    "EdgeKind",
    "KeyValueLevel",
    "Level",
    "Phenomenon",
    "RecordedLevel",
    "common_name",
    "consecutive",
    "cycle_name",
    "forbids",
    "implied_by",
    "implies",
]
