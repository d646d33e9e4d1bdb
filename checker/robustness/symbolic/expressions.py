"""Conditions and values over unknown rows and parameters, as z3 formulas.

The formulas allow at least what SQL allows: any operation that they cannot express exactly becomes
an unknown. So a situation that they rule out cannot occur; one that they allow need not occur.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from itertools import count
from typing import Any, TypeVar

import z3

from checker.robustness.jobs.sentinels import Hole
from checker.robustness.jobs.widening import OPAQUE
from model.errors import StatementFailure
from model.expressions.syntax import (
    Aggregate,
    And,
    Arithmetic,
    Case,
    Coalesce,
    Column,
    Comparison,
    Expression,
    InList,
    IsNull,
    Literal,
    Not,
    Opaque,
    Or,
    columns,
    walk,
)
from model.history import Value
from model.values.types import DOUBLE, INT, NULL, ColumnType, store
from model.values.unknown import Unknown

_names = count()

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Cell:
    """A value: its z3 term (of sort Real, or Bool for a boolean) and whether it is NULL."""

    term: Any
    null: Any


SymbolicRow = tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Truth:
    """A condition's value: TRUE, FALSE, or NULL where it is neither."""

    true: Any
    false: Any


def fresh(type_: ColumnType) -> Cell:
    """A value about which nothing is known."""
    number = next(_names)
    sort = z3.Bool if type_.family == "boolean" else z3.Real
    return Cell(sort(f"value{number}"), z3.Bool(f"null{number}"))


def fresh_row(types: Sequence[ColumnType]) -> SymbolicRow:
    """A row about which nothing is known."""
    return tuple(map(fresh, types))


def unknown() -> Truth:
    """A condition about which nothing is known."""
    number = next(_names)
    true, false = z3.Bools(f"true{number} false{number}")
    return Truth(z3.And(true, z3.Not(false)), z3.And(false, z3.Not(true)))


def constant(value: Value, type_: ColumnType) -> Cell:
    """A known value. Every order among values of one family is kept."""
    if isinstance(value, Unknown):
        return fresh(type_)
    if value is None:
        return Cell(fresh(type_).term, z3.BoolVal(True))
    return Cell(_term(value), z3.BoolVal(False))


