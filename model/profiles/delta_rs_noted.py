"""The footprints of delta-rs: the reads that it notes, and the files and actions that it writes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

from model.errors import StatementFailure
from model.expressions.syntax import (
    TRUE,
    And,
    Arithmetic,
    Column,
    Comparison,
    Expression,
    InList,
    IsNull,
    Literal,
    Not,
    Or,
)
from model.physical.files import DataFile, write_files
from model.physical.footprint import Footprint, ProtocolChange, ReadPredicate
from model.physical.log import Snapshot
from model.physical.pruning import pruner
from model.statements import (
    AddConstraint,
    Delete,
    DynamicOverwrite,
    Idempotent,
    InsertSelect,
    InsertValues,
    Merge,
    Overwrite,
    Restore,
    Statement,
    Update,
    Vacuum,
)
from model.statements.base import live_files
from model.tables.table import Table

APPEND_ONLY = "DELTA_CANNOT_MODIFY_APPEND_ONLY"

_WRITES = InsertValues | InsertSelect | Overwrite | DynamicOverwrite
"""The statements that ``write_deltalake`` runs: a write of no rows is a version, too."""


def noted(statement: Statement, snapshot: Snapshot, footprint: Footprint) -> Footprint:
    """The footprint that delta-rs has for a statement on a snapshot.

    DELETE, UPDATE, MERGE and a write with a predicate pass it to the conflict check, an UPDATE
    without WHERE the predicate TRUE, a DELETE or overwrite without condition none at all. A
    commit without a predicate, appends included, counts as a reader of every file of its snapshot
    and of no file that is added later. Only MERGE without a predicate counts as a reader of the
    whole table. A write of no rows is a version without files; a statement without a row to
    change writes no version, nor does a VACUUM without files to delete.

    Raises StatementFailure for a RESTORE of the current version, and for an overwrite of an
    append-only table, whether there are rows to replace or not. Sources:
    crates/core/src/protocol/mod.rs, ``DeltaOperation::read_predicate`` and
    ``read_whole_table``; crates/core/src/kernel/transaction/conflict_checker.rs,
    ``TransactionInfo::read_files``; crates/core/src/operations/.
    """
    if isinstance(statement, Idempotent):
        return _numbered(statement, snapshot, footprint)
    predicates = _predicates(statement, footprint)
    files = live_files(snapshot)
    if predicates:
        matches = pruner(predicates[0].data, False, _string_partitions(snapshot.table))
        files = tuple(file for file in files if matches(file))
    return replace(
        _written(statement, snapshot, footprint),
        read_predicates=predicates,
        read_files=files,
        read_whole_table=isinstance(statement, Merge) and not predicates,
        retries=False,
        records_empty=isinstance(statement, _WRITES),
        records_always=False,
    )


@lru_cache(maxsize=256)
def _string_partitions(table: Table) -> frozenset[int]:
    return frozenset(i for i in table.partitions if table.types[i].family == "string")


def _numbered(statement: Idempotent, snapshot: Snapshot, footprint: Footprint) -> Footprint:
    """A numbered write; one with nothing to do does not record its number."""
    if not footprint.applications_read:
        return replace(footprint, records_empty=False)  # The application skips it.
    own = noted(statement.statement, snapshot, footprint)
    if own.adds or own.removes or own.records_empty:
        return own
    return replace(own, applications_written=())


def _predicates(statement: Statement, footprint: Footprint) -> tuple[ReadPredicate, ...]:
    match statement:
        case Update(condition=condition):
            return (ReadPredicate(data=condition),)
        case Delete(condition=condition) | Overwrite(replaced=condition) if condition != TRUE:
            return (ReadPredicate(data=condition),)
        case DynamicOverwrite():
            # The last predicate is the one of the partitions written.
            condition = _plain(footprint.read_predicates[-1].partition)
            return () if condition == TRUE else (ReadPredicate(data=condition),)
        case Merge():
            return predicates_of_merge(statement)
    return ()


def _plain(condition: Expression) -> Expression:
    """A condition of being in partitions, as users write it: = and IS NULL in place of <=>."""
    match condition:
        case And():
            return And(_plain(condition.left), _plain(condition.right))
        case Or():
            return Or(_plain(condition.left), _plain(condition.right))
        case Comparison(operator="<=>", left=left, right=Literal(value=None)):
            return IsNull(left)
        case Comparison(operator="<=>", left=left, right=right):
            return Comparison("=", left, right)
    return condition


def _written(statement: Statement, snapshot: Snapshot, footprint: Footprint) -> Footprint:
    match statement:
        case Merge():
            changed = _rewritten(statement, footprint)
            return replace(changed, adds=_regrouped(snapshot.table, changed.adds))
        case Overwrite() | DynamicOverwrite() if snapshot.table.append_only:
            raise StatementFailure(APPEND_ONLY, f"table {snapshot.table.name} takes appends only")
        case Overwrite():
            return replace(footprint, adds=_regrouped(snapshot.table, footprint.adds))
        case AddConstraint():
            # The protocol is written whether it changes or not.
            return replace(footprint, protocol=footprint.protocol or ProtocolChange())
        case Vacuum():
            return Footprint("VACUUM", data_changed=False)
        case Restore(version=version) if version == snapshot.version:
            raise StatementFailure("DeltaError", "only an earlier version can be restored")
    return footprint


def _regrouped(table: Table, files: Iterable[DataFile]) -> tuple[DataFile, ...]:
    """The rows of some files in one file for each partition, as every operation writes them."""
    given = tuple(files)
    if not given:
        return ()
    prefix = given[0].path.rsplit("-", 1)[0]
    loose = replace(table, checks=(), not_null=frozenset(), generated=())
    return write_files(prefix, loose, (row for file in given for row in file.rows))


def predicates_of_merge(statement: Merge) -> tuple[ReadPredicate, ...]:
    """The predicate for the conflict check; none stands for the whole table.

    It is ON's condition on the target alone, without the part on the source. A MERGE with NOT
    MATCHED BY SOURCE has none. Source: crates/core/src/operations/merge/filter.rs,
    ``generalize_filter``, for a source that is streamed, which is the default in Python.
    """
    if statement.by_source:
        return ()
    condition = _generalized(statement.condition, len(statement.table.names))
    return () if condition is None else (ReadPredicate(data=condition),)


def _generalized(condition: Expression, width: int) -> Expression | None:
    """The condition without the parts that depend on the source; None if nothing is left."""
    match condition:
        case Column(index=index):
            return condition if index < width else None
        case Literal():
            return condition
        case And():
            left, right = _generalized(condition.left, width), _generalized(condition.right, width)
            if left is None or right is None:
                return left or right
            return And(left, right)
        case Or() | Comparison() | Arithmetic():
            parts = (_generalized(part, width) for part in (condition.left, condition.right))
            return condition if all(part is not None for part in parts) else None
        case Not() | IsNull():
            return None if _generalized(condition.operand, width) is None else condition
        case InList():
            return None if _generalized(condition.operand, width) is None else condition
    return None


def _rewritten(statement: Merge, footprint: Footprint) -> Footprint:
    """The footprint with the files replaced in which a row changes, and no others.

    Delta on Spark replaces every file with a match. The written rows show which files have
    changed rows.
    """
    written = {row.row: row for file in footprint.adds for row in file.rows}
    replaced = {row.row for file in footprint.removes for row in file.rows}
    touched = tuple(
        file for file in footprint.removes if any(written.get(r.row) is not r for r in file.rows)
    )
    rows = {row.row for file in touched for row in file.rows}
    kept = {key: row for key, row in written.items() if key in rows or key not in replaced}
    adds = tuple(
        replace(file, rows=tuple(row for row in file.rows if row.row in kept))
        for file in footprint.adds
    )
    return replace(footprint, adds=adds, removes=touched)
