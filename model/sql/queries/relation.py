"""A query of any form, from sqlglot's tree to the model's relations.

A SELECT over one table is a ``Query``. All else is built from those: constants, joins, unions,
queries over queries, WITH.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import TypeVar

from sqlglot import exp

from model.errors import InvalidScenario, StatementFailure, UnsupportedSQL
from model.expressions.syntax import TRUE, Column, Expression, Literal
from model.queries import Computed, Constants, Distinct, Relation, Union
from model.queries.opaque import OpaqueRelation
from model.queries.query import Query
from model.sql.expressions.coercion import constant
from model.sql.expressions.opaque import is_accepted, listed, noted, type_of
from model.sql.expressions.scalar import Scope
from model.sql.queries.from_clause import From, Item, is_plain
from model.sql.queries.query import excepted, group_keys, grouped, query
from model.sql.queries.ranked import is_ranked, ranked
from model.sql.source import Tables, refuse_extras, scope_of
from model.tables.table import Table
from model.values import types
from model.values.types import OPAQUE, ColumnType

NOWHERE = Scope(Table("constants", (), ()), "constants")
"""The scope of expressions without columns."""


Tree = TypeVar("Tree", bound=exp.Expr)


@dataclass(frozen=True, slots=True)
class Named:
    """A relation and the names of its columns.

    A name is None where Spark's own has signs in it that no column name can have. An opaque
    relation is ``open`` if its columns are not known: it then has any column that is asked for.
    """

    relation: Relation
    names: tuple[str | None, ...]
    open: bool = False


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads queries over tables, and over the names that a WITH gives to queries."""

    tables: Tables
    named: Mapping[str, exp.Expr] = field(default_factory=dict)
    written: str | None = None

    def read(self, tree: exp.Expr) -> Named:
        """The relation that a query is. Raises UnsupportedSQL and InvalidScenario.

        Where opaque parts are accepted, an unsupported query becomes an opaque relation.
        """
        if not is_accepted():
            return self._read(tree)
        since = listed()
        try:
            return self._read(tree)
        except UnsupportedSQL as error:
            return opaque(tree, noted(tree, error, since), self.tables, self.named)

    def _read(self, tree: exp.Expr) -> Named:
        with_ = tree.args.get("with_")
        if with_ is not None:
            return self._with(with_).read(_without(tree, "with_"))
        match tree:
            case exp.Subquery():
                refuse_extras(tree, {"this", "alias"})
                return _renamed(self.read(tree.this), tree)
            case exp.Values():
                return _renamed(values(tree), tree)
            case exp.Union():
                return self._union(tree)
            case exp.Table():
                return self._table(tree)
            case exp.Select():
                return self._select(tree)
        raise UnsupportedSQL(f"{tree.sql(dialect='spark')!r} is not supported as a query")

    def item(self, tree: exp.Expr) -> Item:
        """A part of FROM, with the name that its columns go by."""
        read = self.read(tree)
        pairs = zip(read.names, read.relation.types, strict=True)
        columns = [(name or "", place, type_) for place, (name, type_) in enumerate(pairs)]
        return Item(tree.alias_or_name, columns, read.relation, open=read.open)

    def _with(self, clause: exp.Expr) -> Reader:
        if clause.args.get("recursive"):
            raise UnsupportedSQL("WITH RECURSIVE is not supported")
        reader = self
        for part in clause.expressions:
            refuse_extras(part, {"this", "alias"})
            if part.args["alias"].columns:
                raise UnsupportedSQL("WITH takes no column names here")
            # It is read where it is used, and sees the names that come before it.
            body = part.this if not reader.named else _inlined(part.this, reader.named)
            names = {**reader.named, part.alias.lower(): body}
            reader = Reader(self.tables, names, self.written)
        return reader

    def _union(self, tree: exp.Union) -> Named:
        if type(tree) is not exp.Union:
            raise UnsupportedSQL(f"{tree.key.upper()} is not supported")
        refuse_extras(tree, {"this", "expression", "distinct"})
        parts = [self.read(part) for part in _flattened(tree)]
        if any(part.open for part in parts):
            raise UnsupportedSQL("a part of the UNION has columns that are not known")
        widths = {len(part.names) for part in parts}
        if len(widths) > 1:
            raise InvalidScenario(
                "the parts of a UNION differ in width",
                error_class="NUM_COLUMNS_MISMATCH",
            )
        columns = zip(*(part.relation.types for part in parts), strict=True)
        united = tuple(map(_common, columns))
        joined: Relation = Union(united, tuple(part.relation for part in parts))
        if tree.args.get("distinct"):
            joined = Distinct(joined)
        return Named(joined, parts[0].names)

    def _table(self, tree: exp.Table) -> Named:
        body = self.named.get(tree.name.lower())
        if body is not None:
            refuse_extras(tree, {"this", "alias"})
            return Reader(self.tables, written=self.written).read(body)
        scope = scope_of(tree, self.tables)
        table = scope.table
        scan = Query(table.name, TRUE, table.columns, partition_columns=table.partition_columns)
        return Named(scan, table.column_names)

    def _select(self, tree: exp.Select) -> Named:
        distinct, having = tree.args.get("distinct"), tree.args.get("having")
        if having is None and not is_ranked(tree) and self._is_one_table(tree):
            return Named(query(tree, self.tables), _names(tree, self.tables))
        if distinct is not None:
            refuse_extras(distinct, set())
            if is_ranked(tree) and tree.args.get("limit") is not None:
                raise UnsupportedSQL("DISTINCT with LIMIT is not supported")
            inner = self._select(_without(tree, "distinct"))
            return Named(Distinct(inner.relation), inner.names)
        if is_ranked(tree):
            return self._ranked(tree)
        if tree.args.get("order") is not None:
            # Without LIMIT the order makes no difference: the rows of a table have none.
            _refuse_limit(tree)
            return self._select(_without(tree, "order"))
        refuse_extras(tree, {"expressions", "from_", "joins", "where", "group", "having", "kind"})
        if tree.args.get("from_") is None and is_plain(tree):
            return _constants(tree)
        source = From(self, tree)
        scope = source.scope
        outputs, names = _outputs(tree, source)
        groups = _groups(tree, replace(scope, aggregates=False), outputs)
        kept: Expression = TRUE
        shown = list(outputs)
        if having is not None:
            condition = scope.condition(having.this)
            kept = Column(len(outputs), "HAVING", condition.type)
            shown.append(condition)
        shown = [source.placed(output) for output in shown]
        groups = tuple(map(source.placed, groups))
        asked = grouped(Query("", source.placed(source.where), tuple(shown), groups))
        if having is not None and not (asked.aggregates or asked.groups):
            raise UnsupportedSQL("HAVING without GROUP BY is not supported")
        result: Relation = Computed(source.relation, asked)
        if having is not None:
            columns = tuple(
                Column(place, name or "", output.type)
                for place, (name, output) in enumerate(zip(names, outputs, strict=True))
            )
            result = Computed(result, Query("", kept, columns))
        return Named(result, names)

    def _ranked(self, tree: exp.Select) -> Named:
        """A SELECT that depends on an order of rows.

        Only where opaque parts are accepted: what the order leaves open is an unknown value. Not
        over the table that is written: how much of it the engine then reads is not modelled.
        """
        if not is_accepted():
            raise UnsupportedSQL("the order of rows can be open")
        source = From(self, tree)
        if any(scan.table == self.written for scan in source.relation.scans):
            raise UnsupportedSQL("how much of the table a window or LIMIT reads is not modelled")
        return Named(*ranked(tree, source, _outputs, named))

    def _is_one_table(self, tree: exp.Select) -> bool:
        """Whether the SELECT is over one table, with nothing in it that takes a relation."""
        read = tree.args.get("from_")
        return (
            read is not None
            and isinstance(read.this, exp.Table)
            and read.this.name.lower() not in self.named
            and is_plain(tree)
        )


