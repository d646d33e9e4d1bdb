"""The rule that repairs WriteSerializable, which no implementation has.

It is a conflict if a path of possible dependencies leads from an unseen blind append through other
winners back to the attempt. Delta passes blind appends over, one attempt at a time, so that other
transactions, the first of which has seen the append, can close a cycle (``docs/theorems.md``).
``checker.proofs.theorems.repair`` proves that with this rule none can, and in which class of rules
no weaker one does.
"""

from __future__ import annotations

from collections.abc import Iterable

from model.levels import SNAPSHOT_ISOLATION, WRITE_SERIALIZABLE
from model.physical.files import DataFile
from model.physical.footprint import Footprint
from model.physical.log import Commit
from model.physical.skipping import partition_matches
from model.rules.base import Attempt, Rule
from model.tables.table import Table


def check(attempt: Attempt, winner: Commit) -> str | None:
    """Conflict with a blind append that the attempt misses and a way of dependencies back from it.

    Refused is an attempt at WriteSerializable that should have read a file of the append, when
    a later winner's reads cover a file of the append, and from that one dependencies, as far as
    footprints can tell, lead through winners to one that the attempt has to follow: it has read
    what the attempt touches, or it reads and began before the attempt, so that older
    transactions can lie between.
    """
    mine = attempt.footprint
    if attempt.level != WRITE_SERIALIZABLE or mine.metadata is not None or not winner.blind:
        return None
    if mine.blind_append or not _covers(mine, winner.footprint.adds, attempt.table):
        return None
    path = way_back(attempt, winner)
    if not path:
        return None
    through = ", ".join(commit.transaction for commit in path)
    return (
        f"{winner.transaction} added a file that it should have read, and {through} may lead "
        f"from there back to it"
    )


def way_back(attempt: Attempt, append: Commit) -> tuple[Commit, ...]:
    """A shortest way from an append that the attempt misses back to it; empty where none is.

    The first winner on it has read the append, the last one is what the attempt has to follow.
    """
    # A compaction moves rows and changes none: no dependency leads to it or from it.
    winners = [w for w in attempt.winners if w.level != SNAPSHOT_ISOLATION]
    ways: list[tuple[Commit, ...]] = [(w,) for w in winners if _follows(append, w, attempt.table)]
    reached = {way[0].version for way in ways}
    for way in ways:
        last = way[-1]
        if _leads_back(attempt, last):
            return way
        for other in winners:
            if other.version not in reached and may_depend(last, other, attempt):
                reached.add(other.version)
                ways.append((*way, other))
    return ()


def may_depend(earlier: Commit, later: Commit, attempt: Attempt) -> bool:
    """Whether one winner of an attempt may have to come before another one.

    As far as footprints can tell: the other one has seen it and its reads cover what it wrote
    (wr, ww), or it has not seen the other one and its own reads cover what that wrote (rw).
    """
    if earlier is later:
        return False
    if _follows(earlier, later, attempt.table):
        return True
    return not _shows(earlier, later) and _misses(earlier, later.footprint, attempt)


def _shows(commit: Commit, other: Commit) -> bool:
    return commit.read_version >= other.version


def _follows(earlier: Commit, later: Commit, table: Table) -> bool:
    """Whether a commit has seen another one and may have read what that wrote or took away."""
    wrote = earlier.footprint
    return _shows(later, earlier) and _covers(later.footprint, (*wrote.adds, *wrote.removes), table)


def _misses(commit: Commit, wrote: Footprint, attempt: Attempt) -> bool:
    """Whether what another one wrote, unseen, may change what a commit has read.

    Of files that were in its snapshot it has noted which it read; of those that came later,
    partitions tell whether it would have.
    """
    later = {
        file.key
        for winner in attempt.winners
        if winner.version > commit.read_version
        for file in winner.footprint.adds
    }
    reader = commit.footprint
    there = [file for file in wrote.removes if file.key not in later]
    if there and (reader.next_version_only or reader.read_whole_table):
        return True
    noted = {file.path for file in (*reader.read_files, *reader.removes)}
    if any(file.path in noted for file in there):
        return True
    unseen = (*wrote.adds, *(file for file in wrote.removes if file.key in later))
    return _covers(reader, unseen, attempt.table)


def _covers(reader: Footprint, files: Iterable[DataFile], table: Table) -> bool:
    """Whether one of some files lies where the footprint says that its statement reads.

    A commit that may take the next version only notes nothing; it may have read everything.
    """
    if reader.next_version_only or reader.read_whole_table:
        return any(True for _ in files)
    noted = {file.path for file in (*reader.read_files, *reader.removes)}
    if not (reader.read_predicates or noted):
        return False
    if not table.partitions:
        return any(True for _ in files)
    width = len(table.partitions)
    return any(
        file.path in noted
        # A file of another partitioning: the attempt is refused for that.
        or len(file.partition) != width
        or any(partition_matches(p, file, table) for p in reader.read_predicates)
        for file in files
    )


def _leads_back(attempt: Attempt, winner: Commit) -> bool:
    """Whether a winner may have to come before the attempt, itself or by older transactions."""
    if winner.read_version < _snapshot(attempt):
        return not winner.footprint.blind_append
    return _misses(winner, attempt.footprint, attempt)


def _snapshot(attempt: Attempt) -> int:
    """The version that the attempt began with: its first winner came right after."""
    return attempt.winners[0].version - 1


RULE = Rule(
    "read through append",
    "ConcurrentAppend",
    check,
    "isodelta, checker/proofs/theorems/repair.py",
)
