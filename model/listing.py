"""Lists in one line, cut where they get long: for the ``repr`` of large objects."""

from __future__ import annotations

from collections.abc import Iterable

MOST = 8
"""The number of entries that are written out."""

LONGEST = 60
"""The number of characters of one entry that are written out."""


def listed(entries: Iterable[object], most: int = MOST) -> str:
    """The first entries, with commas, and how many more there are."""
    texts = [cut(str(entry)) for entry in entries]
    more = len(texts) - most
    return ", ".join(texts[:most]) + (f" and {more} more" if more > 0 else "") or "none"


def cut(text: str, longest: int = LONGEST) -> str:
    """A text on one line, its end left out if it is long."""
    flat = " ".join(text.split())
    return flat if len(flat) <= longest else f"{flat[: longest - 1]}…"
