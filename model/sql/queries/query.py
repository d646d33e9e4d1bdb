"""A SELECT over one table, from sqlglot's tree to the model's query."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sqlglot import exp

from model.errors import InvalidScenario, UnsupportedSQL
from model.expressions.syntax import Aggregate, Column, Expression, children, walk
from model.queries.query import Query
from model.sql.expressions.scalar import Scope
from model.sql.source import Tables, refuse_extras, scope_of


def query(tree: exp.Expr, tables: Tables) -> Query:
    """The query that a SELECT is. Raises UnsupportedSQL and InvalidScenario."""
    refuse_extras(tree, {"expressions", "from_", "where", "group", "kind", "distinct", "order"})
    if tree.args.get("from_") is None:
        raise UnsupportedSQL("a SELECT without FROM is not supported")
    scope = scope_of(tree.args["from_"].this, tables, aggregates=True)
    outputs: list[Expression] = []
    aliases: dict[str, Expression] = {}
    for node in tree.expressions:
        if node.is_star and isinstance(node, exp.Star | exp.Column):
            _check_star(node, scope)
            left_out = excepted(node, scope.table.column_names)
            outputs += (c for c in scope.table.columns if c.name.lower() not in left_out)
        else:
            outputs.append(scope.resolve(node))
            aliases |= {node.alias.lower(): outputs[-1]} if isinstance(node, exp.Alias) else {}
    plain = Scope(scope.table, scope.qualifier)
    groups = group_keys(tree.args.get("group"), plain, outputs, aliases)
    if tree.args.get("distinct") is not None:
        groups = _distinct(tree, groups, outputs)
    if tree.args.get("order") is not None:
        _check_order(tree.args["order"], scope, tree.expressions)
    condition = plain.where(tree.args.get("where"))
    table = scope.table
    return grouped(Query(table.name, condition, tuple(outputs), groups, table.partition_columns))


def _check_star(node: exp.Expr, scope: Scope) -> None:
    star = node.this if isinstance(node, exp.Column) else node
    refuse_extras(star, {"except_"})
    if isinstance(node, exp.Column) and node.table.lower() != scope.qualifier.lower():
        raise InvalidScenario(f"unknown table {node.table!r} (only {scope.qualifier} is in reach)")


def excepted(node: exp.Expr, names: Iterable[str | None]) -> frozenset[str]:
    """The names, in lower case, that a star leaves out by EXCEPT. Raises InvalidScenario."""
    star = node.this if isinstance(node, exp.Column) else node
    left_out = [column.name.lower() for column in star.args.get("except_") or ()]
    own = {(name or "").lower() for name in names}
    for name in left_out:
        if name not in own:
            raise InvalidScenario(
                f"EXCEPT: there is no column {name!r}",
                error_class="UNRESOLVED_COLUMN.WITH_SUGGESTION",
            )
    return frozenset(left_out)


def group_keys(
    group: exp.Expr | None,
    scope: Scope,
    outputs: list[Expression],
    aliases: Mapping[str, Expression],
) -> tuple[Expression, ...]:
    """The expressions of GROUP BY; with ALL they are the outputs that are not aggregates."""
    if group is None:
        return ()
    refuse_extras(group, {"expressions", "all"})
    if not group.args.get("all"):
        return tuple(group_key(node, scope, outputs, aliases) for node in group.expressions)
    mixed = [o for o in outputs if isinstance(o, Aggregate) or not _aggregates(o)]
    if len(mixed) < len(outputs):
        raise UnsupportedSQL("GROUP BY ALL with columns beside an aggregate is not supported")
    return tuple(output for output in outputs if not _aggregates(output))


def _aggregates(expression: Expression) -> bool:
    return any(isinstance(part, Aggregate) for part in walk(expression))


def group_key(
    node: exp.Expr, scope: Scope, outputs: list[Expression], aliases: Mapping[str, Expression]
) -> Expression:
    """What is grouped by; a whole number counts the outputs, from 1.

    The alias of an output stands for it where no column has the name.
    """
    if isinstance(node, exp.Column) and not node.table and node.name.lower() in aliases:
        try:
            return scope.resolve(node)
        except InvalidScenario:
            return aliases[node.name.lower()]
    if not isinstance(node, exp.Literal) or node.is_string or not node.this.isdigit():
        return scope.resolve(node)
    position = int(node.this)
    if not 1 <= position <= len(outputs):
        raise InvalidScenario(
            f"GROUP BY {position}: there are {len(outputs)} outputs",
            error_class="GROUP_BY_POS_OUT_OF_RANGE",
        )
    chosen = outputs[position - 1]
    if any(isinstance(part, Aggregate) for part in walk(chosen)):
        raise InvalidScenario(
            f"GROUP BY {position} is an aggregate", error_class="GROUP_BY_POS_AGGREGATE"
        )
    return chosen


def _distinct(
    tree: exp.Expr, groups: tuple[Expression, ...], outputs: list[Expression]
) -> tuple[Expression, ...]:
    """SELECT DISTINCT groups by everything that it puts out."""
    refuse_extras(tree.args["distinct"], set())
    if groups or any(isinstance(part, Aggregate) for o in outputs for part in walk(o)):
        raise UnsupportedSQL("DISTINCT beside aggregates or GROUP BY is not supported")
    return tuple(dict.fromkeys(outputs))


def _check_order(order: exp.Expr, scope: Scope, named: list[exp.Expr]) -> None:
    """Checks what ORDER BY names; the order itself is nothing that a table keeps."""
    refuse_extras(order, {"expressions"})
    aliases = {node.alias.lower() for node in named if isinstance(node, exp.Alias)}
    for node in order.expressions:
        key = node.this if isinstance(node, exp.Ordered) else node
        if isinstance(key, exp.Column) and not key.table and key.name.lower() in aliases:
            continue
        scope.resolve(key)


def grouped(query: Query) -> Query:
    """The query; refuses an output that is neither aggregated nor grouped by."""
    if not query.aggregates and not query.groups:
        return query

    def loose(expression: Expression) -> Column | None:
        if expression in query.groups or isinstance(expression, Aggregate):
            return None
        if isinstance(expression, Column):
            return expression
        return next((inner for part in children(expression) if (inner := loose(part))), None)

    for output in query.outputs:
        if column := loose(output):
            raise InvalidScenario(f"column {column.name!r} is neither aggregated nor grouped by")
    return query
