"""The log of a table as an audit takes it: versions one after the other, and what lies beside it.

A reader of a table's files (``conformance.delta_log``) passes them on in this form.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from checker.logs.actions import LoggedCommit, LoggedFile, TableState
from checker.logs.findings import Finding


@dataclass(frozen=True, slots=True)
class Jump:
    """A place where the log continues from a state, because the versions before it are missing.

    ``state`` is None where there is no checkpoint either: the table is not known from there on,
    unless ``summed`` has the missing commits in sum, from a compacted log.
    ``because`` says in words what is missing; it is empty for the usual start of a log that was
    cleaned up, at a checkpoint.
    """

    version: int
    state: TableState | None
    because: str = ""
    summed: LoggedCommit | None = None


class LogSource(Protocol):
    """A table's files. Nothing is ever written."""

    @property
    def location(self) -> str:
        """The table, as the person named it."""
        ...

    def entries(self, since: int) -> Iterator[Jump | LoggedCommit]:
        """The versions in order, from a version on or from the checkpoint next before it."""
        ...

    def checkpoint(self, version: int) -> TableState | Finding | None:
        """The checkpoint of a version; a finding if it cannot be read, None if there is none."""
        ...

    def checksum(self, version: int) -> Mapping[str, Any] | Finding | None:
        """The checksum file of a version; likewise."""
        ...

    def listing_findings(self) -> Sequence[Finding]:
        """Findings about the names in the log's folder."""
        ...

    def notes(self) -> Sequence[str]:
        """The parts that could not be read or are not understood, in words."""
        ...

    def storage(self) -> Storage | None:
        """The data files beside the log; None if they cannot be listed."""
        ...


@dataclass(frozen=True, slots=True)
class Storage:
    """The files of the table's folder outside of the log, by path relative to it, with sizes."""

    files: Mapping[str, int] = field(default_factory=dict)


class Rows(Protocol):
    """A reader of the rows in data files; an answer of None means that they are not available."""

    def rows(self, file: LoggedFile, metadata: Mapping[str, Any]) -> Sequence[object] | None:
        """The rows of one file, in any order, without deleted ones."""
        ...

    def is_empty(self, path: str) -> bool:
        """True if a file of the table's folder is a data file without rows."""
        ...

    def vector_problem(self, file: LoggedFile) -> str | None:
        """The reason why the deletion vector of a file cannot be applied; None if it can."""
        ...
