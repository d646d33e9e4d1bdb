"""A SELECT over one table, from sqlglot's tree to the model's query."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from model.errors import InvalidScenario, UnsupportedSQL
from model.expressions import Aggregate, Column, Expression, children
from model.query import Query
from model.sql.scalar import Scope
from model.sql.source import Source, Tables, refuse_extras, scope_of
from model.statements import Select, Statement


def select(source: Source) -> Statement:
    """SELECT as a reader."""
    return Select(source.text, source.table, query(source.tree(), source.tables))


def query(tree: exp.Expr, tables: Tables) -> Query:
    """The query that a SELECT is. Raises UnsupportedSQL and InvalidScenario."""
    refuse_extras(tree, {"expressions", "from_", "where", "group", "kind"})
    if tree.args.get("from_") is None:
        raise UnsupportedSQL("a SELECT without FROM is not supported")
    scope = scope_of(tree.args["from_"].this, tables, aggregates=True)
    outputs: list[Expression] = []
    for node in tree.expressions:
        if isinstance(node, exp.Star):
            refuse_extras(node, set())
            outputs += scope.table.columns
        else:
            outputs.append(scope.resolve(node))
    plain = Scope(scope.table, scope.qualifier)
    group = tree.args.get("group")
    if group is not None:
        refuse_extras(group, {"expressions"})
    groups = tuple(map(plain.resolve, group.expressions)) if group is not None else ()
    found = Query(scope.table.name, plain.where(tree.args.get("where")), tuple(outputs), groups)
    if found.aggregates or found.groups:
        _check_grouped(found)
    return found


def output_names(tree: exp.Expr, tables: Tables) -> Iterator[str | None]:
    """The names of a query's columns; None for an expression that is given none."""
    for node in tree.expressions:
        if isinstance(node, exp.Star):
            yield from scope_of(tree.args["from_"].this, tables).table.column_names
        elif isinstance(node, exp.Alias | exp.Column | exp.Literal):
            yield node.alias_or_name
        else:
            yield None


def _check_grouped(query: Query) -> None:
    """Refuses an output that is neither aggregated nor grouped by."""

    def loose(expression: Expression) -> Column | None:
        if expression in query.groups or isinstance(expression, Aggregate):
            return None
        if isinstance(expression, Column):
            return expression
        return next((found for part in children(expression) if (found := loose(part))), None)

    for output in query.outputs:
        if column := loose(output):
            raise InvalidScenario(f"column {column.name!r} is neither aggregated nor grouped by")
