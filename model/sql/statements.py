"""SQL statements, from text to the model's statements."""

from __future__ import annotations

import difflib
import logging
import re
from collections.abc import Callable, Mapping
from functools import reduce

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from model import types
from model.errors import InvalidScenario, StatementFailure, UnsupportedSQL
from model.expressions import (
    Aggregate,
    Arithmetic,
    Column,
    Expression,
    Literal,
    children,
    columns,
    is_constant,
)
from model.history import Row
from model.query import Query
from model.sql.scalar import Scope, constant
from model.statements import (
    Delete,
    InsertSelect,
    InsertValues,
    Optimize,
    Select,
    Statement,
    Update,
)
from model.table import Table
from model.types import ColumnType

# sqlglot says on its logger what the errors raised here say better.
logging.getLogger("sqlglot").setLevel(logging.ERROR)

Tables = Mapping[str, Table]

_OPTIMIZE = re.compile(
    r"OPTIMIZE\s+(?P<table>[^\s(]+)(\s+WHERE\s+(?P<where>.+?))?\s*", re.IGNORECASE | re.DOTALL
)
_KNOWN = ("INSERT", "DELETE", "UPDATE", "SELECT", "OPTIMIZE")


def parse_statement(text: str, target: str, tables: Tables) -> Statement:
    """The statement that ``text`` is, over table ``target`` and the others in ``tables``.

    Raises UnsupportedSQL for one outside the supported language and InvalidScenario for one
    that is wrong (unknown column, wrong type in VALUES, no SQL at all), both with one line
    that quotes the part concerned.
    """
    body = text.strip().rstrip(";").strip()
    if not body:
        raise InvalidScenario("empty statement")
    word = body.split(None, 1)[0].upper()
    if word == "OPTIMIZE":
        return _optimize(text, body, target, tables)
    try:
        trees = sqlglot.parse(body, dialect="spark")
    except SqlglotError as error:
        raise InvalidScenario(f"not valid SQL: {_first_line(error)}") from error
    if len(trees) != 1 or trees[0] is None:
        raise UnsupportedSQL("a transaction is one SQL statement")
    tree = trees[0]
    builder = _BUILDERS.get(type(tree))
    if builder is None:
        near = difflib.get_close_matches(word, _KNOWN, 1)
        hint = f", did you mean {near[0]}?" if near else f" (supported: {', '.join(_KNOWN)})"
        raise UnsupportedSQL(f"statement {word} is not supported{hint}")
    try:
        return builder(text, tree, target, tables)
    except StatementFailure as error:
        raise InvalidScenario(f"{error} ({error.error_class})") from error


def _first_line(error: Exception) -> str:
    plain = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    return " ".join(plain.split("\n", 1)[0].split())


def _refuse_extras(tree: exp.Expr, allowed: set[str]) -> None:
    """Refuses clauses that the statement's builder does not read: nothing is ignored."""
    for name, value in tree.args.items():
        if name not in allowed and value:
            raise UnsupportedSQL(f"{name.rstrip('_').upper()} is not supported here")


def _target(node: exp.Expr, target: str, tables: Tables) -> tuple[Table, str]:
    """The target table and the name that its columns go by."""
    if not isinstance(node, exp.Table):
        raise UnsupportedSQL(f"{node.sql(dialect='spark')!r} is not supported as a table")
    _refuse_extras(node, {"this", "alias"})
    if node.name.lower() != target.lower():
        raise InvalidScenario(f"a statement writes to table {target!r}, not to {node.name!r}")
    return tables[target], node.alias or node.name


def _scope(node: exp.Expr, tables: Tables, aggregates: bool = False) -> Scope:
    if not isinstance(node, exp.Table):
        raise UnsupportedSQL(f"{node.sql(dialect='spark')!r}: only a table can be read")
    _refuse_extras(node, {"this", "alias"})
    for name, table in tables.items():
        if name.lower() == node.name.lower():
            return Scope(table, node.alias or node.name, aggregates)
    raise InvalidScenario(f"unknown table {node.name!r} (known: {', '.join(tables)})")


def _delete(text: str, tree: exp.Expr, target: str, tables: Tables) -> Statement:
    _refuse_extras(tree, {"this", "where"})
    table, qualifier = _target(tree.this, target, tables)
    return Delete(text, table, Scope(table, qualifier).where(tree.args.get("where")))


def _update(text: str, tree: exp.Expr, target: str, tables: Tables) -> Statement:
    _refuse_extras(tree, {"this", "expressions", "where"})
    table, qualifier = _target(tree.this, target, tables)
    subqueries: list[Query] = []

    def scalar(node: exp.Expr) -> Expression:
        query = _query(node.this, tables)
        _check_width(len(query.outputs), (0,))
        subqueries.append(query)
        index = len(table.names) + len(subqueries) - 1
        return Column(index, node.sql(dialect="spark"), query.outputs[0].type)

    scope = Scope(table, qualifier)
    values = Scope(table, qualifier, subquery=scalar)
    assignments: dict[int, Expression] = {}
    for node in tree.expressions:
        if not isinstance(node, exp.EQ):
            raise UnsupportedSQL(f"{node.sql(dialect='spark')!r} is no assignment")
        column = scope.resolve(node.args["this"])
        if not isinstance(column, Column):
            raise InvalidScenario(f"{node.args['this'].sql(dialect='spark')!r} is no column")
        if column.index in assignments:
            raise InvalidScenario(f"column {column.name!r} is set twice")
        value = values.resolve(node.args["expression"])
        _check_storable(value, column, types.UPDATE_OVERFLOW)
        assignments[column.index] = value
    condition = scope.where(tree.args.get("where"))
    return Update(text, table, tuple(assignments.items()), condition, tuple(subqueries))


