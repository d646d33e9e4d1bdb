"""An edge of the graph of a recorded history."""

from __future__ import annotations

from typing import NamedTuple


class Dependency(NamedTuple):
    """One transaction before another, by number: why, and about which key.

    ``kind`` is ``ww``, ``wr`` or ``rw``, or an order that is not about a key: ``so`` (a session),
    ``log``, ``start`` or ``unseen`` (the commits that a snapshot shows, and does not show).
    ``inferred`` is True for a ww edge that no operation shows and for the rw edges of it.
    """

    source: int
    target: int
    kind: str
    key: int | None = None
    inferred: bool = False
