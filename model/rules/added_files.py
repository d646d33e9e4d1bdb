"""A winner added files that the current transaction should have read."""

from __future__ import annotations

from model.expressions import syntax as expressions
from model.levels import SNAPSHOT_ISOLATION, WRITE_SERIALIZABLE
from model.physical.files import DataFile
from model.physical.log import Commit
from model.physical.skipping import partition_matches
from model.rules.base import Attempt, Rule
from model.values.types import sql_literal


def counted(attempt: Attempt, winner: Commit) -> bool:
    """Whether the level in force looks at the files that this winner added.

    SnapshotIsolation looks at none; WriteSerializable leaves out blind appends, unless the
    current transaction changes metadata; Serializable looks at all.
    """
    if attempt.level == SNAPSHOT_ISOLATION:
        return False
    if attempt.level == WRITE_SERIALIZABLE and attempt.footprint.metadata is None:
        return not winner.blind
    return True


def check(attempt: Attempt, winner: Commit) -> str | None:
    """Conflict with a file in a partition that a read predicate matches.

    Conditions on data columns count as TRUE: statistics of the new file are not looked at. In
    a table without partitions any new file conflicts, whatever was read. A commit that only
    states again the files that are there neither conflicts nor is conflicted with.
    """
    footprint, added = attempt.footprint, winner.footprint.adds
    if not added or footprint.blind_append or not counted(attempt, winner):
        return None
    if footprint.restates or winner.footprint.restates:
        return None
    if footprint.read_whole_table or not attempt.table.partitions:
        return f"{winner.transaction} added a file to the table, which it reads"
    for predicate in footprint.read_predicates:
        for file in added:
            if partition_matches(predicate, file, attempt.table):
                where = expressions.sql(predicate.partition)
                return (
                    f"{winner.transaction} added a file to {_partition(attempt, file)}, "
                    f"which it reads (partitions where {where})"
                )
    return None


def _partition(attempt: Attempt, file: DataFile) -> str:
    pairs = zip(attempt.table.partitions, file.partition, strict=True)
    return "partition " + ", ".join(
        f"{attempt.table.names[index]} = {sql_literal(value)}" for index, value in pairs
    )


RULE = Rule(
    "added files",
    "ConcurrentAppend",
    check,
    "ConflictChecker.scala, checkForAddedFilesThatShouldHaveBeenReadByCurrentTxn; N86, N87",
)
