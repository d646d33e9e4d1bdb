"""INSERT INTO t [(columns) | BY NAME] VALUES ..., or a query; also with schema evolution."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import reduce

from sqlglot import exp

from model.errors import InvalidScenario, UnsupportedSQL
from model.expressions.syntax import Column, Expression, Literal
from model.history import Row
from model.queries import Relation
from model.queries.opaque import OpaqueRelation
from model.queries.query import Query
from model.sql.dialect import EVOLVES
from model.sql.expressions.coercion import check_storable, check_width
from model.sql.queries.from_clause import is_plain
from model.sql.queries.relation import Named, evaluated, named
from model.sql.queries.relation import relation as relation_of
from model.sql.source import Source, refuse_extras, target_of
from model.sql.statements.evolution import evolved, evolves
from model.statements import InsertSelect, InsertValues, Statement
from model.statements.insert.generated import filled
from model.tables.table import Table
from model.values import types
from model.values.types import OPAQUE, ColumnType

_DEFAULT = Literal("DEFAULT", types.NULL)
"""Stands for the keyword among the values of a row, until its column is known."""


@dataclass(frozen=True, slots=True)
class _Given:
    """What an INSERT brings: constant rows, or a query; the names and types of its columns.

    A name is None where Spark's own has signs in it that no column name can have.
    """

    names: tuple[str | None, ...]
    kinds: tuple[ColumnType, ...]
    lines: tuple[tuple[Literal, ...], ...] = ()
    read: Relation | None = None
    open: bool = False

    def having(self, names: Sequence[str]) -> _Given:
        """The same, if its columns are not known as if it had those that are asked for."""
        if not self.open:
            return self
        assert isinstance(self.read, OpaqueRelation)
        kinds = (OPAQUE,) * len(names)
        return _Given(tuple(names), kinds, read=replace(self.read, types=kinds))


def insert(source: Source, tree: exp.Expr) -> Statement:
    """INSERT INTO, from its tree without a PARTITION clause."""
    evolving = evolves(source, tree)
    refuse_extras(tree, {"this", "expression", "source", "by_name", "with_", EVOLVES})
    node, names = tree.this, None
    if isinstance(node, exp.Schema):
        names = [part.name for part in node.expressions]
        node = node.this
    table, _ = target_of(node, source)
    given = _given(tree, source).having(table.column_names if names is None else names)
    _check_defaults(given, len(table.column_names if names is None else names))
    if names is not None:
        listed = _listed(table, names, len(given.kinds))
        after = _widened(table, listed, given) if evolving else table
    elif tree.args.get("by_name"):
        after = _by_name(table, given, evolving)
        listed = [after.column(name or "") for name in given.names]
    else:
        after = _by_position(table, given) if evolving else table
        listed = list(after.columns)
        check_width(len(given.kinds), after.schema)
    positions = tuple(column.index for column in listed)
    columns = [Column(c.index, c.name, after.types[c.index]) for c in listed]
    handed_out = assigned(after, positions)
    if given.read is None:
        rows = stored(given.lines, after, columns)
        return InsertValues(source.text, table, rows, handed_out, after)
    for output, column in zip(_outputs(given.read), columns, strict=True):
        check_storable(output, column)
    return InsertSelect(source.text, table, given.read, positions, handed_out, after)


def _check_defaults(given: _Given, columns: int) -> None:
    """Refuses DEFAULT among more values than there are columns: Spark then takes it for a name."""
    if len(given.kinds) > columns and any(_DEFAULT in line for line in given.lines):
        raise InvalidScenario(
            f"DEFAULT among {len(given.kinds)} values for {columns} columns",
            error_class="UNRESOLVED_COLUMN.WITHOUT_SUGGESTION",
        )


def _given(tree: exp.Expr, source: Source) -> _Given:
    node, with_ = tree.expression, tree.args.get("with_")
    if isinstance(node, exp.Values) and with_ is None:
        cells = [
            part.expressions if isinstance(part, exp.Tuple) else [part] for part in node.expressions
        ]
        if len({len(line) for line in cells}) > 1:
            raise InvalidScenario(
                "the rows of VALUES are of different width",
                error_class="INVALID_INLINE_TABLE.NUM_COLUMNS_MISMATCH",
            )
        names: tuple[str | None, ...] = tuple(f"col{n + 1}" for n in range(len(cells[0])))
        return _constants(names, cells)
    if isinstance(node, exp.Select) and is_plain(node) and {*_clauses(node)} <= _ONLY_OUTPUTS:
        return _constants(tuple(map(named, node.expressions)), [node.expressions])
    read = _query(tree, source)
    return _Given(read.names, read.relation.types, read=read.relation, open=read.open)


_ONLY_OUTPUTS = frozenset({"expressions", "kind"})


def _clauses(node: exp.Expr) -> Iterable[str]:
    return (name for name, value in node.args.items() if value)


def _query(tree: exp.Expr, source: Source) -> Named:
    """The query that brings the rows; a WITH before INSERT is one of the query's."""
    given = tree.args.get("source") or tree.expression
    if given is None:
        raise UnsupportedSQL("INSERT takes VALUES or a query")
    given = given.copy()
    if (with_ := tree.args.get("with_")) is not None:
        if given.args.get("with_") is not None:
            raise UnsupportedSQL("WITH before INSERT and before its query is not supported")
        given.set("with_", with_.copy())
    return relation_of(given, source.tables, source.table.name)


