"""What DELETE and UPDATE share: finding the files with matching rows and rewriting them."""

from __future__ import annotations

from dataclasses import dataclass

from model.evaluation import matcher
from model.expressions import TRUE, Expression
from model.files import DataFile, StoredRow
from model.footprint import ReadPredicate
from model.log import Snapshot
from model.skipping import scan, split
from model.statements.base import live_files
from model.table import Table


@dataclass(frozen=True, slots=True, eq=False)
class Target:
    """What a condition selects in a snapshot.

    ``read`` are the files that statistics leave over, ``touched`` those of them that the
    statement replaces, ``matching`` and ``kept`` the rows of the touched files.
    """

    predicate: ReadPredicate
    read: tuple[DataFile, ...]
    touched: tuple[DataFile, ...]
    matching: tuple[StoredRow, ...]
    kept: tuple[StoredRow, ...]


def select(snapshot: Snapshot, table: Table, condition: Expression) -> Target:
    """The files and rows that a DELETE or UPDATE with this condition is about.

    Raises StatementFailure where evaluating the condition does.
    """
    predicate = split(condition, table)
    read = scan(predicate, live_files(snapshot), table)
    matches = matcher(condition)
    if predicate.data == TRUE:
        # Partition values decide alone: the engine takes every file, without a look inside.
        touched = read
    else:
        touched = tuple(f for f in read if any(matches(row.values) for row in f.rows))
    rows = [row for file in touched for row in file.rows]
    matching = tuple(row for row in rows if matches(row.values))
    kept = tuple(row for row in rows if not matches(row.values))
    return Target(predicate, read, touched, matching, kept)
