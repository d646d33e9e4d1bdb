"""Opaque parts: what stands for an expression that the model cannot evaluate, and their list.

A statement is resolved in one of two ways. Strictly, an unsupported part ends in UnsupportedSQL.
Within :func:`accepting` it becomes an ``Opaque`` node instead, and is put on a list. The way is a
context, not an argument, since scopes are made all over the parsers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from sqlglot import exp

from model.errors import InvalidScenario, UnsupportedSQL
from model.expressions.syntax import Column, Expression, Opaque
from model.sql.dialect import Delta
from model.values.types import (
    BOOLEAN,
    DATE,
    OPAQUE,
    STRING,
    TIMESTAMP,
    ColumnType,
    parse_type,
)


@dataclass(frozen=True, slots=True)
class OpaquePart:
    """A part of a statement that the model cannot evaluate.

    ``text`` is its SQL in one spelling, ``because`` the reason, ``start`` where it begins in the
    statement's text (from 0), None if that is not known.
    """

    text: str
    because: str
    start: int | None = None


_PARTS: ContextVar[list[OpaquePart] | None] = ContextVar("opaque parts", default=None)
_UNDECLARED: ContextVar[bool] = ContextVar("undeclared tables", default=False)


@contextmanager
def accepting(*, undeclared: bool = False) -> Iterator[list[OpaquePart]]:
    """Unsupported parts are opaque in here; the list fills as they are met.

    With ``undeclared`` so are tables that are read and not declared, which are errors otherwise.
    """
    parts: list[OpaquePart] = []
    token, other = _PARTS.set(parts), _UNDECLARED.set(undeclared)
    try:
        yield parts
    finally:
        _PARTS.reset(token)
        _UNDECLARED.reset(other)


def takes_undeclared() -> bool:
    """Whether tables that are not declared are opaque at the moment."""
    return _UNDECLARED.get()


def is_accepted() -> bool:
    """Whether unsupported parts are opaque at the moment."""
    return _PARTS.get() is not None


def noted(node: exp.Expr, error: UnsupportedSQL, since: int) -> tuple[str, str]:
    """Puts a part on the list; returns its text and the reason.

    Where it is opaque for an opaque part inside of it, which was listed ``since``, the reason is
    that part's, and nothing is added.
    """
    parts = _PARTS.get()
    assert parts is not None
    text = shown(node)
    if len(parts) > since:
        return text, parts[since].because
    reason = str(error).removeprefix(f"{node.sql(dialect='spark')!r}").lstrip(": ")
    starts = [part.meta["start"] for part in node.walk() if "start" in part.meta]
    parts.append(OpaquePart(text, reason, min(starts, default=None)))
    return text, reason


def shown(node: exp.Expr) -> str:
    """A node as SQL on one line."""
    return " ".join(node.sql(dialect=Delta, comments=False).split())


def listed() -> int:
    """How many parts are on the list."""
    return len(_PARTS.get() or ())


def or_opaque(
    node: exp.Expr,
    resolve: Callable[[exp.Expr], Expression],
    inner: Callable[[exp.Expr], Expression],
) -> Expression:
    """What ``resolve`` makes of a node, or an opaque expression over the columns that it reads.

    ``inner`` resolves those. A part that decides how many rows there are, such as an aggregate or a
    subquery, cannot be opaque by itself: the error goes on to whatever holds it.
    """
    since = listed()
    try:
        return resolve(node)
    except UnsupportedSQL as error:
        if node.find(*_MORE_THAN_VALUES) is not None:
            raise
        operands = [part for name in node.find_all(exp.Column) for part in _inputs(inner(name))]
        cause = next((part for part in operands if part.type is OPAQUE), None)
        if cause is None:
            text, reason = noted(node, error, since)
        else:
            text, reason = shown(node), "it depends on a column of which nothing is known"
    except InvalidScenario as error:
        field = _field(node, inner)
        if field is None:
            raise
        unsupported = UnsupportedSQL("fields of structs are not modelled")
        unsupported.__cause__ = error
        text, reason = noted(node, unsupported, since)
        return Opaque(text, reason, (field,), OPAQUE)
    settled = is_settled(node) and all(o.settled for o in operands if isinstance(o, Opaque))
    return Opaque(text, reason, tuple(dict.fromkeys(operands)), type_of(node), settled)


def _inputs(expression: Expression) -> tuple[Expression, ...]:
    """The columns that a name stands for; a name of an open relation stands for itself."""
    if isinstance(expression, Opaque) and expression.operands:
        return expression.operands
    return (expression,)


def _field(node: exp.Expr, resolve: Callable[[exp.Expr], Expression]) -> Expression | None:
    """The column of which a name like ``column.field`` takes a part; None for other nodes."""
    if not isinstance(node, exp.Column) or len(node.parts) < 2:
        return None
    try:
        column = resolve(exp.Column(this=node.parts[0].copy()))
    except InvalidScenario:
        return None
    opaque = isinstance(column, Column) and column.type.family == "opaque"
    return column if opaque else None


_MORE_THAN_VALUES = (exp.AggFunc, exp.Window, exp.UDTF, exp.Explode, exp.Query, exp.Exists)

_BY_NODE: tuple[tuple[tuple[type[exp.Expr], ...], ColumnType], ...] = (
    ((exp.Predicate, exp.Connector, exp.Not), BOOLEAN),
    ((exp.CurrentDate, exp.TsOrDsAdd, exp.AddMonths, exp.LastDay), DATE),
    ((exp.CurrentTimestamp, exp.Localtimestamp), TIMESTAMP),
)
_BY_NAME: dict[str, ColumnType] = {"now": TIMESTAMP, "curdate": DATE, "uuid": STRING}
_BY_SQLGLOT: dict[object, ColumnType] = {
    exp.DType.VARCHAR: STRING,
    exp.DType.TEXT: STRING,
    exp.DType.BOOLEAN: BOOLEAN,
    exp.DType.DATE: DATE,
}


def type_of(node: exp.Expr) -> ColumnType:
    """The type of an expression as its outermost function tells it; ``OPAQUE`` if that does not."""
    if isinstance(node, exp.Paren):
        return type_of(node.this)
    if isinstance(node, exp.Cast):
        try:
            return parse_type(node.to.sql(dialect="spark"))
        except InvalidScenario:
            return OPAQUE
    for nodes, type_ in _BY_NODE:
        if isinstance(node, nodes):
            return type_
    if isinstance(node, exp.Anonymous):
        return _BY_NAME.get(node.name.lower(), OPAQUE)
    returns = Delta.EXPRESSION_METADATA.get(type(node), {}).get("returns")
    return _BY_SQLGLOT.get(returns, OPAQUE)


_CHANGING = (exp.Rand, exp.Randn, exp.Uuid, exp.CurrentTimestamp, exp.CurrentDate)
_CHANGING_NAMES = frozenset(
    {"now", "curdate", "random", "rand", "randn", "uuid", "shuffle", "randstr", "uniform"}
    | {"monotonically_increasing_id", "spark_partition_id", "input_file_name", "localtimestamp"}
    | {"input_file_block_start", "input_file_block_length", "unix_timestamp", "current_time"}
)


def is_settled(node: exp.Expr) -> bool:
    """Whether an expression has the same value for the same columns each time."""
    for part in node.walk():
        if isinstance(part, _CHANGING):
            return False
        if isinstance(part, exp.Func) and _name(part) in _CHANGING_NAMES:
            return False
    return True


def _name(function: exp.Func) -> str:
    named = function.name if isinstance(function, exp.Anonymous) else function.sql_name()
    return named.lower()
