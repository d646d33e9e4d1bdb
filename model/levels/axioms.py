"""Isolation levels of key-value histories, as axioms of a commit order and a visibility.

A history satisfies a level when some total order of its transactions (the *commit order*) and
some relation within it (*visibility*) explain it: sessions and whatever was read are visible, each
read returns the last visible version, and the level's axioms hold. These are the definitions of
Cerone, Bernardi and Gotsman (CONCUR 2015), with the order of sessions in visibility. Those of
Biswas and Enea (OOPSLA 2019) say the same (``checker/proofs/theorems/key_value/levels.py``);
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
    """A level as its axioms, and which reads it is about.

    ``each_read``: every read has a visibility of its own, what was read before it in its
    transaction; there are no axioms then. ``phantoms``: a row that a predicate read did not
    return had *some* earlier version that does not match, not the last visible one. ``readers``:
    whether the reads of transactions that write nothing count; if not, they return *some* earlier
    version each.
    """

    source: str
    axioms: frozenset[Axiom] = frozenset()
    each_read: bool = False
    phantoms: bool = False
    readers: bool = True

    @property
    def rank(self) -> int:
        """A place in the order from weak to strong.

        0 where visibility is a choice, 1 where whatever precedes is visible to writers alone, 2
        where it is visible to all.
        """
        if Axiom.TOTAL not in self.axioms:
            return 0
        return 2 if self.readers else 1
