"""The source of a MERGE, after USING: a table, a query, or constants."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce

from sqlglot import exp

from model.errors import InvalidScenario, UnsupportedSQL
from model.expressions.syntax import Literal, is_constant
from model.queries import Relation
from model.queries.query import Query
from model.sql.expressions.coercion import constant
from model.sql.expressions.opaque import is_accepted, listed, noted
from model.sql.expressions.scalar import Scope
from model.sql.queries.relation import opaque, relation
from model.sql.source import Tables, refuse_extras, scope_of
from model.statements.merge.source import MergeSource
from model.tables.table import Table
from model.values import types
from model.values.types import ColumnType

_CONSTANTS = Scope(Table("constants", (), ()), "constants")


@dataclass(frozen=True, slots=True)
class Using:
    """The source, the name that its columns go by, their names and types.

    One that is ``open`` has any column that is asked for: an opaque relation.
    """

    source: MergeSource
    qualifier: str
    names: tuple[str, ...]
    types: tuple[ColumnType, ...]
    open: bool = False


def using(node: exp.Expr, tables: Tables, written: str | None = None) -> Using:
    """The source that a node of sqlglot's tree stands for.

    Raises UnsupportedSQL, and InvalidScenario for an error of Spark's. Where opaque parts are
    accepted, an unsupported source becomes an opaque relation.
    """
    if not is_accepted():
        return _using(node, tables, written)
    since = listed()
    try:
        return _using(node, tables, written)
    except UnsupportedSQL as error:
        read = opaque(node, noted(node, error, since), tables)
        names = tuple(name or "" for name in read.names)
        return replace(_queried(read.relation, node.alias_or_name, names), open=read.open)


def _using(node: exp.Expr, tables: Tables, written: str | None) -> Using:
    if isinstance(node, exp.Table):
        scope = scope_of(node, tables)
        return _queried(
            Query(scope.table.name, _CONSTANTS.where(None), scope.table.columns),
            scope.qualifier,
            scope.table.column_names,
        )
    alias = node.args.get("alias")
    if alias is not None and alias.columns:
        raise InvalidScenario(
            "the source of a MERGE takes no column aliases",
            error_class="COLUMN_ALIASES_NOT_ALLOWED",
        )
    qualifier = node.alias
    if isinstance(node, exp.Values):
        return _values(node, qualifier, ())
    if not isinstance(node, exp.Subquery):
        raise UnsupportedSQL(f"{node.sql(dialect='spark')!r} is not supported as a source")
    refuse_extras(node, {"this", "alias"})
    inner = node.this
    if isinstance(inner, exp.Select) and inner.args.get("from_") is not None:
        read = inner.args["from_"].this
        if isinstance(read, exp.Values) and set(_clauses(inner)) == {"expressions", "from_"}:
            return _selected_values(inner, read, qualifier)
    elif _joins_constants(inner):
        return _selected_constants(inner, qualifier)
    given = relation(inner, tables, written)
    # A column without a name of its own cannot be spoken of.
    read = _queried(given.relation, qualifier, tuple(name or "" for name in given.names))
    return replace(read, open=given.open)


def _clauses(tree: exp.Expr) -> list[str]:
    return [name for name, value in tree.args.items() if value]


def _joins_constants(tree: exp.Expr) -> bool:
    """Whether a query is of constants alone, joined by UNION ALL."""
    selects = tree.find_all(exp.Select)
    return not any(_clauses(select) != ["expressions"] for select in selects)


def _queried(read: Relation, qualifier: str, names: tuple[str, ...]) -> Using:
    constants: frozenset[int] = frozenset()
    if isinstance(read, Query) and not read.aggregates and not read.groups:
        constants = frozenset(i for i, output in enumerate(read.outputs) if is_constant(output))
    source = MergeSource(len(read.types), query=read, constant=constants)
    return Using(source, qualifier, names, read.types)


def _selected_values(tree: exp.Select, read: exp.Values, qualifier: str) -> Using:
    refuse_extras(tree, {"expressions", "from_", "kind"})
    if len(tree.expressions) != 1 or not isinstance(tree.expressions[0], exp.Star):
        raise UnsupportedSQL("a source selects * from VALUES, nothing else")
    alias = read.args.get("alias")
    names = tuple(column.name for column in alias.columns) if alias is not None else ()
    return _values(read, qualifier, names)


def _values(node: exp.Values, qualifier: str, names: tuple[str, ...]) -> Using:
    lines = []
    for line in node.expressions:
        cells = line.expressions if isinstance(line, exp.Tuple) else [line]
        lines.append([constant(_CONSTANTS.resolve(cell)) for cell in cells])
    names = names or tuple(f"col{place + 1}" for place in range(len(lines[0])))
    kinds, rows = _typed(lines, names)
    never_null = frozenset(i for i in range(len(names)) if all(r[i] is not None for r in rows))
    source = MergeSource(len(names), (rows,), never_null=never_null)
    return Using(source, qualifier, names, kinds)


def _selected_constants(node: exp.Expr, qualifier: str) -> Using:
    """SELECT 1 AS k, ..., alone or several joined by UNION ALL."""
    selects = _selects(node)
    for select in selects:
        refuse_extras(select, {"expressions", "kind"})
    names = tuple(
        part.alias_or_name or part.sql(dialect="spark") for part in selects[0].expressions
    )
    lines = [[constant(_CONSTANTS.resolve(part)) for part in s.expressions] for s in selects]
    kinds, rows = _typed(lines, names)
    places = range(len(names))
    source = MergeSource(
        len(names),
        tuple((row,) for row in rows),
        never_null=frozenset(i for i in places if all(row[i] is not None for row in rows)),
        constant=frozenset(places) if len(selects) == 1 else frozenset(),
    )
    return Using(source, qualifier, names, kinds)


def _selects(node: exp.Expr) -> list[exp.Select]:
    if isinstance(node, exp.Union) and not node.args.get("distinct"):
        refuse_extras(node, {"this", "expression", "distinct"})
        return _selects(node.this) + _selects(node.expression)
    if not isinstance(node, exp.Select):
        raise UnsupportedSQL(
            f"{node.sql(dialect='spark')!r}: a source joins constants by UNION ALL only"
        )
    return [node]


def _typed(
    lines: list[list[Literal]], names: tuple[str, ...]
) -> tuple[tuple[ColumnType, ...], tuple[tuple[object, ...], ...]]:
    """The types of the columns, found over all rows, and the rows in those types."""
    if any(len(line) != len(names) for line in lines):
        raise InvalidScenario("the rows of a source are of different width")
    kinds = []
    for index, name in enumerate(names):
        met = [line[index].type for line in lines]
        families = {type_.family for type_ in met} - {"null"}
        if len(families) > 1:
            raise UnsupportedSQL(f"column {name!r} of the source is of several types")
        kinds.append(reduce(types.wider, met))
    rows = tuple(
        tuple(types.widen(cell.value, type_) for cell, type_ in zip(line, kinds, strict=True))
        for line in lines
    )
    return tuple(kinds), rows