def relation(tree: exp.Expr, tables: Tables, written: str | None = None) -> Named:
    """The relation that a query is. Raises UnsupportedSQL and InvalidScenario.

    ``written`` is the table that the statement writes, if it writes one.
    """
    return Reader(tables, written=written).read(tree)


def named(node: exp.Expr) -> str | None:
    """The name of an output; None for an expression that is given none.

    A column that is cast keeps its name (ResolveAliases, ``assignAliases``).
    """
    if isinstance(node, exp.Cast) and isinstance(node.this, exp.Column):
        node = node.this
    has_name = isinstance(node, exp.Alias | exp.Column | exp.Literal)
    return node.alias_or_name if has_name else None


def _names(tree: exp.Expr, tables: Tables) -> tuple[str | None, ...]:
    """The names of the columns of a SELECT over one table."""
    names: list[str | None] = []
    for node in tree.expressions:
        if _is_star(node):
            own = scope_of(tree.args["from_"].this, tables).table.column_names
            left_out = excepted(node, own)
            names += (name for name in own if name.lower() not in left_out)
        else:
            names.append(named(node))
    return tuple(names)


def values(tree: exp.Values) -> Named:
    """VALUES as a table: its columns are col1, col2 and so on."""
    refuse_extras(tree, {"expressions", "alias"})
    lines = []
    for line in tree.expressions:
        cells = line.expressions if isinstance(line, exp.Tuple) else [line]
        lines.append([evaluated(cell) for cell in cells])
    if len({len(line) for line in lines}) > 1:
        raise InvalidScenario(
            "the rows of VALUES are of different width",
            error_class="INVALID_INLINE_TABLE.NUM_COLUMNS_MISMATCH",
        )
    kinds = tuple(_common([cell.type for cell in column]) for column in zip(*lines, strict=True))
    rows = tuple(
        tuple(types.widen(cell.value, type_) for cell, type_ in zip(line, kinds, strict=True))
        for line in lines
    )
    return Named(Constants(kinds, rows), tuple(f"col{place + 1}" for place in range(len(kinds))))


