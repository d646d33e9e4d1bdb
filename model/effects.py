"""The effects of a commit on rows, derived from the files that it removed and added.

A sound engine changes the latest rows exactly as the statement meant to change the rows of its
snapshot. If it does not (a removed file was gone already, a deleted row comes back with a
compaction), the history has what happened, not what was meant.
"""

from __future__ import annotations

from dataclasses import replace

from model.history import ItemRead, PredicateRead, RowChange, RowId, Transaction
from model.physical.files import StoredRow
from model.physical.footprint import Footprint
from model.physical.log import Snapshot
from model.statements import Execution, Statement


def transaction_of(
    name: str, statement: Statement, snapshot: Snapshot, execution: Execution, latest: Snapshot
) -> Transaction:
    """The committed transaction, with its effect on the rows of ``latest``."""
    footprint = execution.footprint
    assert footprint is not None
    statement = execution.resolved or statement
    changes, reads = execution.changes, execution.item_reads
    if any(file.key not in latest.files for file in footprint.removes):
        changes, copied = _effect(execution, latest)
        read_rows = {read.row for read in reads}
        reads += tuple(read for read in copied if read.row not in read_rows)
    return Transaction(
        name=name,
        text=statement.text,
        read_version=snapshot.version,
        commit_version=latest.version + 1,
        committed=True,
        predicate_reads=predicate_reads(statement, execution),
        item_reads=reads,
        changes=changes,
        rerun=statement.rerun,
    )


def carried_over(
    changes: tuple[RowChange, ...], footprint: Footprint, latest: Snapshot
) -> tuple[RowChange, ...]:
    """The changes of a transaction that was carried over to the newest files, as they came out.

    Each has the row that others have left by now as the row before it. A row that goes with the
    new files although the transaction did not mean to take it out is a change as well.
    """
    kept = {row.row for file in footprint.adds for row in file.rows}
    meant = {change.row for change in changes}
    lost = tuple(
        RowChange(latest.table.name, row.row, row.values, None)
        for file in footprint.removes
        for row in file.rows
        if row.row not in kept and row.row not in meant
    )
    return rebased(changes, latest) + lost


def rebased(changes: tuple[RowChange, ...], latest: Snapshot) -> tuple[RowChange, ...]:
    """The changes, each with the row that others have left by now as the row before it."""
    now = {row.row: row.values for file in latest.files.values() for row in file.rows}
    if all(now.get(change.row) == change.before for change in changes):
        return changes
    return tuple(replace(change, before=now.get(change.row)) for change in changes)


def predicate_reads(statement: Statement, execution: Execution) -> tuple[PredicateRead, ...]:
    """The predicate reads of a statement in one execution."""
    reads = execution.predicate_reads
    return statement.predicate_reads if reads is None else reads


def _effect(
    execution: Execution, latest: Snapshot
) -> tuple[tuple[RowChange, ...], tuple[ItemRead, ...]]:
    """The changes against ``latest``, and the rows that were brought back by copying them."""
    footprint, table = execution.footprint, latest.table.name
    assert footprint is not None
    gone = {file.key for file in footprint.removes}
    elsewhere: dict[RowId, StoredRow] = {}
    replaced: dict[RowId, StoredRow] = {}
    for file in latest.files.values():
        for row in file.rows:
            (replaced if file.key in gone else elsewhere)[row.row] = row
    changes, copied = [], []
    added = {row.row: row for file in footprint.adds for row in file.rows}
    for identity, row in added.items():
        before = replaced.get(identity) or elsewhere.get(identity)
        if before is not None and before.writer == row.writer and identity in replaced:
            continue
        changes.append(RowChange(table, identity, before.values if before else None, row.values))
        if identity not in {change.row for change in execution.changes}:
            copied.append(ItemRead(table, identity, row.values))
    for identity, row in replaced.items():
        if identity not in added:
            changes.append(RowChange(table, identity, row.values, None))
    done = {change.row for change in changes}
    for change in execution.changes:
        # A deletion of a row that is gone, or has changed since, changes nothing. It is still a
        # version of the row, based on what the transaction read.
        if change.row not in done:
            left = elsewhere[change.row].values if change.row in elsewhere else None
            changes.append(RowChange(table, change.row, left, left))
    return tuple(changes), tuple(copied)
