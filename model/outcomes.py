"""The outcomes of a transaction, each named once.

A transaction that neither succeeds nor meets a conflict fails by itself; its outcome is then the
error class that Spark gives the failure. An engine reports ``FAILED`` and the class beside it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, get_args

from model.history import Row

COMMITTED: Final = "committed"
NO_COMMIT: Final = "no commit"
READ: Final = "read"
FAILED: Final = "failed"

SUCCEEDED: Final = (COMMITTED, NO_COMMIT, READ)
"""The outcomes of a transaction that succeeded; ``NO_COMMIT`` wrote no version."""

ConflictName = Literal[
    "ConcurrentAppend",
    "ConcurrentDeleteRead",
    "ConcurrentDeleteDelete",
    "MetadataChanged",
    "ProtocolChanged",
    "ConcurrentTransaction",
    "ConcurrentWrite",
]
"""A conflict with another transaction, named after Delta's exception."""

CONFLICT_NAMES: Final[tuple[ConflictName, ...]] = get_args(ConflictName)
"""Every conflict name; the order means nothing."""

Refusal = ConflictName | Literal["DELTA_FEATURE_DROP_CONFLICT_REVALIDATION_FAIL"]
"""The outcome that a conflict rule gives; a rule that misspells it fails the type check. If a
winner used the feature that is being dropped, Delta has an error class and no exception."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How one transaction ended, as plain data.

    ``conflicts_with`` is the transaction that it lost to, ``because`` says why it did not
    commit, ``rows`` are the rows that a reader returned.
    """

    outcome: str
    read_version: int
    commit_version: int | None = None
    conflicts_with: str | None = None
    because: str | None = None
    rows: tuple[Row, ...] | None = None
