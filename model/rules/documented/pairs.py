"""Which pairs of transactions the documents take out of the rules about files."""

from __future__ import annotations

from model.physical.log import Commit
from model.rules.base import Attempt


def row_by_row(attempt: Attempt, winner: Commit) -> bool:
    """Whether the two are resolved row by row: both must be operations that can be (N66, N73)."""
    return attempt.footprint.contends_for == winner.footprint.contends_for == "rows"


def apart(attempt: Attempt, winner: Commit) -> bool:
    """Whether the rules about files pass the pair over.

    They do for two that are resolved row by row, and where one of the two is a compaction of a
    table with deletion vectors, which "cannot conflict" with any other write (N71).
    """
    return row_by_row(attempt, winner) or "nothing" in (
        attempt.footprint.contends_for,
        winner.footprint.contends_for,
    )
