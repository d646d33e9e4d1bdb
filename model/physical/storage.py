"""What VACUUM takes off the storage, and who misses it.

Nothing of this is in the log, so no conflict rule sees it. VACUUM lists the folder when it
begins, and deletes after its first commit what was there and is not of its snapshot
(VacuumCommand.scala, ``gc``): files that later versions have removed or will still need, those
of transactions in flight, and those of transactions that have committed meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterable

from model.errors import StatementFailure
from model.physical.files import DataFile
from model.physical.footprint import Footprint
from model.physical.log import Commit, Snapshot

FILE_NOT_EXIST = "FAILED_READ_FILE.FILE_NOT_EXIST"
"""Spark's error class for a data file that is not there."""


def freed(footprint: Footprint, snapshot: Snapshot, latest: Snapshot, began: int) -> frozenset[str]:
    """The storage that a VACUUM on ``snapshot`` deletes when it commits after ``latest``."""
    found: set[str] = set()
    walker: Snapshot | None = latest
    while walker is not None:
        commit = walker.commit
        if commit is not None and (
            commit.version <= snapshot.version
            or (footprint.frees == "all files" and commit.began < began)
        ):
            found |= _storage(commit.footprint.adds)
        walker = walker.parent
    return frozenset(found - _storage(snapshot.files.values()))


def missed(
    footprint: Footprint, latest: Snapshot, winners: Iterable[Commit], began: int
) -> frozenset[str]:
    """The storage among what a transaction has written that a VACUUM deleted before its commit.

    It was written when the transaction began, and the VACUUM began after that.
    """
    found: set[str] = set()
    for winner in winners:
        if winner.footprint.frees == "all files" and began < winner.began:
            kept = _storage(latest.at(winner.read_version).files.values())
            found |= _storage(footprint.adds) - kept
    return frozenset(found)


def check_readable(files: Iterable[DataFile], snapshot: Snapshot) -> None:
    """Raises StatementFailure where one of the files is not on the storage any more."""
    if snapshot.lost and not snapshot.lost.isdisjoint(_storage(files)):
        raise StatementFailure(FILE_NOT_EXIST, "a VACUUM has taken a file away")


def _storage(files: Iterable[DataFile]) -> set[str]:
    return {name for file in files for name in file.storage}
