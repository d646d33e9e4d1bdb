"""A winner may have read what an unseen blind append added, and what this attempt changes.

No implementation has this rule. It is the repair of the hole that WriteSerializable has: blind
appends are left out of account for one attempt at a time, and a third transaction that has seen
the append can close the circle (``docs/theorems.md``; ``checker.proofs.repair`` proves that
with this rule none can).
"""

from __future__ import annotations

from collections.abc import Iterable

from model.files import DataFile
from model.footprint import Footprint
from model.log import Commit
from model.rules.base import SNAPSHOT_ISOLATION, WRITE_SERIALIZABLE, Attempt, Rule
from model.skipping import partition_matches
from model.table import Table


def check(attempt: Attempt, winner: Commit) -> str | None:
    """Conflict with a blind append that the attempt misses and another winner has built on.

    Refused is an attempt at WriteSerializable that should have read a file of the append, when
    a later winner's reads cover a file of the append, and there may be a way from that winner
    back to the attempt: the attempt touches what some winner has read, or a winner that reads
    began before the attempt.
    """
    mine = attempt.footprint
    if attempt.level != WRITE_SERIALIZABLE or mine.metadata is not None or not winner.blind:
        return None
    if mine.blind_append or not _covers(mine, winner.footprint.adds, attempt.table):
        return None
    through = next((w for w in attempt.winners if _built_on(w, winner, attempt.table)), None)
    if through is None or not any(_leads_back(attempt, other) for other in attempt.winners):
        return None
    return (
        f"{winner.transaction} added a file that it should have read, and "
        f"{through.transaction} has read the table since then"
    )


def _covers(reader: Footprint, files: Iterable[DataFile], table: Table) -> bool:
    """Whether a file that is added lies where the footprint says that its statement reads.

    A commit that may take the next version only notes nothing; it may have read everything.
    """
    if reader.next_version_only:
        return any(True for _ in files)
    if not table.partitions:
        reads = bool(reader.read_predicates or reader.read_files or reader.read_whole_table)
        return reads and any(True for _ in files)
    return any(
        reader.read_whole_table
        or any(partition_matches(p, file, table) for p in reader.read_predicates)
        for file in files
    )


def _reads(commit: Commit) -> bool:
    """Whether a commit may depend on rows; one at SnapshotIsolation moves rows at most."""
    return commit.level != SNAPSHOT_ISOLATION and not commit.footprint.blind_append


def _built_on(commit: Commit, append: Commit, table: Table) -> bool:
    if commit.read_version < append.version or not _reads(commit):
        return False
    added = {file.path for file in append.footprint.adds}
    if any(file.path in added for file in commit.footprint.removes):
        return True
    return _covers(commit.footprint, append.footprint.adds, table)


def _leads_back(attempt: Attempt, winner: Commit) -> bool:
    if not _reads(winner):
        return False
    if winner.read_version < attempt.winners[0].version - 1:
        return True
    mine, theirs = attempt.footprint, winner.footprint
    if _covers(theirs, mine.adds, attempt.table):
        return True
    if theirs.read_whole_table or theirs.next_version_only:
        return bool(mine.removes)
    read = {file.path for file in theirs.read_files}
    return any(file.path in read for file in mine.removes)


RULE = Rule(
    "read through append",
    "ConcurrentAppend",
    check,
    "isodelta, checker/proofs/repair.py",
)
