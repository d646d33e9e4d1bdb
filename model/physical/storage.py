"""The files that VACUUM deletes, and the transactions that then fail.

None of this is in the log, so no conflict rule sees it. VACUUM lists the folder when it begins;
after its first commit it deletes the files that were listed and are not in its snapshot
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
"""Spark's error class for a missing data file."""


def freed(footprint: Footprint, snapshot: Snapshot, latest: Snapshot, began: int) -> frozenset[str]:
    """The stored objects that a VACUUM on ``snapshot`` deletes when it commits after ``latest``."""
    deleted: set[str] = set()
    walker: Snapshot | None = latest
    while walker is not None:
        commit = walker.commit
        if commit is not None and (
            commit.version <= snapshot.version
            or (footprint.frees == "all files" and commit.began < began)
        ):
            deleted |= _storage(commit.footprint.adds)
        walker = walker.parent
    return frozenset(deleted - _storage(snapshot.files.values()))


def missed(
    footprint: Footprint, latest: Snapshot, winners: Iterable[Commit], began: int
) -> frozenset[str]:
    """The stored objects written by a transaction that a VACUUM deleted before its commit.

    They were written when the transaction began, and the VACUUM began after that.
    """
    deleted: set[str] = set()
    for winner in winners:
        if winner.footprint.frees == "all files" and began < winner.began:
            kept = _storage(latest.at(winner.read_version).files.values())
            deleted |= _storage(footprint.adds) - kept
    return frozenset(deleted)


def check_readable(files: Iterable[DataFile], snapshot: Snapshot) -> None:
    """Raises StatementFailure if one of the files has been deleted from storage."""
    if snapshot.lost and not snapshot.lost.isdisjoint(_storage(files)):
        raise StatementFailure(FILE_NOT_EXIST, "a VACUUM has deleted a file")


def _storage(files: Iterable[DataFile]) -> set[str]:
    return {name for file in files for name in file.storage}
