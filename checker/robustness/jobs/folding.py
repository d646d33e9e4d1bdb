"""Conditions that Spark's optimizer may fold to FALSE or NULL for some parameters.

A query with such a condition never scans its table, so the engine records no read: an INSERT
SELECT is then a blind append. A condition without parameters is simplified as the optimizer does
(``model.expressions.simplification``). One with parameters counts as never folding only if it is
plain: each part compares columns of its own with a value of their type.
"""

from __future__ import annotations

from collections.abc import Mapping

from checker.robustness.jobs.sentinels import Hole, Parsed
from checker.robustness.jobs.widening import OPAQUE
from model.expressions import syntax as expressions
from model.expressions.syntax import (
    TRUE,
    Arithmetic,
    Case,
    Cast,
    Coalesce,
    Column,
    Comparison,
    Expression,
    Function,
    InList,
    IsNull,
    Literal,
    Not,
    Or,
    walk,
)
from model.physical.skipping import split_filter
from model.queries import Computed, Constants, Distinct, Join, Relation, Union
from model.queries.query import Query
from model.tables.table import Table
from model.values.types import ColumnType

Types = Mapping[str, ColumnType]
"""The types of parameters by name."""

_BETWEEN = frozenset({"<=", ">="})


def may_fold(condition: Expression, table: Table, types: Types) -> bool:
    """Whether the condition of a scan of ``table`` may come to FALSE or NULL for some parameters.

    An undecided condition counts as one that may.
    """
    if not _holes(condition):
        return split_filter(condition, table) is None
    parts = expressions.conjuncts(condition)
    if not all(_stays(part, table, types) for part in parts):
        return True
    met: dict[int, Expression] = {}
    for part in parts:
        for column in expressions.columns(part):
            other = met.setdefault(column, part)
            if other is not part and not _between(other, part):
                return True
    return False


def may_be_blind(relation: Relation, parsed: Parsed) -> bool:
    """Whether some plan of a query gives rows without a scan of the target.

    The optimizer takes a scan out of a join or a union only where it knows a side to be empty
    beforehand; an empty table of files is not known to be.
    """
    return _rows_without_target(relation, parsed, False)


def _rows_without_target(relation: Relation, parsed: Parsed, once: bool) -> bool:
    """The same; ``once`` as in ``_scans_all``."""
    target = parsed.statement.table.name

    def droppable(side: Relation) -> bool:
        scanned = any(scan.table == target for scan in side.scans)
        return not scanned or not _scans_all(side, parsed, once)

    match relation:
        case Query(table=name, aggregates=aggregates, groups=groups):
            if name != target:
                return True
            return bool(aggregates and not groups) and not _scans_all(relation, parsed, once)
        case Constants(rows=rows):
            return bool(rows)
        case Join(kind=kind, left=left, right=right, condition=on):
            if kind in ("inner", "semi"):
                both = (left, right)
                return all(_rows_without_target(side, parsed, once) for side in both)
            joined = all(map(_pairs, expressions.conjuncts(on))) and not once
            if kind in ("anti", "left"):
                first = _rows_without_target(left, parsed, once)
                return first and (droppable(right) or (not joined and _scans(right, target)))
            return True
        case Computed(source=source, query=query):
            if query.aggregates and not query.groups:
                return droppable(source)
            return _rows_without_target(source, parsed, once or bool(query.groups))
        case Distinct(source=source):
            return _rows_without_target(source, parsed, True)
        case Union(parts=parts):
            any_rows = any(_rows_without_target(part, parsed, once) for part in parts)
            return any_rows and all(map(droppable, parts))
    return True


def _scans(relation: Relation, table: str) -> bool:
    return any(scan.table == table for scan in relation.scans)


