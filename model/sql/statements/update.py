"""UPDATE t SET ... [WHERE ...]."""

from __future__ import annotations

from sqlglot import exp

from model.errors import InvalidScenario, UnsupportedSQL
from model.expressions.syntax import Column, Expression
from model.queries.query import Query
from model.sql.expressions.coercion import check_storable, check_width
from model.sql.expressions.opaque import is_accepted
from model.sql.expressions.scalar import Scope
from model.sql.queries.query import query
from model.sql.source import Source, refuse_extras, refuse_subqueries, target_of
from model.sql.statements.insert import default_of
from model.statements import Statement, Update
from model.values import types


def update(source: Source) -> Statement:
    """UPDATE, also with scalar subqueries in SET."""
    tree = source.tree()
    refuse_extras(tree, {"this", "expressions", "where"})
    table, qualifier = target_of(tree.this, source)
    subqueries: list[Query] = []

    def scalar(node: exp.Expr) -> Expression:
        outer = [c for c in node.find_all(exp.Column) if c.table.lower() == qualifier.lower()]
        if is_accepted() and outer:
            raise UnsupportedSQL("a subquery about the row that is updated is not supported")
        asked = query(node.this, source.tables)
        check_width(len(asked.outputs), (0,))
        subqueries.append(asked)
        index = len(table.names) + len(subqueries) - 1
        return Column(index, node.sql(dialect="spark"), asked.outputs[0].type)

    scope = Scope(table, qualifier)
    values = Scope(table, qualifier, subquery=scalar)
    assignments: dict[int, Expression] = {}
    for node in tree.expressions:
        if not isinstance(node, exp.EQ):
            raise UnsupportedSQL(f"{node.sql(dialect='spark')!r} is not an assignment")
        column = scope.resolve(node.args["this"])
        if not isinstance(column, Column):
            raise InvalidScenario(f"{node.args['this'].sql(dialect='spark')!r} is not a column")
        if column.index in assignments:
            raise InvalidScenario(
                f"column {column.name!r} is set twice", error_class="DELTA_CONFLICT_SET_COLUMN"
            )
        if column.index in dict(table.identities):
            raise InvalidScenario(
                f"identity column {column.name!r} cannot be set",
                error_class="DELTA_IDENTITY_COLUMNS_UPDATE_NOT_SUPPORTED",
            )
        given = node.args["expression"]
        default = isinstance(given, exp.Column) and given.sql().upper() == "DEFAULT"
        value = default_of(table, column) if default else values.resolve(given)
        check_storable(value, column, types.UPDATE_OVERFLOW)
        assignments[column.index] = value
    refuse_subqueries(tree.args.get("where"))
    condition = scope.where(tree.args.get("where"))
    return Update(source.text, table, tuple(assignments.items()), condition, tuple(subqueries))
