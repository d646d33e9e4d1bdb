"""FROM, JOIN and WHERE of a SELECT over several relations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from sqlglot import exp

from model.errors import InvalidScenario, UnsupportedSQL, did_you_mean
from model.expressions.syntax import (
    TRUE,
    Column,
    Comparison,
    Expression,
    IsNull,
    Opaque,
    Or,
    conjunction,
    conjuncts,
    walk,
)
from model.queries import Constants, Join, Relation
from model.queries.join import Kind
from model.queries.query import Query, replaced
from model.sql.expressions.coercion import comparison
from model.sql.expressions.scalar import Scope
from model.sql.queries.pushdown import Side, conditions, joins, null_rejecting
from model.sql.source import refuse_extras
from model.tables.table import Table
from model.values.types import OPAQUE, ColumnType

_REGION = 1_000_000
"""Columns of a part that is joined later have numbers from here on until all parts are known."""


@dataclass(slots=True)
class Item:
    """A part of FROM: the name of its columns, each with its place and type, and its rows.

    One that is ``open`` has any column that is asked for: an opaque relation. ``shared`` are the
    columns, in lower case, by which USING joins it: unqualified they are those of the left side.
    """

    qualifier: str
    columns: list[tuple[str, int, ColumnType]]
    relation: Relation
    kind: Kind = "inner"
    on: Expression = TRUE
    subquery: bool = False
    base: int = field(default=0)
    open: bool = False
    shared: tuple[str, ...] = ()

    @property
    def width(self) -> int:
        """How many columns it has."""
        return len(self.relation.types)


_ONE_ROW = Item("", [], Constants((), ((),)))
"""What a SELECT without FROM is over."""


class Reads(Protocol):
    """What reads the parts of FROM."""

    def item(self, tree: exp.Expr) -> Item: ...


def is_plain(tree: exp.Select) -> bool:
    """Whether a SELECT has neither joins nor subqueries."""
    if tree.args.get("joins") or tree.args.get("laterals"):
        return False
    if any(isinstance(n, exp.Column) and isinstance(n.this, exp.Star) for n in tree.expressions):
        return False
    inner = (tree.args.get("where"), tree.args.get("group"), *tree.expressions)
    return not any(
        part is not None and part.find(exp.Subquery, exp.Exists, exp.Select) for part in inner
    )


class From:
    """The joined rows of a SELECT, and the scope in which the rest of it is resolved.

    ``remaining`` is the condition that WHERE puts on the joined rows.
    """

    def __init__(self, reader: Reads, tree: exp.Select) -> None:
        self._reader = reader
        read = tree.args.get("from_")
        self._items = [_ONE_ROW if read is None else reader.item(read.this)]
        self._later: list[Item] = []
        for node in tree.args.get("joins") or ():
            self._join(node)
        where = tree.args.get("where")
        parts = [] if where is None else [self._where(node) for node in _flat(where.this)]
        self.where = conjunction(tuple(part for part in parts if part != TRUE))
        for item in self._items[1:]:
            rejected = {c for part in conjuncts(self.where) for c in null_rejecting(part)}
            if item.kind == "left" and rejected & set(range(item.base, item.base + item.width)):
                item.kind = "inner"  # WHERE leaves no row without a partner.

    @property
    def scope(self) -> Scope:
        """Where names are looked up."""
        nowhere = Table("several", (), ())
        return Scope(nowhere, "several", True, self._scalar, self._lookup)

    def columns(self, qualifier: str) -> Iterator[tuple[str, Column]]:
        """What ``*`` stands for, or ``qualifier.*``."""
        asked = qualifier.lower()
        named = [item for item in self._items if asked in ("", item.qualifier.lower())]
        if not named:
            raise InvalidScenario(
                f"unknown table {qualifier!r}", error_class="CANNOT_RESOLVE_STAR_EXPAND"
            )
        for item in named:
            if item.open:
                raise UnsupportedSQL("* is of columns that are not known")
        columns = [
            (name, Column(item.base + place, name, type_))
            for item in named
            for name, place, type_ in item.columns
            if asked or name.lower() not in item.shared
        ]
        # Columns of USING come first.
        first = [] if asked else [name for item in named for name in item.shared]
        yield from sorted(columns, key=lambda pair: pair[0].lower() not in first)

    def placed(self, expression: Expression) -> Expression:
        """An expression of the scope over the joined rows, now that all parts are known."""
        return _moved(expression, self._moves)

    @property
    def relation(self) -> Relation:
        """The joined rows."""
        everything = [*self._items, *self._later]
        sides = [Side(i.base, i.relation, i.kind, i.on, i.subquery) for i in everything]
        for side in sides:
            if side.kind in ("semi", "anti") and not joins(sides, side):
                # One row is enough then, and the engine reads as many files as give it one.
                raise UnsupportedSQL("EXISTS or a semi join on one side's columns alone")
        pushed = conditions(sides, self.where)
        scans = [
            replace(item.relation, condition=condition)
            if isinstance(item.relation, Query) and condition != TRUE
            else item.relation
            for item, condition in zip(everything, pushed, strict=True)
        ]
        moves = self._moves
        joined = scans[0]
        for item, scan in zip(everything[1:], scans[1:], strict=True):
            joined = Join(item.kind, joined, scan, _moved(item.on, moves))
        return joined

    @property
    def _moves(self) -> dict[int, int]:
        """From the numbers that columns of later parts had to the places that they got.

        Scalars come first, as their rows are part of the joined ones; what EXISTS and IN ask
        for is joined last and is not part of them.
        """
        moves: dict[int, int] = {}
        width = sum(item.width for item in self._items)
        for item in self._later:
            moves.update({item.base + n: width + n for n in range(item.width)})
            if item.kind == "inner":
                width += item.width
        return moves

    def _join(self, node: exp.Join) -> None:
        refuse_extras(node, {"this", "on", "side", "kind", "using"})
        words = (node.side.upper(), node.kind.upper())
        kind = _KINDS.get(words)
        if kind is None:
            raise UnsupportedSQL(f"{' '.join(words).strip()} JOIN is not supported")
        item = self._reader.item(node.this)
        item.kind = kind
        if kind in ("semi", "anti"):
            self._place_later(item)
            item.on = self._condition(node, [*self._items, item])
            return
        item.base = self._items[-1].base + self._items[-1].width
        before = list(self._items)
        self._items.append(item)
        if using := node.args.get("using"):
            if kind not in ("inner", "left"):
                raise UnsupportedSQL("USING of a RIGHT or FULL JOIN is not supported, ON is")
            item.on = self._shared(before, item, using)
        else:
            item.on = self._condition(node, [*before, item])

    def _shared(self, before: list[Item], item: Item, using: list[exp.Expr]) -> Expression:
        """The condition of USING: the columns of both sides are equal."""
        parts = []
        for name in using:
            column = exp.column(name.name)
            left, right = _lookup(before)(column), _lookup([item])(column)
            parts.append(comparison("=", left, right, column))
        item.shared = tuple(name.name.lower() for name in using)
        return conjunction(tuple(parts))

    def _condition(self, node: exp.Join, reach: Sequence[Item]) -> Expression:
        on, using = node.args.get("on"), node.args.get("using")
        if using:
            raise UnsupportedSQL("USING of a semi or anti join is not supported, ON is")
        if on is None:
            return TRUE
        scope = Scope(Table("several", (), ()), "several", lookup=_lookup(reach))
        return scope.boolean(on)

    def _where(self, node: exp.Expr) -> Expression:
        """A conjunct of WHERE; one that is a join in disguise becomes a part, and TRUE."""
        inner, negated = _bare(node), False
        while isinstance(inner, exp.Not):
            inner, negated = _bare(inner.this), not negated
        if isinstance(inner, exp.Exists):
            self._exists(inner, "anti" if negated else "semi")
            return TRUE
        if isinstance(inner, exp.In) and inner.args.get("query") is not None:
            self._in(inner, negated)
            return TRUE
        return self.scope.boolean(node)

    def _exists(self, node: exp.Exists, kind: Kind) -> None:
        """EXISTS: its WHERE may speak of the outer rows, and what does is the join's condition."""
        tree = _bare(node.this)
        if not isinstance(tree, exp.Select):
            raise UnsupportedSQL(f"{node.sql(dialect='spark')!r} is not supported")
        refuse_extras(tree, {"expressions", "from_", "where", "kind"})
        item = self._reader.item(tree.args["from_"].this)
        item.kind, item.subquery = kind, True
        self._place_later(item)
        where = tree.args.get("where")
        if where is not None:
            # A name of the subquery's own hides the same name outside.
            lookup = _lookup([item], [*self._items])
            scope = Scope(Table("several", (), ()), "several", lookup=lookup)
            item.on = scope.boolean(where.this)

    def _in(self, node: exp.In, negated: bool) -> None:
        item = self._reader.item(_bare(node.args["query"]))
        if item.width != 1:
            raise InvalidScenario(
                f"{node.sql(dialect='spark')!r}: the subquery has {item.width} columns",
                error_class="DATATYPE_MISMATCH.IN_SUBQUERY_LENGTH_MISMATCH",
            )
        item.kind = "anti" if negated else "semi"
        self._place_later(item)
        operand = self.scope.resolve(node.this)
        name, place, type_ = item.columns[0]
        if {operand.type.family, type_.family} - {"null"} != {type_.family}:
            shown = node.sql(dialect="spark")
            raise UnsupportedSQL(f"{shown!r} compares {operand.type} with {type_}")
        equal: Expression = Comparison("=", operand, Column(item.base + place, name, type_))
        item.subquery = True
        item.on = Or(equal, IsNull(equal)) if negated else equal

    def _scalar(self, node: exp.Expr) -> Expression:
        item = self._reader.item(node)
        if item.width != 1:
            raise InvalidScenario(
                f"{node.sql(dialect='spark')!r} is not a single value",
                error_class="INVALID_SUBQUERY_EXPRESSION.SCALAR_SUBQUERY_RETURN_MORE_THAN_ONE_OUTPUT_COLUMN",
            )
        query = item.relation
        asked = query if isinstance(query, Query) else getattr(query, "query", None)
        if asked is None or asked.groups or not asked.aggregates:
            raise UnsupportedSQL(
                f"{node.sql(dialect='spark')!r}: a subquery used as a value is an aggregate here"
            )
        self._place_later(item)
        ((_, place, type_),) = item.columns
        return Column(item.base + place, node.sql(dialect="spark"), type_)

    def _place_later(self, item: Item) -> None:
        item.base = _REGION * (len(self._later) + 1)
        # Scalars before the others: see _moves.
        at = sum(later.kind == "inner" for later in self._later)
        self._later.insert(at if item.kind == "inner" else len(self._later), item)

    def _lookup(self, node: exp.Column) -> Expression:
        return _lookup(self._items)(node)


