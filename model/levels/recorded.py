"""Isolation levels of recorded histories: how strong each is, and what breaks it.

Without predicates and with the reads of a key-value history, Adya's PL-2.99 (repeatable read)
forbids the same cycles as PL-3.
"""

from __future__ import annotations

from dataclasses import dataclass

STRONG_SESSION = "StrongSession"
"""The beginning of the name of a level that adds the order of sessions to Adya's definition."""


@dataclass(frozen=True, slots=True)
class RecordedLevel:
    """A level that recorded histories are judged at.

    A level of greater ``strength`` forbids whatever one of less strength forbids. ``breach`` is
    what the field calls a cycle whose ww edges follow from the axiom of the level. Without the
    order of sessions, a level with ``sessions`` set is not a level at all.
    """

    strength: int
    breach: str | None = None
    sessions: bool = False
