"""INSERT INTO t [(columns)] VALUES ... or SELECT ..."""

from __future__ import annotations

from functools import reduce

from sqlglot import exp

from model import types
from model.errors import InvalidScenario, UnsupportedSQL
from model.expressions import Column, Literal
from model.history import Row
from model.sql.coercion import constant
from model.sql.query import query
from model.sql.scalar import Scope
from model.sql.source import Source, refuse_extras, target_of
from model.sql.storing import check_storable, check_width
from model.statements import InsertSelect, InsertValues, Statement
from model.statements.generated import completed
from model.table import Table
from model.types import ColumnType


def insert(source: Source, body: exp.Expr | None = None) -> Statement:
    """INSERT INTO; ``body`` is a tree to take instead of the source's own."""
    tree = body or source.tree()
    refuse_extras(tree, {"this", "expression"})
    node, names = tree.this, None
    if isinstance(node, exp.Schema):
        names = [part.name for part in node.expressions]
        node = node.this
    table, _ = target_of(node, source)
    listed = [table.column(name) for name in (names or table.column_names)]
    positions = tuple(column.index for column in listed)
    if len(set(positions)) < len(positions):
        raise InvalidScenario("a column is listed twice")
    given = tree.expression
    if isinstance(given, exp.Values):
        rows = values(given, table, positions, names is not None)
        return InsertValues(source.text, table, rows, assigned(table, positions))
    if not isinstance(given, exp.Select):
        raise UnsupportedSQL("INSERT takes VALUES or a SELECT")
    read = query(given, source.tables)
    check_width(len(read.outputs), positions, names is not None)
    for output, column in zip(read.outputs, listed, strict=True):
        check_storable(output, column)
    return InsertSelect(source.text, table, read, positions, assigned(table, positions))


def assigned(table: Table, positions: tuple[int, ...]) -> tuple[int, ...]:
    """The identity columns that the table hands out when the columns at ``positions`` are given.

    Raises InvalidScenario where one is given that must not be, or a NOT NULL column is not.
    """
    given = frozenset(positions)
    for place, identity in table.identities:
        if place in given and identity.always:
            raise InvalidScenario(
                f"column {table.names[place]!r} is GENERATED ALWAYS AS IDENTITY",
                error_class="DELTA_IDENTITY_COLUMNS_EXPLICIT_INSERT_NOT_SUPPORTED",
            )
    handed_out = tuple(place for place, _ in table.identities if place not in given)
    for place in sorted(table.not_null - given - dict(table.generated).keys() - set(handed_out)):
        raise InvalidScenario(
            f"column {table.names[place]!r} is NOT NULL and is not given",
            error_class="DELTA_INSERT_COLUMN_MISMATCH",
        )
    return handed_out


def values(
    source: exp.Values, table: Table, positions: tuple[int, ...], listed: bool = False
) -> tuple[Row, ...]:
    """The rows of a VALUES clause for the given places, as the table stores them.

    ``listed`` tells that the statement names its columns.
    """
    scope = Scope(Table("VALUES", (), ()), "VALUES")
    lines = []
    for node in source.expressions:
        cells = node.expressions if isinstance(node, exp.Tuple) else [node]
        check_width(len(cells), positions, listed)
        lines.append([constant(scope.resolve(cell)) for cell in cells])
    rows: list[list[object]] = [[None] * len(table.names) for _ in lines]
    for index, position in enumerate(positions):
        column = Column(position, table.names[position], table.types[position])
        met = _common_type([line[index] for line in lines], column)
        for row, line in zip(rows, lines, strict=True):
            row[position] = types.store(types.widen(line[index].value, met), column.type)
    given = frozenset(positions)
    return tuple(table.stored(completed(table, tuple(row), given)) for row in rows)


def _common_type(values: list[Literal], column: Column) -> ColumnType:
    """The type of one column of VALUES, which Spark finds over all of its rows."""
    for value in values:
        check_storable(value, column)
    found = [value.type for value in values]
    families = {type_.family for type_ in found} - {"null"}
    if len(families) > 1:
        raise InvalidScenario(
            f"the values for column {column.name!r} are of several types "
            f"({', '.join(dict.fromkeys(map(str, found)))})"
        )
    return reduce(types.wider, found)