def _scans_all(relation: Relation, parsed: Parsed, once: bool = False) -> bool:
    """Whether the optimizer has to scan all tables of a relation, whatever the parameters.

    It must not know beforehand that a side of a join is empty. ``once`` says that duplicates make
    no difference further up: then an outer join whose other side is not asked for is left out.
    """
    match relation:
        case Query(condition=condition, table=name):
            if condition == TRUE or parsed.guessed:
                return bool(condition == TRUE)
            return not may_fold(condition, parsed.tables[name], parsed.types)
        case Constants(rows=rows):
            return bool(rows)
        case Join(kind=kind, left=left, right=right, condition=on):
            if once and kind in ("left", "right", "full"):
                return False
            sides = _scans_all(left, parsed, once) and _scans_all(right, parsed, once)
            return sides and all(map(_pairs, expressions.conjuncts(on)))
        case Computed(source=source, query=query):
            grouped = bool(query.groups or query.aggregates)
            outer = isinstance(source, Join) and source.kind in ("left", "right", "full")
            return _scans_all(source, parsed, once or grouped) and all(
                _pairs(part) or (outer and _unmatched(part))
                for part in expressions.conjuncts(query.condition)
            )
        case Distinct(source=source):
            return _scans_all(source, parsed, True)
    return False


def _unmatched(part: Expression) -> bool:
    """Whether a condition over an outer join asks for rows without a partner: for a NULL."""
    return isinstance(part, IsNull) and isinstance(part.operand, Column)


def _pairs(part: Expression) -> bool:
    """Whether a condition compares columns with each other, or is none."""
    match part:
        case Comparison(left=Column() as left, right=Column() as right):
            return left != right and left.type == right.type
        case Or(left=Comparison() as equal, right=IsNull(operand=operand)):
            return operand == equal and _pairs(equal)  # NOT IN
    return part == TRUE


def _holes(expression: Expression) -> bool:
    return any(isinstance(e, Literal) and isinstance(e.value, Hole) for e in walk(expression))


def _stays(part: Expression, table: Table, types: Types) -> bool:
    """Whether the optimizer leaves the part a condition that rows decide, for any parameters."""
    if not _holes(part):
        return bool(expressions.columns(part)) and split_filter(part, table) is not None
    match part:
        case Not(operand=Comparison(operator="=") as equal):
            return _stays(equal, table, types)
        case Comparison(left=Literal() as value, right=operand):
            return _plain(operand) and _fits(value, operand.type, types)
        case Comparison(left=operand, right=Literal() as value):
            return _plain(operand) and _fits(value, operand.type, types)
        case InList(operand=operand, options=options):
            return _plain(operand) and all(
                isinstance(option, Literal) and _fits(option, operand.type, types)
                for option in options
            )
    return False


def _plain(operand: Expression) -> bool:
    """Whether an operand is one that comparisons are not moved into."""
    inner = tuple(walk(operand))
    if not expressions.columns(operand) or _holes(operand):
        return False
    if any(isinstance(e, Case | Cast | Coalesce | IsNull | Comparison) for e in inner):
        return False
    return isinstance(operand, Column | Arithmetic | Function) and operand.type.family != "boolean"


def _fits(literal: Literal, type_: ColumnType, types: Types) -> bool:
    """Whether a value is one of a type, and not NULL, so that nothing is known of a comparison."""
    value = literal.value
    if not isinstance(value, Hole):
        return value is not None and literal.type == type_
    if value.parameter is None or value.parameter.startswith(OPAQUE):
        return False
    given = types[value.parameter]
    if given == type_:
        return True
    return bool(given.bits and type_.bits and given.bits <= type_.bits)


def _between(one: Expression, other: Expression) -> bool:
    """Whether two conditions on one column are its bounds, both included: they may exclude all.

    The optimizer does not look at that (of ``v >= 3 AND v < 3`` it does: they are opposites).
    """
    return (
        isinstance(one, Comparison)
        and isinstance(other, Comparison)
        and {one.operator, other.operator} == _BETWEEN
        and isinstance(one.left, Column)
        and isinstance(other.left, Column)
        and isinstance(one.right, Literal)
        and isinstance(other.right, Literal)
    )
