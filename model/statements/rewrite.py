"""The common part of DELETE, UPDATE and MERGE: the files they touch, and the rows left there."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from model.expressions.evaluation import matcher, row_test
from model.expressions.syntax import TRUE, Expression
from model.history import Row
from model.physical.files import DataFile, StoredRow
from model.physical.footprint import ReadPredicate
from model.physical.log import Snapshot
from model.physical.skipping import scan, split
from model.statements.base import live_files
from model.tables.table import Table


@dataclass(frozen=True, slots=True, eq=False)
class Target:
    """The files and rows that a condition selects in a snapshot.

    ``read`` are the files that statistics do not rule out, ``touched`` those of them that the
    statement replaces, ``matching`` the rows of the touched files that match.
    """

    predicate: ReadPredicate
    read: tuple[DataFile, ...]
    touched: tuple[DataFile, ...]
    matching: tuple[StoredRow, ...]


def select(snapshot: Snapshot, table: Table, condition: Expression) -> Target:
    """The files and rows that a DELETE or UPDATE with this condition selects.

    Raises StatementFailure if evaluating the condition does.
    """
    predicate = split(condition, table)
    read = scan(predicate, live_files(snapshot), table)
    matches = matcher(condition)
    if predicate.data == TRUE:
        # Partition values decide alone: the engine takes every file without opening it.
        touched = read
    else:
        touched = tuple(f for f in read if any(matches(row.values) for row in f.rows))
    matching = tuple(row for file in touched for row in file.rows if matches(row.values))
    return Target(predicate, read, touched, matching)


def test_of(condition: Expression, table: Table) -> Callable[[Row], bool]:
    """Whether a DELETE or UPDATE with this condition selects a row, whatever file it is in.

    The function raises StatementFailure if evaluating the condition does.
    """
    return row_test(condition, split(condition, table).partition)


@dataclass(frozen=True, slots=True, eq=False)
class Remains:
    """The remains of the files from which a statement takes rows.

    All those files are removed. ``marked`` are the ones that are added again with a deletion
    vector; ``copied`` are the rows that have to be rewritten, file by file. Only one of the two
    is used, depending on the table.
    """

    marked: tuple[DataFile, ...]
    copied: tuple[StoredRow, ...]


def remains(
    table: Table,
    touched: Iterable[DataFile],
    taken: Callable[[StoredRow], bool],
    writer: str,
) -> Remains:
    """The remains of ``touched`` without the rows that are ``taken``.

    With deletion vectors the files stay and lose the rows that they mark, except for a file that
    would have no row left (DMLWithDeletionVectorsHelper.scala, ``processUnmodifiedData``). The
    vector is named after ``writer``: one transaction writes one for each file.
    """
    marked: list[DataFile] = []
    copied: list[StoredRow] = []
    for file in touched:
        left = tuple(row for row in file.rows if not taken(row))
        if not table.deletion_vectors:
            copied += left
        elif left:
            marked.append(file.leaving(left, writer))
    return Remains(tuple(marked), tuple(copied))