def evaluated(node: exp.Expr) -> Literal:
    """The constant in a row of constants, which the engine evaluates whatever else it reads.

    Raises InvalidScenario, with the engine's error class where evaluating it fails.
    """
    try:
        return constant(NOWHERE.resolve(node))
    except InvalidScenario as error:
        failure = error.__cause__
        if error.error_class is None and isinstance(failure, StatementFailure):
            raise InvalidScenario(str(error), error_class=failure.error_class) from failure
        raise


def _constants(tree: exp.Select) -> Named:
    """SELECT without FROM: one row."""
    refuse_extras(tree, {"expressions", "kind"})
    cells = [evaluated(part) for part in tree.expressions]
    names = tuple(map(named, tree.expressions))
    row = tuple(cell.value for cell in cells)
    return Named(Constants(tuple(cell.type for cell in cells), (row,), foldable=True), names)


def _outputs(tree: exp.Select, source: From) -> tuple[list[Expression], tuple[str | None, ...]]:
    outputs: list[Expression] = []
    names: list[str | None] = []
    for node in tree.expressions:
        if _is_star(node):
            shown = list(source.columns(node.table if isinstance(node, exp.Column) else ""))
            left_out = excepted(node, [name for name, _ in shown])
            for name, column in shown:
                if name.lower() not in left_out:
                    outputs.append(column)
                    names.append(name)
        else:
            outputs.append(source.scope.resolve(node))
            names.append(named(node))
    return outputs, tuple(names)


def _groups(tree: exp.Select, plain: Scope, outputs: list[Expression]) -> tuple[Expression, ...]:
    aliases: dict[str, Expression] = {}
    if not any(map(_is_star, tree.expressions)):
        pairs = zip(tree.expressions, outputs, strict=True)
        aliases = {n.alias.lower(): output for n, output in pairs if isinstance(n, exp.Alias)}
    return group_keys(tree.args.get("group"), plain, outputs, aliases)


def _is_star(node: exp.Expr) -> bool:
    if isinstance(node, exp.Column) and isinstance(node.this, exp.Star):
        node = node.this
    if isinstance(node, exp.Star):
        refuse_extras(node, {"except_"})
        return True
    return False


def _common(kinds: Sequence[ColumnType]) -> ColumnType:
    families = {type_.family for type_ in kinds} - {"null"}
    if len(families) > 1:
        names = " and ".join(dict.fromkeys(map(str, kinds)))
        raise UnsupportedSQL(f"a column of a query is of several types ({names})")
    return reduce(types.wider, kinds)