_KINDS: dict[tuple[str, str], Kind] = {
    ("", ""): "inner",
    ("", "INNER"): "inner",
    ("", "CROSS"): "inner",
    ("LEFT", ""): "left",
    ("LEFT", "OUTER"): "left",
    ("RIGHT", ""): "right",
    ("RIGHT", "OUTER"): "right",
    ("FULL", ""): "full",
    ("FULL", "OUTER"): "full",
    ("LEFT", "SEMI"): "semi",
    ("", "SEMI"): "semi",
    ("LEFT", "ANTI"): "anti",
    ("", "ANTI"): "anti",
}


_OPEN = "a column of a query whose columns are not known"


def _lookup(
    items: Sequence[Item], outer: Sequence[Item] = ()
) -> Callable[[exp.Column], Expression]:
    """Resolves a column among parts; those of ``outer`` only where no inner one has the name."""

    def lookup(node: exp.Column) -> Expression:
        qualifier, name = node.table.lower(), node.name.lower()
        shown = node.sql(dialect="spark")
        for reach in (items, outer):
            matching = [
                Column(item.base + place, shown, type_)
                for item in reach
                for own, place, type_ in item.columns
                if own.lower() == name and qualifier in ("", item.qualifier.lower())
                if qualifier or name not in item.shared
            ]
            if len(matching) > 1:
                raise InvalidScenario(
                    f"{shown!r} could be of several tables", error_class="AMBIGUOUS_REFERENCE"
                )
            if matching:
                return matching[0]
            for item in reach:
                if item.open and qualifier in ("", item.qualifier.lower()):
                    return Opaque(shown, _OPEN, (), OPAQUE, settled=False)
        error_class = "UNRESOLVED_COLUMN.WITH_SUGGESTION"
        names = [own for item in (*items, *outer) for own, _, _ in item.columns]
        hint = did_you_mean(node.name, names)
        raise InvalidScenario(f"{shown!r} is not known here{hint}", error_class=error_class)

    return lookup


def _bare(node: exp.Expr) -> exp.Expr:
    while isinstance(node, exp.Paren | exp.Subquery) and (
        isinstance(node, exp.Paren) or not node.alias
    ):
        node = node.this
    return node


def _flat(node: exp.Expr) -> Iterator[exp.Expr]:
    """The conjuncts of a condition."""
    bare = node
    while isinstance(bare, exp.Paren):
        bare = bare.this
    if isinstance(bare, exp.And):
        yield from _flat(bare.this)
        yield from _flat(bare.expression)
    else:
        yield node


def _moved(expression: Expression, moves: dict[int, int]) -> Expression:
    places: dict[Expression, Expression] = {
        part: replace(part, index=moves[part.index])
        for part in walk(expression)
        if isinstance(part, Column) and part.index in moves
    }
    return replaced(expression, places) if places else expression
