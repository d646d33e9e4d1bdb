"""Findings of an audit: something in a table's log, or beside it, that should not be there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal[
    "file-added-twice",
    "removed-not-live",
    "rewritten-twice",
    "version-gap",
    "impossible-read-version",
    "contradicting-checkpoint",
    "contradicting-checksum",
    "missing-file",
    "orphan-file",
    "deletion-vector",
    "row-id-twice",
    "identity-twice",
    "application-transaction-order",
    "damaged-commit",
    "level-violation",
]
"""The kinds of findings, by the names that ``isodelta audit --json`` prints."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding, with the versions that it is about, oldest first, and the reason in words.

    ``observed`` is False where the log shows it only together with an assumption, which
    ``because`` names. ``files`` are paths as the log spells them. ``levels`` are those that a
    ``level-violation`` is about.
    """

    kind: Kind
    versions: tuple[int, ...]
    because: str
    observed: bool = True
    files: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()