def _renamed(read: Named, tree: exp.Expr) -> Named:
    """With the names of an alias such as ``AS s(k, v)``."""
    alias = tree.args.get("alias")
    if alias is None or not alias.columns:
        return read
    if read.open:
        names = tuple(column.name for column in alias.columns)
        assert isinstance(read.relation, OpaqueRelation)
        return Named(replace(read.relation, types=(OPAQUE,) * len(names)), names)
    if len(alias.columns) != len(read.names):
        raise InvalidScenario(
            f"{tree.alias} names {len(alias.columns)} columns of {len(read.names)}"
        )
    return Named(read.relation, tuple(column.name for column in alias.columns))


def opaque(
    tree: exp.Expr,
    part: tuple[str, str],
    tables: Tables,
    names: Mapping[str, exp.Expr] | None = None,
) -> Named:
    """A query that the model cannot evaluate, with the columns that its text tells.

    ``part`` is its text and the reason. It reads all of the tables that it mentions.
    """
    own = {cte.alias.lower() for cte in tree.find_all(exp.CTE)}
    mentioned = {table.name.lower() for table in tree.find_all(exp.Table)} - own
    scans = tuple(
        Query(table.name, TRUE, table.columns, partition_columns=table.partition_columns)
        for name, table in tables.items()
        if name.lower() in mentioned and not table.absent
    )
    columns = _columns_of(tree, Reader(tables, names or {}).read)
    if columns is None:
        return Named(OpaqueRelation(*part, (), scans), (), open=True)
    outputs, kinds = columns
    return _renamed(Named(OpaqueRelation(*part, kinds, scans), outputs), tree)


def _columns_of(
    tree: exp.Expr, read: Callable[[exp.Expr], Named]
) -> tuple[tuple[str | None, ...], tuple[ColumnType, ...]] | None:
    """Names and types of the columns of a query that cannot be read as a whole."""
    if not set(_ROWS_ONLY).isdisjoint(key for key, value in tree.args.items() if value):
        plain = tree.copy()
        for clause in _ROWS_ONLY:
            plain.set(clause, None)
        try:
            same = read(plain)
        except InvalidScenario:
            pass
        else:
            return None if same.open else (same.names, same.relation.types)
    if isinstance(tree, exp.Union):
        return _columns_of(tree.this, read)
    if isinstance(tree, exp.Subquery):
        return _columns_of(tree.this, read)
    if not isinstance(tree, exp.Select) or tree.is_star:
        return None
    if any(node.find(exp.Explode, exp.UDTF) for node in tree.expressions):
        return None
    names = tuple(map(named, tree.expressions))
    return names, tuple(type_of(_unaliased(node)) for node in tree.expressions)


_ROWS_ONLY = (
    *("limit", "offset", "order", "qualify", "hint", "sample", "windows", "version", "when"),
    *("sort", "cluster", "distribute"),
)
"""Clauses that decide about rows and their order alone, never about the columns."""


def _unaliased(node: exp.Expr) -> exp.Expr:
    return _unaliased(node.this) if isinstance(node, exp.Alias) else node


def _flattened(tree: exp.Expr) -> list[exp.Expr]:
    """The parts of a UNION; one inside of another of the same sort is one with it."""
    parts: list[exp.Expr] = []
    for side in (tree.this, tree.expression):
        same = type(side) is exp.Union and side.args.get("distinct") == tree.args.get("distinct")
        parts += _flattened(side) if same and not side.args.get("with_") else [side]
    return parts


def _without(tree: Tree, clause: str) -> Tree:
    copy = tree.copy()
    copy.set(clause, None)
    return copy


def _inlined(tree: exp.Expr, named: Mapping[str, exp.Expr]) -> exp.Expr:
    """A query with earlier names of its WITH replaced by what they stand for."""

    def inline(node: exp.Expr) -> exp.Expr:
        body = named.get(node.name.lower()) if isinstance(node, exp.Table) else None
        if body is None:
            return node
        return exp.Subquery(this=body.copy(), alias=exp.TableAlias(this=node.alias_or_name))

    return tree.transform(inline)


def _refuse_limit(tree: exp.Expr) -> None:
    if tree.args.get("limit") is not None or tree.args.get("offset") is not None:
        raise UnsupportedSQL("LIMIT is not supported: which rows it takes can be open")
