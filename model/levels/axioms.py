"""The levels of key-value histories as data: which axioms a commit order and a visibility obey.

A history satisfies a level when some total order of its transactions (the *commit order*) and
some relation within it (*visibility*) explain it: sessions and whatever was read are visible, each
read returns the last visible version, and the level's axioms hold. These are the definitions of
Cerone, Bernardi and Gotsman (CONCUR 2015), with the order of sessions in visibility. Those of
Biswas and Enea (OOPSLA 2019) say the same (``checker/proofs/theorems/key_value_levels.py``);
ReadCommitted is theirs. ``docs/levels.md`` has the levels in words.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Axiom(StrEnum):
    """What a level asks of visibility and of the commit order."""

    TRANSITIVE = "what is visible to something visible is visible"
    NO_CONFLICT = "of two writers of one key, one is visible to the other"
    PREFIX = "what precedes something visible is visible"
    TOTAL = "whatever precedes is visible"


@dataclass(frozen=True, slots=True)
class KeyValueLevel:
    """One level: its axioms, and which reads it is about.

    ``each_read``: every read has a visibility of its own, what was read before it in its
    transaction; there are no axioms then. ``phantoms``: a row that a predicate read did not
    return had *some* earlier version that does not match, not the last visible one. ``readers``:
    whether the reads of transactions that write nothing count; if not, they return *some* earlier
    version each.
    """

    name: str
    short: str
    source: str
    axioms: frozenset[Axiom] = frozenset()
    each_read: bool = False
    phantoms: bool = False
    readers: bool = True


_CERONE = "Cerone, Bernardi, Gotsman 2015"
_BISWAS = "Biswas, Enea 2019"

LEVELS: dict[str, KeyValueLevel] = {
    level.name: level
    for level in (
        KeyValueLevel("ReadCommitted", "RC", _BISWAS, each_read=True),
        KeyValueLevel("ReadAtomic", "RA", _CERONE),
        KeyValueLevel("UpdateAtomic", "UA", _CERONE, frozenset({Axiom.NO_CONFLICT})),
        KeyValueLevel("Causal", "CC", _CERONE, frozenset({Axiom.TRANSITIVE})),
        KeyValueLevel("Prefix", "PC", _CERONE, frozenset({Axiom.PREFIX})),
        KeyValueLevel(
            "ParallelSnapshotIsolation",
            "PSI",
            _CERONE,
            frozenset({Axiom.TRANSITIVE, Axiom.NO_CONFLICT}),
        ),
        KeyValueLevel(
            "SnapshotIsolation", "SI", _CERONE, frozenset({Axiom.PREFIX, Axiom.NO_CONFLICT})
        ),
        KeyValueLevel(
            "WriteSerializable",
            "WS",
            "Fekete, O'Neil, O'Neil 2004 (update serializability)",
            frozenset({Axiom.TOTAL}),
            readers=False,
        ),
        KeyValueLevel("RepeatableRead", "RR", "Adya 1999", frozenset({Axiom.TOTAL}), phantoms=True),
        KeyValueLevel("Serializable", "SER", _CERONE, frozenset({Axiom.TOTAL})),
    )
}
"""Every level by name, from weak to strong as far as they can be compared."""