def _term(value: Value) -> Any:
    match value:
        case bool():
            return z3.BoolVal(value)
        case float() if value in (float("inf"), float("-inf")) or value != value:
            return fresh(DOUBLE).term
        case int() | float() | Decimal():
            return z3.RealVal(Fraction(value))
        case str():
            # A text as a fraction whose digits are its bytes: their order is that of texts.
            total = Fraction(0)
            for place, byte in enumerate(value.encode(), 1):
                total += Fraction(byte + 1, 257**place)
            return z3.RealVal(total)
        case datetime.datetime():
            return z3.RealVal(Fraction((value - datetime.datetime(1970, 1, 1)).total_seconds()))
        case datetime.date():
            return z3.RealVal(value.toordinal())
    raise TypeError(f"{value!r} is not a column value")


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads expressions over one row, with parameters put in.

    ``parameters`` gives the cell of each, ``types`` their types. ``memory`` belongs to one run: an
    expression that the formulas do not express has an unknown value, but the same one for the same
    cells.
    """

    row: SymbolicRow
    parameters: Callable[[str], Cell]
    types: Mapping[str, ColumnType]
    memory: dict[object, tuple[Any, SymbolicRow]]

    def literal(self, value: Value | Hole, type_: ColumnType) -> Cell:
        """A constant of the template, or the parameter that it stands for."""
        if not isinstance(value, Hole):
            return constant(value, type_)
        if value.parameter is None:
            return fresh(type_)
        cell = self.parameters(value.parameter)
        same_sort = z3.is_bool(cell.term) == (type_.family == "boolean")
        return cell if same_sort else fresh(type_)

    def stored(self, value: Value | Hole, type_: ColumnType) -> Cell:
        """The same as a value of a column of ``type_``, the constants being stored already."""
        name = value.parameter if isinstance(value, Hole) else None
        if name is not None and not _keeps(self.types[name], type_):
            return fresh(type_)
        return self.literal(value, type_)

    def cell(self, expression: Expression, type_: ColumnType | None = None) -> Cell:
        """The value of an expression, as stored in a column of ``type_``."""
        if type_ is not None and expression.type.family == "null":
            return constant(None, type_)
        if type_ is None or (type_ == expression.type and not isinstance(expression, Literal)):
            return self._cell(expression)
        return self._same(("stored", type_, expression), lambda: self._stored(expression, type_))

    def _stored(self, expression: Expression, type_: ColumnType) -> Cell:
        cell = self._cell(expression)
        if expression.type.bits and type_.bits:
            return cell  # Or the statement fails.
        if isinstance(expression, Literal) and isinstance(expression.value, Hole):
            return self.stored(expression.value, type_)
        if isinstance(expression, Literal) and expression.type.family == type_.family:
            try:
                kept = store(expression.value, type_) == expression.value
            except StatementFailure:
                return cell  # So does the statement.
            return cell if kept else fresh(type_)
        return fresh(type_)

    def _cell(self, expression: Expression) -> Cell:
        match expression:
            case Column(index=index, type=type_):
                # Beyond the row stands what a subquery gives.
                return self.row[index] if index < len(self.row) else fresh(type_)
            case Literal():
                return self.literal(expression.value, expression.type)
            case Arithmetic(operator=operator, left=left, right=right) if (
                expression.type.bits and operator in "+-"
            ):
                one, other = self._cell(left), self._cell(right)
                term = one.term + other.term if operator == "+" else one.term - other.term
                return Cell(term, z3.Or(one.null, other.null))
            case Coalesce() if expression.type.family != "boolean":
                cells = [self._cell(operand) for operand in expression.operands]
                result = cells[-1]
                for cell in reversed(cells[:-1]):
                    result = _choose(z3.Not(cell.null), cell, result)
                return result
            case Case() if expression.type.family != "boolean":
                result = self._cell(expression.otherwise)
                for condition, value in reversed(expression.branches):
                    result = _choose(self.truth(condition).true, self._cell(value), result)
                return result
        if expression.type.family == "boolean":
            truth = self.truth(expression)
            return Cell(truth.true, z3.Not(z3.Or(truth.true, truth.false)))
        return self._same(("value", expression), lambda: fresh(expression.type))

    def truth(self, expression: Expression) -> Truth:
        """The value of a condition."""
        match expression:
            case And():
                left, right = self.truth(expression.left), self.truth(expression.right)
                return Truth(z3.And(left.true, right.true), z3.Or(left.false, right.false))
            case Or():
                left, right = self.truth(expression.left), self.truth(expression.right)
                return Truth(z3.Or(left.true, right.true), z3.And(left.false, right.false))
            case Not():
                inner = self.truth(expression.operand)
                return Truth(inner.false, inner.true)
            case IsNull():
                cell = self._cell(expression.operand)
                return Truth(cell.null, z3.Not(cell.null))
            case Comparison():
                return self._compared(expression.operator, expression.left, expression.right)
            case InList(operand=operand, options=options):
                parts = [self._compared("=", operand, option) for option in options]
                return Truth(
                    z3.Or(*(part.true for part in parts)), z3.And(*(part.false for part in parts))
                )
            case Literal() | Column():
                cell = self._cell(expression)
                if expression.type.family == "boolean":
                    not_null = z3.Not(cell.null)
                    return Truth(z3.And(not_null, cell.term), z3.And(not_null, z3.Not(cell.term)))
                return Truth(z3.BoolVal(False), z3.BoolVal(False))
        return self._same(("truth", expression), unknown)

    def _compared(self, operator: str, left: Expression, right: Expression) -> Truth:
        families = {left.type.family, right.type.family} - {"null"}
        kinds = {left.type, right.type}
        if len(families) > 1 or (DOUBLE in kinds and not kinds <= {DOUBLE, INT, NULL}):
            # As doubles, large numbers are equal that are not.
            return self._same(("truth", Comparison(operator, left, right)), unknown)
        one, other = self._cell(left), self._cell(right)
        same = z3.BoolVal(True) if not z3.eq(one.term.sort(), other.term.sort()) else None
        relation = same if same is not None else _relation(operator, one.term, other.term)
        if operator == "<=>":
            both = z3.And(one.null, other.null)
            equal = z3.And(z3.Not(one.null), z3.Not(other.null), relation)
            return Truth(z3.Or(both, equal), z3.Not(z3.Or(both, equal)))
        not_null = z3.And(z3.Not(one.null), z3.Not(other.null))
        return Truth(z3.And(not_null, relation), z3.And(not_null, z3.Not(relation)))

    def _same(self, key: tuple[*tuple[object, ...], Expression], make: Callable[[], T]) -> T:
        """What ``make`` gives: the same for an expression over the same cells in the same run."""
        expression = key[-1]
        places = sorted(columns(expression))
        if not _repeats(expression) or (places and places[-1] >= len(self.row)):
            return make()
        # The cells are kept with the result, so that no other one gets the identity of one of them.
        cells = tuple(self.row[place] for place in places)
        known = (*key, *map(id, cells))
        if known not in self.memory:
            self.memory[known] = (make(), cells)
        result: T = self.memory[known][0]
        return result


@lru_cache(maxsize=10_000)
def _repeats(expression: Expression) -> bool:
    """Whether an expression has the same value each time that a run evaluates it over a row."""
    for part in walk(expression):
        if isinstance(part, Opaque | Aggregate):
            return False
        if isinstance(part, Literal) and isinstance(part.value, Hole):
            name = part.value.parameter
            if name is None or name.startswith(OPAQUE):
                return False
    return True


def _keeps(given: ColumnType, type_: ColumnType) -> bool:
    """Whether every value that a column of ``type_`` takes stays the same in it."""
    if given == type_ or (given.bits and (type_.bits or type_.precision)):
        return True
    if given.precision and type_.precision:
        return given.scale <= type_.scale
    return given == INT and type_ == DOUBLE


def _relation(operator: str, left: Any, right: Any) -> Any:
    if operator in ("=", "<=>"):
        return left == right
    if operator == "<>":
        return left != right
    if z3.is_bool(left):  # FALSE is less than TRUE.
        left, right = (z3.If(side, 1, 0) for side in (left, right))
    match operator:
        case "<":
            return left < right
        case "<=":
            return left <= right
        case ">":
            return left > right
    return left >= right


def _choose(condition: Any, one: Cell, other: Cell) -> Cell:
    if not z3.eq(one.term.sort(), other.term.sort()):
        return Cell(z3.Real(f"value{next(_names)}"), z3.Bool(f"null{next(_names)}"))
    return Cell(z3.If(condition, one.term, other.term), z3.If(condition, one.null, other.null))


def same_cells(one: SymbolicRow, other: SymbolicRow, places: Sequence[int]) -> Any:
    """Whether two rows have equal values in some places, NULL being equal to NULL."""
    parts = [
        z3.If(
            one[i].null,
            other[i].null,
            z3.And(z3.Not(other[i].null), one[i].term == other[i].term),
        )
        for i in places
    ]
    return z3.And(*parts) if parts else z3.BoolVal(True)
