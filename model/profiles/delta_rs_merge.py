"""What delta-rs makes of a MERGE: the predicate of its conflict check, and the files it writes."""

from __future__ import annotations

from dataclasses import replace

from model.expressions.syntax import (
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
from model.physical.footprint import Footprint, ReadPredicate
from model.statements import Merge


def predicates_of(statement: Merge) -> tuple[ReadPredicate, ...]:
    """The predicate of the conflict check; none stands for the whole table.

    It is what ON says of the target alone, the part on the source left out. A MERGE with NOT
    MATCHED BY SOURCE has none. Source: crates/core/src/operations/merge/filter.rs,
    ``generalize_filter``, for a source that is streamed, as Python's is unless told otherwise.
    """
    if statement.by_source:
        return ()
    condition = _generalized(statement.condition, len(statement.table.names))
    return () if condition is None else (ReadPredicate(data=condition),)


def _generalized(condition: Expression, width: int) -> Expression | None:
    """The condition without what depends on the source; None where nothing is left."""
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


def rewritten(statement: Merge, footprint: Footprint) -> Footprint:
    """The footprint with the files replaced in which a row changes, and no others.

    Delta on Spark replaces every file with a match. The rows that are written tell which of
    them are new versions.
    """
    written = {row.row: row for file in footprint.adds for row in file.rows}
    known = {row.row for file in footprint.removes for row in file.rows}
    touched = tuple(
        file for file in footprint.removes if any(written.get(r.row) is not r for r in file.rows)
    )
    rows = {row.row for file in touched for row in file.rows}
    kept = {key: row for key, row in written.items() if key in rows or key not in known}
    adds = tuple(
        replace(file, rows=tuple(row for row in file.rows if row.row in kept))
        for file in footprint.adds
    )
    return replace(footprint, adds=adds, removes=touched)
