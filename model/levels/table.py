"""The table of isolation levels: every level once, with all its definitions.

A new level is a new row here. Its implications, the values that files and options accept, the
tables of separations and the schema of scenario files follow from the row.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from model.levels.axioms import Axiom, KeyValueLevel
from model.levels.cycles import (
    G0,
    G1C,
    G1C_WRITERS,
    G2,
    G2_ITEM,
    G2_WRITERS,
    G_LOG,
    G_SIA,
    G_SIB,
    G_SINGLE,
    G_START,
    Level,
    weaker_levels,
)
from model.levels.recorded import RecordedLevel

READ_UNCOMMITTED = "ReadUncommitted"
READ_COMMITTED = "ReadCommitted"
READ_ATOMIC = "ReadAtomic"
UPDATE_ATOMIC = "UpdateAtomic"
CAUSAL = "Causal"
PREFIX = "Prefix"
PARALLEL_SNAPSHOT_ISOLATION = "ParallelSnapshotIsolation"
CONSISTENT_VIEW = "ConsistentView"
REPEATABLE_READ = "RepeatableRead"
SNAPSHOT_ISOLATION = "SnapshotIsolation"
WRITE_SERIALIZABLE = "WriteSerializable"
PL_3 = "PL-3"
SERIALIZABLE = "Serializable"
STRICT_SERIALIZABLE = "StrictSerializable"

DELTA_LEVELS = (SERIALIZABLE, WRITE_SERIALIZABLE)
"""The two levels of a Delta table (N1), which every verdict reports."""


class Names(NamedTuple):
    """The name of a level, and a short one for the head of a table."""

    name: str
    short: str


@dataclass(frozen=True, slots=True)
class Row:
    """One level: its name, a short one for the head of a table, and its definitions.

    ``cycles`` defines it for histories of a Delta table, ``axioms`` for key-value histories, which
    have no log; ``recorded`` gives its place among the levels of recorded histories.
    ``without_log`` is its name in the last two, if that is different.
    """

    name: str
    short: str
    cycles: Level | None = None
    axioms: KeyValueLevel | None = None
    recorded: RecordedLevel | None = None
    without_log: Names | None = None


_ADYA = "Adya 1999"
_ADYA_2000 = "Adya, Liskov, O'Neil 2000"
_CERONE = "Cerone, Bernardi, Gotsman 2015"
_BISWAS = "Biswas, Enea 2019"

TABLE: tuple[Row, ...] = (
    Row(
        READ_UNCOMMITTED,
        "RU",
        Level("PL-1", (G0,), _ADYA_2000),
    ),
    Row(
        READ_COMMITTED,
        "RC",
        Level("PL-2", (G1C,), _ADYA_2000),
        KeyValueLevel(_BISWAS, each_read=True),
        RecordedLevel(0, breach="non-monotonic read"),
    ),
    Row(
        READ_ATOMIC,
        "RA",
        axioms=KeyValueLevel(_CERONE),
        recorded=RecordedLevel(1, breach="read skew"),
    ),
    Row(
        UPDATE_ATOMIC,
        "UA",
        axioms=KeyValueLevel(_CERONE, frozenset({Axiom.NO_CONFLICT})),
    ),
    Row(
        CAUSAL,
        "CC",
        axioms=KeyValueLevel(_CERONE, frozenset({Axiom.TRANSITIVE})),
        recorded=RecordedLevel(2, breach="causality violation", sessions=True),
    ),
    Row(
        PREFIX,
        "PC",
        axioms=KeyValueLevel(_CERONE, frozenset({Axiom.PREFIX})),
        recorded=RecordedLevel(3),
    ),
    Row(
        PARALLEL_SNAPSHOT_ISOLATION,
        "PSI",
        axioms=KeyValueLevel(_CERONE, frozenset({Axiom.TRANSITIVE, Axiom.NO_CONFLICT})),
    ),
    Row(
        CONSISTENT_VIEW,
        "CV",
        Level("PL-2+", (G1C, G_SINGLE), _ADYA),
    ),
    Row(
        REPEATABLE_READ,
        "RR",
        Level("PL-2.99", (G1C, G2_ITEM), _ADYA_2000),
        KeyValueLevel(_ADYA, frozenset({Axiom.TOTAL}), phantoms=True),
        RecordedLevel(5),
    ),
    Row(
        SNAPSHOT_ISOLATION,
        "SI",
        Level(
            "PL-SI",
            (G1C, G_SIA, G_SIB),
            f"{_ADYA}; Berenson et al. 1995; Delta documentation (N10)",
            note="Start and commit points are versions of the log.",
        ),
        KeyValueLevel(_CERONE, frozenset({Axiom.PREFIX, Axiom.NO_CONFLICT})),
        RecordedLevel(4),
    ),
    Row(
        WRITE_SERIALIZABLE,
        "WS",
        Level(
            "Delta's WriteSerializable",
            (G1C_WRITERS, G2_WRITERS),
            "Delta documentation (N3, N6, N8, N11)",
            readers=False,
            serial_order="any",
            note="Readers see a snapshot of the log, which no serial order of the writers "
            "needs to have as a state.",
        ),
        KeyValueLevel(
            "Fekete, O'Neil, O'Neil 2004 (update serializability)",
            frozenset({Axiom.TOTAL}),
            readers=False,
        ),
    ),
    Row(
        PL_3,
        "PL-3",
        Level("serializability in any order", (G1C, G2), _ADYA_2000, serial_order="any"),
        KeyValueLevel(_CERONE, frozenset({Axiom.TOTAL})),
        RecordedLevel(5),
        without_log=Names(SERIALIZABLE, "SER"),
    ),
    Row(
        SERIALIZABLE,
        "S",
        Level(
            "Delta's Serializable",
            (G_LOG,),
            "Delta documentation (N2, N3, N4)",
            serial_order="log",
        ),
    ),
    Row(
        STRICT_SERIALIZABLE,
        "StrictS",
        Level(
            "serializability in real time",
            (G_START,),
            "Papadimitriou 1979",
            serial_order="log",
            note="Real time is known only as far as versions show it: a commit that a snapshot "
            "shows came before it. When a reader ended is not recorded, so no history of this "
            "type separates this level from Serializable.",
        ),
        recorded=RecordedLevel(6, real_time=True),
    ),
)
"""Every level, from weak to strong as far as they can be compared."""


LEVELS: dict[str, Level] = {row.name: row.cycles for row in TABLE if row.cycles is not None}
"""The levels of histories of a Delta table by name, in table order."""

_WITHOUT_LOG = [(row.without_log or Names(row.name, row.short), row) for row in TABLE]

KEY_VALUE_LEVELS: dict[str, KeyValueLevel] = {
    names.name: row.axioms
    for rank in range(3)
    for names, row in _WITHOUT_LOG
    if row.axioms is not None and row.axioms.rank == rank
}
"""The levels of key-value histories by name, by their rank."""

RECORDED_LEVELS: dict[str, RecordedLevel] = {
    names.name: recorded
    for strength in range(len(TABLE))
    for names, row in _WITHOUT_LOG
    if (recorded := row.recorded) is not None and recorded.strength == strength
}
"""The levels of recorded histories by name, weak to strong."""

SHORT: dict[str, str] = {row.name: row.short for row in TABLE}
"""A short name of every level, for the head of a table."""

SHORT_WITHOUT_LOG: dict[str, str] = {
    names.name: names.short for names, row in _WITHOUT_LOG if row.axioms is not None
}
"""The same for histories without a log."""

MEANS: dict[str, str] = {row.without_log.name: row.name for row in TABLE if row.without_log}
"""Names that mean one level in a history with a log and another in one without.

Without a log, Serializable is Adya's PL-3: serializable in some order. Delta's level of that name
requires the order of the log.
"""


@cache
def implies(stronger: str, weaker: str) -> bool:
    """Whether a history that holds ``stronger`` must hold ``weaker``, by the table.

    Raises ``KeyError`` for a name that is not in ``LEVELS``.
    """
    if weaker not in LEVELS:
        raise KeyError(weaker)
    return weaker in weaker_levels(LEVELS, stronger)


def implied_by(name: str) -> tuple[str, ...]:
    """The other levels that a history must hold when it holds this one, in table order."""
    return tuple(other for other in weaker_levels(LEVELS, name) if other != name)


def forbids(level: str, weakest: str) -> bool:
    """Whether a level of recorded histories forbids what ``weakest`` is the weakest to forbid."""
    return RECORDED_LEVELS[level].strength >= RECORDED_LEVELS[weakest].strength
