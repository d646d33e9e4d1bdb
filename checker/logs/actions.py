"""The actions of a Delta log as plain data, and the state of a table that they add up to.

Source: the Delta transaction log protocol, "Actions" and "Action Reconciliation".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

FileKey = tuple[str, str | None]
"""The identity of a logical file: its path and the identity of its deletion vector."""


@dataclass(frozen=True, slots=True, eq=False)
class LoggedFile:
    """An ``add`` or ``remove`` action. ``stats`` is the JSON text of the log, not yet parsed."""

    path: str
    vector: Mapping[str, Any] | None = None
    partition: Mapping[str, str | None] = field(default_factory=dict)
    data_change: bool = True
    size: int | None = None
    stats: str | None = None
    base_row_id: int | None = None

    @property
    def key(self) -> FileKey:
        """The identity of the file in the log."""
        vector = self.vector
        if vector is None:
            return self.path, None
        identity = f"{vector['storageType']}{vector['pathOrInlineDv']}@{vector.get('offset')}"
        return self.path, identity


@dataclass(slots=True)
class LoggedCommit:
    """One version of the log.

    ``info`` is its ``commitInfo``, empty if there is none. ``problems`` says in words what could
    not be read: then the commit may have done more than is listed here.
    """

    version: int
    adds: list[LoggedFile] = field(default_factory=list)
    removes: list[LoggedFile] = field(default_factory=list)
    metadata: Mapping[str, Any] | None = None
    protocol: Mapping[str, Any] | None = None
    transactions: dict[str, int] = field(default_factory=dict)
    domains: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    info: Mapping[str, Any] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    @property
    def operation(self) -> str:
        """The operation as the commit names it; ``unknown operation`` if it does not."""
        return str(self.info.get("operation") or "unknown operation")

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The parameters of the operation."""
        parameters = self.info.get("operationParameters")
        return parameters if isinstance(parameters, dict) else {}

    @property
    def read_version(self) -> int | None:
        """The version of the snapshot that the commit read; None if it does not record it."""
        version = self.info.get("readVersion")
        return version if isinstance(version, int) and not isinstance(version, bool) else None

    @property
    def level(self) -> str | None:
        """The isolation level that the commit was checked at, as it records it."""
        level = self.info.get("isolationLevel")
        return level if isinstance(level, str) else None

    @property
    def blind_append(self) -> bool:
        """True if the commit says that it only added files and read nothing.

        Only True is evidence: Delta Kernel for Java writes False whatever it did.
        """
        return self.info.get("isBlindAppend") is True and not self.removes

    @property
    def time(self) -> int | None:
        """The time of the commit in milliseconds, the in-commit timestamp if there is one."""
        for name in ("inCommitTimestamp", "timestamp"):
            value = self.info.get(name)
            if isinstance(value, int) and not isinstance(value, bool):
                return value
        return None

    @property
    def engine(self) -> str:
        """The writer, as the commit names it; empty if it does not."""
        return str(self.info.get("engineInfo") or "")

    @property
    def changes_data(self) -> bool:
        """True if the commit changed rows, going by the ``dataChange`` of its files."""
        return any(file.data_change for file in (*self.adds, *self.removes))


@dataclass(slots=True)
class TableState:
    """A table at one version: the sum of all actions up to there.

    ``complete`` is False if the log before is not known whole: then files may be live that are
    not listed.
    """

    version: int = -1
    live: dict[FileKey, LoggedFile] = field(default_factory=dict)
    metadata: Mapping[str, Any] | None = None
    protocol: Mapping[str, Any] | None = None
    transactions: dict[str, int] = field(default_factory=dict)
    domains: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    complete: bool = True

    def apply(self, commit: LoggedCommit) -> None:
        """Advances to the state after a commit."""
        live = self.live
        for removed in commit.removes:
            live.pop(removed.key, None)
        for added in commit.adds:
            live[added.key] = added
        if commit.metadata is not None:
            self.metadata = commit.metadata
        if commit.protocol is not None:
            self.protocol = commit.protocol
        self.transactions.update(commit.transactions)
        self.domains.update(commit.domains)
        self.version = commit.version
        if commit.problems:
            self.complete = False

    @property
    def configuration(self) -> Mapping[str, Any]:
        """The table's properties."""
        configuration = (self.metadata or {}).get("configuration")
        return configuration if isinstance(configuration, dict) else {}
