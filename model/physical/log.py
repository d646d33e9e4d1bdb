"""The transaction log, as a chain of snapshots that never change.

A snapshot refers to its predecessor, so a transaction in flight is a reference to the snapshot
that it began with, and the winners that it is checked against are the commits between that
snapshot and the latest one. This lets searches share every common prefix of two schedules.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from model.history import Row
from model.physical.definition_change import rebased
from model.physical.files import DataFile, StoredRow, retyped
from model.physical.footprint import Footprint
from model.tables.table import Table


@dataclass(frozen=True, slots=True, eq=False)
class Commit:
    """One entry of the log: its writer, its actions, and the level at which it was checked.

    ``read_version`` is the version of the snapshot that the transaction worked on. ``blind`` is
    True if the entry declares itself a blind append; the blind appends of an implementation that
    never declares them look to others like any other commit. ``began`` orders the beginnings of
    transactions, and ``lost`` has the stored objects that are gone once the entry is written; see
    :mod:`model.physical.storage`.
    """

    version: int
    transaction: str
    footprint: Footprint
    read_version: int
    level: str
    blind: bool = False
    began: int = 0
    lost: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """The table at one version: its live files by key, and the commit that led to it.

    ``applications`` has the newest version that each application has written. ``retyped`` is
    True if a column has changed its type since the table was made. ``lost`` has the stored
    objects that a VACUUM has deleted. At version -1 there is no table yet; ``littered`` is True
    if a statement has left files in the folder where it will be.
    """

    table: Table
    version: int
    files: Mapping[str, DataFile]
    commit: Commit | None = None
    parent: Snapshot | None = None
    applications: Mapping[str, int] = field(default_factory=dict)
    retyped: bool = False
    lost: frozenset[str] = frozenset()
    littered: bool = False

    def after(self, commit: Commit) -> Snapshot:
        """The snapshot that ``commit`` leads to."""
        footprint = commit.footprint
        files = dict(self.files)
        for removed in footprint.removes:
            files.pop(removed.key, None)
        for added in footprint.adds:
            files[added.key] = added
        applications = self.applications
        if footprint.applications_written:
            applications = {**applications, **dict(footprint.applications_written)}
        table = self.table
        if footprint.table is not None:
            table = rebased(self.at(commit.read_version).table, footprint.table, table)
        changed = table is not self.table and table.types != self.table.types
        if changed or (self.retyped and footprint.adds):
            # Files may be older than the types, or written by a transaction begun before them.
            new = {file.key for file in footprint.adds}
            files = {
                key: retyped(file, table) if changed or key in new else file
                for key, file in files.items()
            }
        lost = self.lost | commit.lost if commit.lost else self.lost
        retyped_now = self.retyped or changed
        return Snapshot(table, commit.version, files, commit, self, applications, retyped_now, lost)

    def at(self, version: int) -> Snapshot:
        """The snapshot of an earlier version. Raises KeyError if there is none."""
        snapshot: Snapshot | None = self
        while snapshot is not None:
            if snapshot.version == version:
                return snapshot
            snapshot = snapshot.parent
        raise KeyError(version)

    def commits_after(self, version: int) -> tuple[Commit, ...]:
        """Commits with a larger version than ``version``, oldest first."""
        commits: list[Commit] = []
        snapshot: Snapshot | None = self
        while snapshot is not None and snapshot.version > version:
            if snapshot.commit is not None:
                commits.append(snapshot.commit)
            snapshot = snapshot.parent
        commits.reverse()
        return tuple(commits)

    def stored(self) -> Iterator[StoredRow]:
        """Every live row version that can be read, with its identity."""
        for file in self.files.values():
            if not self.lost or self.lost.isdisjoint(file.storage):
                yield from file.rows

    def rows(self) -> tuple[Row, ...]:
        """The table's rows as they are stored; their order means nothing."""
        return tuple(row.values for row in self.stored())

    def shown(self) -> tuple[Row, ...]:
        """The table's rows as ``SELECT *`` shows them."""
        return tuple(map(self.table.shown, self.rows()))
