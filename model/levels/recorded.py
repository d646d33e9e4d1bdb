"""Isolation levels of recorded histories, with their strength and the name of their breach.

Without predicates and with the reads of a key-value history, Adya's PL-2.99 (repeatable read)
forbids the same cycles as PL-3.
"""

from __future__ import annotations

from dataclasses import dataclass

STRONG_SESSION = "StrongSession"
"""The prefix of the name of a level that adds the session order to Adya's definition."""


@dataclass(frozen=True, slots=True)
class RecordedLevel:
    """A level at which recorded histories are judged.

    A level of greater ``strength`` forbids everything that one of less strength forbids.
    ``breach`` is the field's name for a cycle whose ww edges follow from the axiom of the level.
    A level with ``sessions`` set is only a level together with the session order. One with
    ``real_time`` set has the order in which transactions ended and began, so that it is only
    judged if the history has times.
    """

    strength: int
    breach: str | None = None
    sessions: bool = False
    real_time: bool = False
