"""Scalar expressions as data: the building blocks of a statement's conditions and values.

This module has only their shape; model.expressions.evaluation defines their meaning (three-valued
logic, ANSI arithmetic), model.physical.skipping their evaluation against file statistics.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from model.history import Value
from model.values import types
from model.values.types import ColumnType, sql_literal


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the table at hand, by position."""

    index: int
    name: str
    type: ColumnType


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant."""

    value: Value
    type: ColumnType


@dataclass(frozen=True, slots=True)
class Comparison:
    """``left operator right`` with one of = <> < <= > >= <=> (the last one null-safe)."""

    operator: str
    left: Expression
    right: Expression

    @property
    def type(self) -> ColumnType:
        return types.BOOLEAN


@dataclass(frozen=True, slots=True)
class And:
    """Three-valued AND."""

    left: Expression
    right: Expression

    @property
    def type(self) -> ColumnType:
        return types.BOOLEAN


@dataclass(frozen=True, slots=True)
class Or:
    """Three-valued OR."""

    left: Expression
    right: Expression

    @property
    def type(self) -> ColumnType:
        return types.BOOLEAN


@dataclass(frozen=True, slots=True)
class Not:
    """The negation; NULL stays NULL."""

    operand: Expression

    @property
    def type(self) -> ColumnType:
        return types.BOOLEAN


@dataclass(frozen=True, slots=True)
class IsNull:
    """``operand IS NULL``: never NULL itself."""

    operand: Expression

    @property
    def type(self) -> ColumnType:
        return types.BOOLEAN


@dataclass(frozen=True, slots=True)
class InList:
    """``operand IN (options)``."""

    operand: Expression
    options: tuple[Expression, ...]

    @property
    def type(self) -> ColumnType:
        return types.BOOLEAN


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """``left operator right`` with one of + - * / % div."""

    operator: str
    left: Expression
    right: Expression
    type: ColumnType


@dataclass(frozen=True, slots=True)
class Cast:
    """CAST(operand AS type): a value of another type, or a failure (``model.values.casts``)."""

    operand: Expression
    type: ColumnType


@dataclass(frozen=True, slots=True)
class Function:
    """A scalar function of ``model.expressions.functions``, by its name there."""

    name: str
    operands: tuple[Expression, ...]
    type: ColumnType


@dataclass(frozen=True, slots=True)
class Coalesce:
    """The first operand that is not NULL."""

    operands: tuple[Expression, ...]
    type: ColumnType


@dataclass(frozen=True, slots=True)
class Case:
    """CASE WHEN condition THEN value ... ELSE otherwise END."""

    branches: tuple[tuple[Expression, Expression], ...]
    otherwise: Expression
    type: ColumnType


@dataclass(frozen=True, slots=True)
class Aggregate:
    """count, sum, min, max or avg over the rows of a query; ``operand`` None is count(*).

    ``distinct`` takes each value once.
    """

    function: str
    operand: Expression | None
    type: ColumnType
    distinct: bool = False


@dataclass(frozen=True, slots=True)
class Opaque:
    """A part that the model cannot evaluate: its value is unknown (``model.values.unknown``).

    ``text`` is the SQL, ``because`` the reason; ``operands`` are the columns that it reads. A part
    that is ``settled`` has the same value for the same values of those, in any statement.
    """

    text: str
    because: str
    operands: tuple[Expression, ...]
    type: ColumnType
    settled: bool = True


Expression = (
    Column
    | Literal
    | Comparison
    | And
    | Or
    | Not
    | IsNull
    | InList
    | Arithmetic
    | Cast
    | Function
    | Coalesce
    | Case
    | Aggregate
    | Opaque
)

TRUE = Literal(True, types.BOOLEAN)


def children(expression: Expression) -> tuple[Expression, ...]:
    """The direct parts of an expression, left to right."""
    match expression:
        case Comparison() | And() | Or() | Arithmetic():
            return (expression.left, expression.right)
        case Not() | IsNull() | Cast():
            return (expression.operand,)
        case InList():
            return (expression.operand, *expression.options)
        case Coalesce() | Function() | Opaque():
            return expression.operands
        case Case():
            pairs = [part for branch in expression.branches for part in branch]
            return (*pairs, expression.otherwise)
        case Aggregate():
            return () if expression.operand is None else (expression.operand,)
        case Column() | Literal():
            return ()


def walk(expression: Expression) -> Iterator[Expression]:
    """The expression and every part of it, outermost first."""
    yield expression
    for child in children(expression):
        yield from walk(child)


def columns(expression: Expression) -> frozenset[int]:
    """Positions of the columns that an expression mentions."""
    return frozenset(part.index for part in walk(expression) if isinstance(part, Column))


def is_constant(expression: Expression) -> bool:
    """Whether an expression has the same known value on every row.

    Then there is neither a column nor an aggregate in it, nor an opaque part.
    """
    return not any(isinstance(part, Column | Aggregate | Opaque) for part in walk(expression))


def opaque_parts(expression: Expression) -> tuple[Opaque, ...]:
    """The parts that the model cannot evaluate."""
    return tuple(part for part in walk(expression) if isinstance(part, Opaque))


def conjuncts(expression: Expression) -> tuple[Expression, ...]:
    """The conditions that AND joins at the top of a condition."""
    if isinstance(expression, And):
        return conjuncts(expression.left) + conjuncts(expression.right)
    return (expression,)


def conjunction(parts: tuple[Expression, ...]) -> Expression:
    """The conditions joined by AND; TRUE for none."""
    if not parts:
        return TRUE
    result = parts[0]
    for part in parts[1:]:
        result = And(result, part)
    return result


def sql(expression: Expression) -> str:
    """An expression as SQL, with the parentheses that it needs and no others around it."""
    match expression:
        case Column():
            return expression.name
        case Literal():
            return sql_literal(expression.value)
        case Comparison() | Arithmetic():
            return f"{_inner(expression.left)} {expression.operator} {_inner(expression.right)}"
        case And():
            return " AND ".join(
                f"({sql(part)})" if isinstance(part, Or) else sql(part)
                for part in (expression.left, expression.right)
            )
        case Or():
            return f"{sql(expression.left)} OR {sql(expression.right)}"
        case Not(operand=IsNull(operand=operand)):
            return f"{_inner(operand)} IS NOT NULL"
        case Not():
            return f"NOT ({sql(expression.operand)})"
        case IsNull():
            return f"{_inner(expression.operand)} IS NULL"
        case InList():
            return f"{_inner(expression.operand)} IN ({', '.join(map(sql, expression.options))})"
        case Cast():
            return f"CAST({sql(expression.operand)} AS {expression.type})"
        case Function(name="like", operands=(text, pattern)):
            return f"{_inner(text)} LIKE {sql(pattern)}"
        case Function(name="negative", operands=(number,)):
            return f"-{_inner(number)}"
        case Function():
            return f"{expression.name}({', '.join(map(sql, expression.operands))})"
        case Opaque():
            return expression.text
        case Coalesce():
            return f"coalesce({', '.join(map(sql, expression.operands))})"
        case Case():
            whens = " ".join(f"WHEN {sql(c)} THEN {sql(v)}" for c, v in expression.branches)
            return f"CASE {whens} ELSE {sql(expression.otherwise)} END"
        case Aggregate():
            argument = "*" if expression.operand is None else sql(expression.operand)
            argument = f"DISTINCT {argument}" if expression.distinct else argument
            return f"{expression.function}({argument})"


def _inner(expression: Expression) -> str:
    text = sql(expression)
    simple = Column | Literal | Cast | Coalesce | Case | Aggregate
    return text if isinstance(expression, simple) else f"({text})"
