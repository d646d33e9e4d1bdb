"""SELECT with window functions, QUALIFY, or ORDER BY with LIMIT, from sqlglot's tree.

Supported are row_number, rank, dense_rank, lag, lead, and the aggregates over a partition or up to
the current row; a frame that is spelled out is not. The SELECT has no GROUP BY of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from sqlglot import exp

from model.errors import UnsupportedSQL
from model.expressions.simplification.shape import everywhere
from model.expressions.syntax import TRUE, Aggregate, Column, Expression, walk
from model.queries import Computed, Relation
from model.queries.query import Query
from model.queries.ranked import First, Key, Window, Windowed
from model.sql.expressions.scalar import Scope
from model.sql.queries.from_clause import From
from model.sql.source import refuse_extras
from model.tables.table import Table
from model.values.types import BIGINT, INT, ColumnType

_NUMBERS = {exp.RowNumber: "row_number", exp.Rank: "rank", exp.DenseRank: "dense_rank"}
_NEIGHBOURS = {exp.Lag: "lag", exp.Lead: "lead"}
_AGGREGATES = (exp.Count, exp.Sum, exp.Min, exp.Max)


def is_ranked(tree: exp.Select) -> bool:
    """Whether a SELECT has window functions or QUALIFY, or LIMIT with an order."""
    if tree.args.get("qualify") is not None:
        return True
    if tree.args.get("order") is not None and tree.args.get("limit") is not None:
        return True
    return any(node.find(exp.Window) is not None for node in tree.expressions)


@dataclass
class _Row:
    """The columns of the relation that windows are computed over, as they are asked for."""

    source: From
    parts: list[Expression] = field(default_factory=list)

    def place(self, node: exp.Expr) -> int:
        """The place of the value of an expression over FROM."""
        return self.of(self.source.scope.resolve(node))

    def of(self, expression: Expression) -> int:
        """The place of a value."""
        placed = self.source.placed(expression)
        if any(isinstance(part, Aggregate) for part in walk(placed)):
            raise UnsupportedSQL("an aggregate beside window functions is not supported")
        if placed not in self.parts:
            self.parts.append(placed)
        return self.parts.index(placed)


Outputs = Callable[[exp.Select, From], tuple[list[Expression], tuple[str | None, ...]]]


def ranked(
    tree: exp.Select, source: From, outputs_of: Outputs, named: Callable[[exp.Expr], str | None]
) -> tuple[Relation, tuple[str | None, ...]]:
    """The relation of a SELECT, and the names of its columns. Raises UnsupportedSQL."""
    allowed = {"expressions", "from_", "joins", "where", "kind", "qualify", "order", "limit"}
    refuse_extras(tree, allowed)
    row = _Row(source)
    windows: list[Window] = []
    shown: list[tuple[bool, int]] = []  # Whether it is a window, and its place.
    names: list[str | None] = []
    for node in tree.expressions:
        bare = node.this if isinstance(node, exp.Alias) else node
        if isinstance(bare, exp.Window):
            windows.append(_window(bare, row))
            shown.append((True, len(windows) - 1))
            names.append(named(node))
            continue
        if bare.find(exp.Window) is not None:
            raise UnsupportedSQL("a window function within an expression is not supported")
        alone = exp.Select(expressions=[node.copy()])
        given, own = outputs_of(alone, source)
        shown += [(False, row.of(output)) for output in given]
        names += own
    condition = tree.args.get("qualify")
    extra = _hidden(condition, row, windows)
    order = _order(tree, row, shown, names, windows)
    width = len(row.parts)
    types = [part.type for part in row.parts] + [window.type for window in windows]

    def column(entry: tuple[bool, int], name: str) -> Column:
        place = entry[1] + (width if entry[0] else 0)
        return Column(place, name, types[place])

    query = Query("", source.placed(source.where), tuple(row.parts))
    relation: Relation = Computed(source.relation, query)
    if windows:
        relation = Windowed(relation, tuple(windows))
    kept: Expression = TRUE
    if condition is not None:
        columns = [column(entry, name or "") for entry, name in zip(shown, names, strict=True)]
        hidden = [column((True, number), f"__window{number}") for number in extra]
        kept = _condition(condition.this, [*columns, *hidden], extra, windows)
    if tree.args.get("limit") is not None:
        if condition is not None:
            every = tuple(Column(p, "", type_) for p, type_ in enumerate(types))
            relation, kept = Computed(relation, Query("", kept, every)), TRUE
        keys = tuple(replace(k, place=k.place + width) if w else k for w, k in order)
        relation = First(relation, keys, _count(tree.args["limit"]))
    outputs = tuple(column(e, name or "") for e, name in zip(shown, names, strict=True))
    return Computed(relation, Query("", kept, outputs)), tuple(names)


def _window(node: exp.Window, row: _Row) -> Window:
    refuse_extras(node, {"this", "partition_by", "order", "over"})
    text = node.sql(dialect="spark")
    partition = tuple(row.place(part) for part in node.args.get("partition_by") or ())
    order = tuple(_key(part, row) for part in _ordered(node))
    call = node.this
    function = _NUMBERS.get(type(call))
    if function is not None:
        if not order:
            raise UnsupportedSQL(f"{text!r} has no ORDER BY")
        return Window(text, function, INT, partition, order)
    function = _NEIGHBOURS.get(type(call))
    if function is not None:
        refuse_extras(call, {"this", "offset"})
        offset = call.args.get("offset")
        if offset is not None and not (isinstance(offset, exp.Literal) and offset.is_int):
            raise UnsupportedSQL(f"{text!r}: the offset is a whole number here")
        if not order:
            raise UnsupportedSQL(f"{text!r} has no ORDER BY")
        place = row.place(call.this)
        number = 1 if offset is None else int(offset.name)
        return Window(text, function, row.parts[place].type, partition, order, place, number)
    if isinstance(call, _AGGREGATES):
        return _aggregate(call, text, partition, order, row)
    raise UnsupportedSQL(f"{text!r} is not supported as a window function")


def _aggregate(
    call: exp.Expr, text: str, partition: tuple[int, ...], order: tuple[Key, ...], row: _Row
) -> Window:
    if isinstance(call.this, exp.Distinct):
        raise UnsupportedSQL(f"{text!r}: DISTINCT is not supported in a window")
    asked = row.source.scope.resolve(call.copy())
    if not isinstance(asked, Aggregate):
        raise UnsupportedSQL(f"{text!r} is not supported as a window function")
    type_: ColumnType = BIGINT if asked.function == "count" else asked.type
    if asked.operand is not None:
        if asked.operand.type.family == "opaque" or str(asked.operand.type) == "double":
            raise UnsupportedSQL(f"{text!r}: sums of this type depend on the order of addition")
        place = row.of(asked.operand)
        asked = replace(asked, operand=Column(place, "", asked.operand.type))
    return Window(text, "aggregate", type_, partition, order, aggregate=asked)


def _ordered(node: exp.Expr) -> Sequence[exp.Expr]:
    order = node.args.get("order")
    return () if order is None else order.expressions


def _key(node: exp.Expr, row: _Row) -> Key:
    refuse_extras(node, {"this", "desc", "nulls_first"})
    if isinstance(node.this, exp.Literal):
        raise UnsupportedSQL("ORDER BY a constant is not supported")
    return _directed(node, row.place(node.this))


def _directed(node: exp.Expr, place: int) -> Key:
    return Key(place, bool(node.args.get("desc")), bool(node.args.get("nulls_first")))


def _order(
    tree: exp.Select,
    row: _Row,
    shown: Sequence[tuple[bool, int]],
    names: Sequence[str | None],
    windows: Sequence[Window],
) -> list[tuple[bool, Key]]:
    """The keys of ORDER BY, each with whether it is a window; outputs come before columns."""
    if tree.args.get("limit") is None:
        return []  # Without LIMIT the order makes no difference.
    outputs = {(name or "").lower(): entry for name, entry in zip(names, shown, strict=True)}
    keys = []
    for node in _ordered(tree):
        name = node.this.name.lower() if isinstance(node.this, exp.Column) else ""
        if name and not node.this.table and name in outputs:
            refuse_extras(node, {"this", "desc", "nulls_first"})
            window, place = outputs[name]
            keys.append((window, _directed(node, place)))
        else:
            keys.append((False, _key(node, row)))
    return keys


def _count(limit: exp.Expr) -> int:
    refuse_extras(limit, {"expression"})
    number = limit.expression
    if not (isinstance(number, exp.Literal) and number.is_int):
        raise UnsupportedSQL("LIMIT takes a whole number here")
    return int(number.name)


def _hidden(condition: exp.Expr | None, row: _Row, windows: list[Window]) -> list[int]:
    """The numbers of the windows that QUALIFY has itself, in their order."""
    if condition is None:
        return []
    numbers = []
    for node in condition.find_all(exp.Window, bfs=False):
        windows.append(_window(node, row))
        numbers.append(len(windows) - 1)
    return numbers


def _condition(
    node: exp.Expr, columns: Sequence[Column], numbers: Sequence[int], windows: Sequence[Window]
) -> Expression:
    """QUALIFY over the outputs and its own windows."""
    tree = exp.Paren(this=node.copy())
    for number, window in zip(numbers, list(tree.find_all(exp.Window, bfs=False)), strict=True):
        window.replace(exp.column(f"__window{number}"))
    named = {c.name.lower(): c for c in reversed(columns) if c.name}
    for part in tree.find_all(exp.Column):
        if part.table or part.name.lower() not in named:
            raise UnsupportedSQL(f"QUALIFY takes outputs and windows, not {part.sql()!r}")
    table = Table("outputs", tuple(named), tuple(c.type for c in named.values()))
    resolved = Scope(table, "outputs").condition(tree)
    places = dict(enumerate(named.values()))

    def moved(part: Expression) -> Expression:
        return places[part.index] if isinstance(part, Column) else part

    return everywhere(resolved, moved)
