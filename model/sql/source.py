"""The input of every statement's parser: the statement's text, its target and the tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlglot import exp

from model.errors import InvalidScenario, UnsupportedSQL, did_you_mean
from model.sql.expressions.opaque import takes_undeclared
from model.sql.expressions.scalar import Scope
from model.sql.printer import syntax
from model.tables.table import Table

Tables = Mapping[str, Table]

NO_TABLE = "TABLE_OR_VIEW_NOT_FOUND"
"""Spark's error class for a name that means no table."""


@dataclass(frozen=True, slots=True)
class Written:
    """A statement's text, taken apart without a look at any table.

    ``text`` is the whole text, ``settings`` are those of its leading ``SET key = value;``, and
    ``body`` is the statement behind them.
    """

    text: str
    body: str
    settings: Mapping[str, str]

    def tree(self) -> exp.Expr:
        """The statement as sqlglot parses it: not to be changed, since others get it as well.

        Raises InvalidScenario and UnsupportedSQL.
        """
        return syntax(self.text).tree


@dataclass(frozen=True, slots=True)
class Source(Written):
    """A statement to be resolved.

    ``tables`` has the definitions of all tables, that of the target under the name ``target``.
    """

    target: str
    tables: Tables

    @property
    def table(self) -> Table:
        """The target's definition."""
        return self.tables[self.target]

    def check_target(self, name: str) -> Table:
        """The target, if ``name`` is its name and it is there. Raises InvalidScenario."""
        if self.check_name(name).absent:
            raise no_table(self.target)
        return self.table

    def check_name(self, name: str) -> Table:
        """The target, there or not, if ``name`` is its name. Raises InvalidScenario."""
        if name.strip("`").lower() != self.target.lower():
            declared = name.strip("`").lower() in map(str.lower, self.tables)
            raise InvalidScenario(
                f"a statement writes to table {self.target!r}, not to {name!r}",
                error_class=None if declared else "TABLE_OR_VIEW_NOT_FOUND",
            )
        return self.table


class NoTable(InvalidScenario):
    """A statement is about the target, which is not there yet: an outcome, not a typo."""


def no_table(name: str) -> NoTable:
    """Spark's error for a table that is not there."""
    return NoTable(f"there is no table {name!r} yet", error_class=NO_TABLE)


def refuse_extras(tree: exp.Expr, allowed: set[str]) -> None:
    """Refuses clauses that the statement's parser does not read: nothing is ignored."""
    for name, value in tree.args.items():
        if name not in allowed and value:
            raise UnsupportedSQL(f"{name.rstrip('_').upper()} is not supported here")


def target_of(node: exp.Expr, source: Source) -> tuple[Table, str]:
    """The target table and the name that its columns go by."""
    if not isinstance(node, exp.Table):
        raise UnsupportedSQL(f"{node.sql(dialect='spark')!r} is not supported as a table")
    refuse_extras(node, {"this", "alias"})
    return source.check_target(node.name), node.alias or node.name


def scope_of(node: exp.Expr, tables: Tables, aggregates: bool = False) -> Scope:
    """The scope of a table that is read, by its name or alias."""
    if not isinstance(node, exp.Table):
        raise UnsupportedSQL(f"{node.sql(dialect='spark')!r}: only a table can be read")
    refuse_extras(node, {"this", "alias"})
    for name, table in tables.items():
        if name.lower() == node.name.lower():
            if table.absent:
                raise no_table(name)
            return Scope(table, node.alias or node.name, aggregates)
    if takes_undeclared():
        raise UnsupportedSQL(f"table {node.name} is not declared")
    raise InvalidScenario(
        f"unknown table {node.name!r} (known: {', '.join(tables)})"
        f"{did_you_mean(node.name, tables)}",
        error_class=NO_TABLE,
    )


def refuse_subqueries(
    node: exp.Expr | None, error_class: str = "DELTA_UNSUPPORTED_SUBQUERY"
) -> None:
    """Raises InvalidScenario where a condition has a subquery, as Delta does when it analyses it.

    Source: DeltaErrors.scala, ``subqueryNotSupportedException``.
    """
    if node is not None and node.find(exp.Select, exp.Subquery, exp.Exists) is not None:
        text = node.sql(dialect="spark")
        raise InvalidScenario(f"{text!r}: no subquery can stand here", error_class=error_class)