def _check_storable(
    value: Expression, column: Column, overflow: str = types.INSERT_OVERFLOW
) -> None:
    """Refuses what the column cannot hold: a type, or a constant that is too large.

    Spark converts constants before it looks at any row, so they fail on every table.
    """
    if not types.storable(value.type, column.type):
        raise InvalidScenario(
            f"column {column.name!r} is of type {column.type}, the value of type {value.type}"
        )
    if isinstance(value, Literal | Arithmetic) and is_constant(value):
        types.store(constant(value).value, column.type, overflow)


def _insert(text: str, tree: exp.Expr, target: str, tables: Tables) -> Statement:
    _refuse_extras(tree, {"this", "expression"})
    node, names = tree.this, None
    if isinstance(node, exp.Schema):
        names = [part.name for part in node.expressions]
        node = node.this
    table, _ = _target(node, target, tables)
    listed = [table.column(name) for name in (names or table.names)]
    positions = tuple(column.index for column in listed)
    if len(set(positions)) < len(positions):
        raise InvalidScenario("a column is listed twice")
    source = tree.expression
    if isinstance(source, exp.Values):
        return InsertValues(text, table, _values(source, table, positions))
    if not isinstance(source, exp.Select):
        raise UnsupportedSQL("INSERT takes VALUES or a SELECT")
    query = _query(source, tables)
    _check_width(len(query.outputs), positions)
    for output, column in zip(query.outputs, listed, strict=True):
        _check_storable(output, column)
    return InsertSelect(text, table, query, positions)


def _check_width(width: int, positions: tuple[int, ...]) -> None:
    if width != len(positions):
        raise InvalidScenario(f"{width} values for {len(positions)} columns")


def _values(source: exp.Values, table: Table, positions: tuple[int, ...]) -> tuple[Row, ...]:
    scope = Scope(Table("VALUES", (), ()), "VALUES")
    lines = []
    for node in source.expressions:
        cells = node.expressions if isinstance(node, exp.Tuple) else [node]
        _check_width(len(cells), positions)
        lines.append([constant(scope.resolve(cell)) for cell in cells])
    rows: list[list[object]] = [[None] * len(table.names) for _ in lines]
    for index, position in enumerate(positions):
        column = Column(position, table.names[position], table.types[position])
        met = _common_type([line[index] for line in lines], column)
        for row, line in zip(rows, lines, strict=True):
            row[position] = types.store(types.widen(line[index].value, met), column.type)
    return tuple(table.stored(tuple(row)) for row in rows)


def _common_type(values: list[Literal], column: Column) -> ColumnType:
    """The type of one column of VALUES, which Spark finds over all of its rows."""
    for value in values:
        _check_storable(value, column)
    found = [value.type for value in values]
    families = {type_.family for type_ in found} - {"null"}
    if len(families) > 1:
        raise InvalidScenario(
            f"the values for column {column.name!r} are of several types "
            f"({', '.join(dict.fromkeys(map(str, found)))})"
        )
    return reduce(types.wider, found)


def _select(text: str, tree: exp.Expr, target: str, tables: Tables) -> Statement:
    return Select(text, target, _query(tree, tables))


def _query(tree: exp.Expr, tables: Tables) -> Query:
    _refuse_extras(tree, {"expressions", "from_", "where", "group", "kind"})
    if tree.args.get("from_") is None:
        raise UnsupportedSQL("a SELECT without FROM is not supported")
    scope = _scope(tree.args["from_"].this, tables, aggregates=True)
    outputs: list[Expression] = []
    for node in tree.expressions:
        if isinstance(node, exp.Star):
            _refuse_extras(node, set())
            outputs += [scope.table.column(name) for name in scope.table.names]
        else:
            outputs.append(scope.resolve(node))
    plain = Scope(scope.table, scope.qualifier)
    group = tree.args.get("group")
    if group is not None:
        _refuse_extras(group, {"expressions"})
    groups = tuple(map(plain.resolve, group.expressions)) if group is not None else ()
    query = Query(scope.table.name, plain.where(tree.args.get("where")), tuple(outputs), groups)
    if query.aggregates or query.groups:
        _check_grouped(query)
    return query


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


def _optimize(text: str, body: str, target: str, tables: Tables) -> Statement:
    match = _OPTIMIZE.fullmatch(body)
    if match is None:
        raise UnsupportedSQL(f"{body!r}: only OPTIMIZE {target} [WHERE ...] is supported")
    if re.search(r"\bZORDER\b|\bFULL\b", body, re.IGNORECASE):
        raise UnsupportedSQL("OPTIMIZE with ZORDER or FULL is not supported")
    if match["table"].lower() != target.lower():
        raise InvalidScenario(f"a statement writes to table {target!r}, not to {match['table']!r}")
    table = tables[target]
    node = None
    if match["where"]:
        try:
            node = sqlglot.parse_one(match["where"], dialect="spark")
        except SqlglotError as error:
            raise InvalidScenario(f"not valid SQL: {_first_line(error)}") from error
    condition = Scope(table, target).where(node)
    if stray := columns(condition) - table.partition_columns:
        name = table.names[min(stray)]
        raise InvalidScenario(f"OPTIMIZE ... WHERE takes partition columns only, not {name!r}")
    return Optimize(text, table, condition)


_BUILDERS: dict[type[exp.Expr], Callable[[str, exp.Expr, str, Tables], Statement]] = {
    exp.Delete: _delete,
    exp.Update: _update,
    exp.Insert: _insert,
    exp.Select: _select,
}
