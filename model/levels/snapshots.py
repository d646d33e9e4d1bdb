"""Further implications between levels when every transaction reads one snapshot of the log.

The table of levels (``model.levels``) is about any history. A history of *snapshots* is more
restricted: each transaction reads the rows of one version of the table, and overwrites or deletes
only rows that it has read. ``checker.proofs.theorems.snapshot_levels`` proves the implications
listed here, for any number of transactions and rows; ``docs/levels.md`` gives the reasons.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from model.levels import (
    ITEM_RW,
    LEVELS,
    LOG,
    READ_COMMITTED,
    RW,
    SNAPSHOT_ISOLATION,
    STRICT_SERIALIZABLE,
    WW,
    Phenomenon,
    implies,
)

LOST_UPDATE = Phenomenon("lost update", "overwritten unseen", False, WW | ITEM_RW, "one", ITEM_RW)
"""Two transactions read one version of a row and both overwrite it."""

READ_TOO_EARLY = Phenomenon("late commit", "read changed before the commit", False, RW | LOG)
"""A writer's read was changed by a commit between its snapshot and its own commit."""


@dataclass(frozen=True, slots=True)
class SnapshotImplication:
    """In histories of snapshots, a level that forbids ``shape`` (None: any) implies ``level``.

    ``lemmas`` names the lemmas of the theorem that show it.
    """

    shape: Phenomenon | None
    level: str
    lemmas: tuple[str, ...]


SNAPSHOT_IMPLICATIONS = (
    SnapshotImplication(
        None,
        READ_COMMITTED,
        ("dependencies lead forward", "places are a strict order", "paths lead forward"),
    ),
    SnapshotImplication(
        LOST_UPDATE,
        SNAPSHOT_ISOLATION,
        (
            "versions of a row are joined by overwriting",
            "who overwrites has seen",
            "what a path comes from is seen",
            "nothing is missed",
        ),
    ),
    SnapshotImplication(
        READ_TOO_EARLY,
        STRICT_SERIALIZABLE,
        (
            "the log is in real time",
            "places are a strict order",
            "paths lead forward",
            "clocks agree",
        ),
    ),
)


@cache
def implies_on_snapshots(stronger: str, weaker: str) -> bool:
    """Whether a history of snapshots that holds ``stronger`` must hold ``weaker``.

    This follows from the table of levels, from a proof, or from a chain of both. Raises
    ``KeyError`` for a name that is not in ``LEVELS``.
    """
    if weaker not in LEVELS:
        raise KeyError(weaker)
    implied = {stronger}
    while True:
        more = {
            level
            for level in LEVELS.keys() - implied
            if any(implies(one, level) or _proved(one, level) for one in implied)
        }
        if not more:
            return weaker in implied
        implied |= more


def _proved(stronger: str, weaker: str) -> bool:
    forbidden = LEVELS[stronger].forbids
    return any(
        implication.level == weaker
        and (
            implication.shape is None or any(shape.covers(implication.shape) for shape in forbidden)
        )
        for implication in SNAPSHOT_IMPLICATIONS
    )
