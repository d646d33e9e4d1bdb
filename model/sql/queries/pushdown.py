"""Predicate pushdown: the conditions of joined relations that reach the scans, noted as read.

As Spark's optimizer does it: conditions over one side go to that side, and what follows for a
side from the join's equalities goes there too (PushPredicateThroughJoin,
InferFiltersFromConstraints).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from model.expressions.syntax import (
    TRUE,
    Arithmetic,
    Column,
    Comparison,
    Expression,
    InList,
    IsNull,
    Literal,
    Not,
    columns,
    conjunction,
    conjuncts,
    walk,
)
from model.queries import Constants, Relation
from model.queries.join import Kind
from model.queries.query import Query, replaced


@dataclass(frozen=True, slots=True)
class Side:
    """A joined relation: the number of its first column, how and on what it is joined.

    ``subquery`` marks EXISTS and IN: the optimizer makes joins of them when the scans are
    settled, so that nothing follows for one side from the other.
    """

    base: int
    relation: Relation
    kind: Kind
    on: Expression
    subquery: bool = False

    def has(self, column: int) -> bool:
        """Whether a column is one of its own."""
        return self.base <= column < self.base + len(self.relation.types)


def conditions(sides: Sequence[Side], where: Expression) -> list[Expression]:
    """For each side the condition of its scan, over the table's own columns."""
    if any(side.kind in ("right", "full") for side in sides):
        return [s.relation.condition if isinstance(s.relation, Query) else TRUE for s in sides]
    everywhere = [*conjuncts(where), *_constant(sides)]
    for side in sides:
        if side.kind in ("inner", "semi") and not side.subquery:
            everywhere += conjuncts(side.on)
    return [_condition(side, everywhere) for side in sides]


def joins(sides: Sequence[Side], side: Side) -> bool:
    """Whether what a side is joined on speaks of another side's rows, constants apart."""
    folded = [s for s in sides if isinstance(s.relation, Constants) and s.relation.foldable]
    for part in conjuncts(side.on):
        others = {column for column in columns(part) if not side.has(column)}
        if any(not any(constant.has(column) for constant in folded) for column in others):
            return True
    return False


def null_rejecting(part: Expression) -> frozenset[int]:
    """The columns of which a NULL makes a condition not TRUE, as far as its form tells."""
    match part:
        case Comparison(operator=operator) if operator != "<=>" and _passes_null(part):
            return columns(part)
        case InList(operand=operand) if _passes_null(operand):
            return columns(operand)
        case Not(operand=IsNull(operand=Column() as column)):
            return frozenset({column.index})
    return frozenset()


def _condition(side: Side, everywhere: Sequence[Expression]) -> Expression:
    scan = side.relation
    if not isinstance(scan, Query) or scan.aggregates or scan.groups:
        return scan.condition if isinstance(scan, Query) else TRUE
    own = conjuncts(side.on)
    pushed = [*conjuncts(scan.condition)]
    if side.subquery:
        pushed += [_local(part, side, scan) for part in own if _about(part, side)]
        return conjunction(tuple(part for part in dict.fromkeys(pushed) if part != TRUE))
    if side.kind in ("inner", "semi"):
        direct, given = everywhere, everywhere
    else:
        direct, given = own, [*everywhere, *own]
    pushed += [_local(part, side, scan) for part in direct if _about(part, side)]
    pushed += [_local(part, side, scan) for part in _inferred(side, given)]
    for part in direct:
        if not _about(part, side):
            pushed += [
                Not(IsNull(scan.outputs[column - side.base]))
                for column in sorted(null_rejecting(part))
                if side.has(column)
            ]
    return conjunction(tuple(part for part in dict.fromkeys(pushed) if part != TRUE))


def _about(part: Expression, side: Side) -> bool:
    places = columns(part)
    return bool(places) and all(map(side.has, places))


def _inferred(side: Side, given: Sequence[Expression]) -> Iterator[Expression]:
    """What conditions on single columns elsewhere say of columns that are equal to those."""
    equal = list(_equalities(given))
    for part in given:
        mentioned = columns(part)
        if len(mentioned) != 1:
            continue
        (column,) = mentioned
        if side.has(column):
            continue
        for other in _equal_to(column, equal):
            if side.has(other.index):
                places: dict[Expression, Expression] = {
                    p: other for p in walk(part) if isinstance(p, Column)
                }
                yield replaced(part, places)


def _equalities(parts: Iterable[Expression]) -> Iterator[tuple[Column, Column]]:
    for part in parts:
        match part:
            case Comparison("=", Column() as left, Column() as right) if left.type == right.type:
                yield left, right


def _equal_to(column: int, equal: Sequence[tuple[Column, Column]]) -> Iterator[Column]:
    seen, open_ = {column}, [column]
    while open_:
        here = open_.pop()
        for pair in equal:
            for one, other in (pair, pair[::-1]):
                if one.index == here and other.index not in seen:
                    seen.add(other.index)
                    open_.append(other.index)
                    yield other


def _constant(sides: Sequence[Side]) -> Iterator[Expression]:
    """What a SELECT of constants says of its columns."""
    for side in sides:
        if isinstance(side.relation, Constants) and side.relation.foldable:
            (row,) = side.relation.rows
            for place, (value, type_) in enumerate(zip(row, side.relation.types, strict=True)):
                column = Column(side.base + place, f"col{place + 1}", type_)
                if value is not None:
                    yield Comparison("=", column, Literal(value, type_))


def _local(part: Expression, side: Side, scan: Query) -> Expression:
    """A condition over a side's columns, as one over those of its table."""
    places: dict[Expression, Expression] = {
        p: scan.outputs[p.index - side.base] for p in walk(part) if isinstance(p, Column)
    }
    return replaced(part, places)


def _passes_null(expression: Expression) -> bool:
    return all(isinstance(p, Column | Literal | Arithmetic | Comparison) for p in walk(expression))