def _outputs(read: Relation) -> Iterable[Expression]:
    """The values that a query brings: constants where the optimizer knows them beforehand."""
    if isinstance(read, Query):
        return read.outputs
    return (Column(place, f"column {place + 1}", type_) for place, type_ in enumerate(read.types))


def _constants(names: tuple[str | None, ...], cells: Sequence[Sequence[exp.Expr]]) -> _Given:
    lines = tuple(tuple(map(_value, line)) for line in cells)
    kinds = []
    for n in range(len(names)):
        values = [line[n] for line in lines]
        mixed = len({value.type.family for value in values} - {"null"}) > 1
        kinds.append(values[0].type if mixed else _common_type(values, names[n]))
    return _Given(names, tuple(kinds), lines)


def _value(cell: exp.Expr) -> Literal:
    if isinstance(cell, exp.Var) and cell.name.upper() == "DEFAULT":
        return _DEFAULT
    return evaluated(cell)


def default_of(table: Table, column: Column) -> Literal:
    """The value that the keyword DEFAULT stands for. Raises UnsupportedSQL."""
    if column.index in dict(table.generated):
        raise UnsupportedSQL("DEFAULT for a generated column is not supported")
    value = dict(table.defaults).get(column.index)
    return Literal(value, types.NULL if value is None else column.type)


def _listed(table: Table, names: Sequence[str], width: int) -> list[Column]:
    """The columns that a statement lists. Raises InvalidScenario as Spark does, in its order."""
    lowered = [name.lower() for name in names]
    if len(set(lowered)) < len(lowered):
        raise InvalidScenario("a column is listed twice", error_class="COLUMN_ALREADY_EXISTS")
    check_width(width, tuple(range(len(names))), True)
    return [table.column(name) for name in names]


def _widened(table: Table, listed: Sequence[Column], given: _Given) -> Table:
    columns = zip(listed, given.kinds, strict=True)
    return evolved(table, ((column.name, type_) for column, type_ in columns))


def _by_position(table: Table, given: _Given) -> Table:
    """The table with the columns that the rows have beyond its own."""
    own = table.column_names
    if len(given.kinds) < len(own):
        return table
    names = (*own, *map(_named, given.names[len(own) :]))
    return evolved(table, zip(names, given.kinds, strict=True))


def _by_name(table: Table, given: _Given, evolving: bool) -> Table:
    names = [_named(name) for name in given.names]
    if evolving:
        return evolved(table, zip(names, given.kinds, strict=True))
    own = {name.lower() for name in table.column_names}
    if unknown := [name for name in names if name.lower() not in own]:
        raise InvalidScenario(
            f"unknown column {unknown[0]!r}", error_class="DELTA_METADATA_MISMATCH"
        )
    return table


def _named(name: str | None) -> str:
    if name is None:
        raise UnsupportedSQL("a new column needs a name: AS ...")
    return name


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
    made = {*handed_out, *dict(table.generated), *dict(table.defaults)}
    for place in sorted(table.not_null - given - made):
        raise InvalidScenario(
            f"column {table.names[place]!r} is NOT NULL and is not given",
            error_class="DELTA_INSERT_COLUMN_MISMATCH",
        )
    return handed_out


def stored(
    lines: Iterable[Sequence[Literal]], table: Table, columns: Sequence[Column]
) -> tuple[Row, ...]:
    """Constant rows for the given columns, as the table stores them."""
    lines = list(lines)
    rows: list[list[object]] = [[None] * len(table.names) for _ in lines]
    for index, column in enumerate(columns):
        values = [line[index] for line in lines]
        values = [default_of(table, column) if v is _DEFAULT else v for v in values]
        for value in values:
            check_storable(value, column)
        met = _common_type(values, column.name)
        for row, value in zip(rows, values, strict=True):
            row[column.index] = types.store(types.widen(value.value, met), column.type)
    given = frozenset(column.index for column in columns)
    return tuple(table.stored(filled(table, tuple(row), given)) for row in rows)


def _common_type(values: list[Literal], name: str | None) -> ColumnType:
    """The type of one column of VALUES, which Spark finds over all of its rows."""
    kinds = [value.type for value in values]
    families = {type_.family for type_ in kinds} - {"null"}
    if len(families) > 1:
        raise InvalidScenario(
            f"the values for column {name!r} are of several types "
            f"({', '.join(dict.fromkeys(map(str, kinds)))})",
            error_class="INVALID_INLINE_TABLE.INCOMPATIBLE_TYPES_IN_INLINE_TABLE",
        )
    return reduce(types.wider, kinds)
