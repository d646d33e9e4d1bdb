"""Isolation levels of key-value histories, as axioms on a commit order and a visibility relation.

A history satisfies a level when some total order of its transactions (the *commit order*) and
some relation within it (*visibility*) explain it: visibility contains the session order and the
writers that were read from, every read returns the last visible version, and the level's axioms
hold. These are the definitions of Cerone, Bernardi and Gotsman (CONCUR 2015), with the order of
sessions in visibility. Those of Biswas and Enea (OOPSLA 2019) are equivalent
(``checker/proofs/theorems/key_value/levels.py``); ReadCommitted is theirs. ``docs/levels.md``
describes the levels in words.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Axiom(StrEnum):
    """A requirement of a level on visibility and the commit order."""

    TRANSITIVE = "what is visible to something visible is visible"
    NO_CONFLICT = "of two writers of one key, one is visible to the other"
    PREFIX = "what precedes something visible is visible"
    TOTAL = "whatever precedes is visible"


@dataclass(frozen=True, slots=True)
class KeyValueLevel:
    """A level as its axioms, and the reads that it covers.

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

        0 if visibility is a choice, 1 if all preceding transactions are visible to writers alone,
        2 if they are visible to all.
        """
        if Axiom.TOTAL not in self.axioms:
            return 0
        return 2 if self.readers else 1
