"""Statements and their parts as sqlglot's trees, put together without a choice."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from sqlglot import exp

from model.history import Row, Value
from model.sql.dialect import parse_expression
from model.values.types import sql_literal

Where = exp.Where | None
"""A WHERE clause, or none."""

_OPERATORS: dict[str, type[exp.Expr]] = {
    "=": exp.EQ,
    "<>": exp.NEQ,
    "<": exp.LT,
    "<=": exp.LTE,
    ">": exp.GT,
    ">=": exp.GTE,
    "<=>": exp.NullSafeEQ,
    "+": exp.Add,
    "-": exp.Sub,
    "*": exp.Mul,
    "%": exp.Mod,
}


def literal(value: Value) -> exp.Expr:
    """A constant."""
    return _literal(sql_literal(value)).copy()


@lru_cache(maxsize=4096)
def _literal(text: str) -> exp.Expr:
    return parse_expression(text)


def values(rows: Iterable[Row]) -> exp.Values:
    """VALUES with these rows."""
    return exp.Values(expressions=[exp.Tuple(expressions=list(map(literal, row))) for row in rows])


def named(name: str, alias: str | None = None) -> exp.Table:
    """A table by its name."""
    shown = exp.TableAlias(this=exp.to_identifier(alias)) if alias is not None else None
    return exp.Table(this=exp.to_identifier(name), alias=shown)


def column(name: str, table: str | None = None) -> exp.Column:
    """A column, qualified where it has a table."""
    return exp.column(name, table=table)


def columns(names: Iterable[str], table: str | None = None) -> list[exp.Expr]:
    """Columns, all of the same table."""
    return [column(name, table) for name in names]


def binary(left: exp.Expr, operator: str, right: exp.Expr) -> exp.Expr:
    """``left operator right`` with a comparison or arithmetic."""
    return _OPERATORS[operator](this=left, expression=right)


def equal(left: exp.Expr, right: exp.Expr) -> exp.Expr:
    """An equality, or an assignment."""
    return exp.EQ(this=left, expression=right)


def query(
    outputs: Sequence[exp.Expr], origin: exp.Expr, where: Where = None, groups: Sequence[str] = ()
) -> exp.Select:
    """SELECT outputs FROM origin [WHERE ...] [GROUP BY groups]."""
    return exp.Select(
        expressions=list(outputs),
        from_=exp.From(this=origin),
        where=where,
        group=exp.Group(expressions=columns(groups)) if groups else None,
    )


def target(names: Sequence[str] | None, table: str = "t") -> exp.Expr:
    """A table that is written, with a list of columns unless ``names`` is None."""
    if names is None:
        return named(table)
    return exp.Schema(this=named(table), expressions=list(map(exp.to_identifier, names)))


def qualified(tree: exp.Expr, table: str) -> exp.Expr:
    """The expression with every column of it qualified."""
    for node in tree.find_all(exp.Column):
        node.set("table", exp.to_identifier(table))
    return tree


def count() -> exp.Expr:
    """``count(*)``."""
    return exp.Count(this=exp.Star())


def insert(names: Sequence[str] | None, rows: Iterable[Row], table: str = "t") -> exp.Insert:
    """INSERT INTO table [(names)] VALUES rows."""
    return exp.Insert(this=target(names, table), expression=values(rows))


def altering(action: exp.Expr) -> exp.Alter:
    """ALTER TABLE t with one action."""
    return exp.Alter(this=named("t"), kind="TABLE", actions=[action])


def new_column(name: str, type_: str, position: exp.Expr | None = None) -> exp.ColumnDef:
    """A column's definition, in ADD COLUMN or in a new table."""
    kind = exp.DataType.build(type_, dialect="spark")
    at = position.copy() if position is not None else None
    return exp.ColumnDef(this=exp.to_identifier(name), kind=kind, position=at)


def new_constraint(condition: exp.Expr, name: str) -> exp.AddConstraint:
    """ADD CONSTRAINT name CHECK (condition)."""
    check = exp.CheckColumnConstraint(this=condition)
    constraint = exp.Constraint(this=exp.to_identifier(name), expressions=[check])
    return exp.AddConstraint(expressions=[constraint])
