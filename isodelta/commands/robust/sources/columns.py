"""The columns of tables that nothing declares, and their types, inferred from their uses.

Columns that are compared with each other, or stored in each other, have one type; constants and
operators determine it. A column without any evidence is a string.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from sqlglot import exp

from model.sql.dialect import Optimize, Reorg

Place = tuple[str, str]
"""A column: the name of its table, and its own."""

_COMPARED = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.NullSafeEQ, exp.Like)
_NUMBERS = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod)


@dataclass
class Uses:
    """The uses of columns in statements whose tables have safe names."""

    columns: dict[str, dict[str, None]] = field(default_factory=dict)
    declared: dict[str, dict[str, str]] = field(default_factory=dict)
    constants: dict[Place, list[exp.Expr]] = field(default_factory=dict)
    _same: dict[Place, Place] = field(default_factory=dict)
    _types: list[tuple[Place, int, str]] = field(default_factory=list)
    _alike: list[tuple[str, str]] = field(default_factory=list)

    def look(self, tree: exp.Expr) -> None:
        """Notes the uses in one statement."""
        for table in tree.find_all(exp.Table):
            if isinstance(table.this, exp.Identifier) and not table.db:
                self.columns.setdefault(table.name.lower(), {})
        for column in tree.find_all(exp.Column):
            self._place(column)
        for node in tree.walk():
            self._facts(node)
        if isinstance(tree, Optimize):
            names = {node.name.lower(): None for node in tree.args.get("zorder") or ()}
            if tree.this.name.lower() not in self.declared:
                self.columns.setdefault(tree.this.name.lower(), {}).update(names)

    def _place(self, node: exp.Expr) -> Place | None:
        """The table and column that a node of a tree means."""
        if not isinstance(node, exp.Column) or isinstance(node.this, exp.Star):
            return None
        if node.name.lower() == "default" and not node.table:
            return None  # The keyword, which stands for a column's default value.
        place = _resolved(node, node.name.lower(), self)
        if place is not None and place[0] not in self.declared:
            self.columns.setdefault(place[0], {}).setdefault(place[1])
        return place

    def _facts(self, node: exp.Expr) -> None:
        match node:
            case _ if isinstance(node, _COMPARED):
                self._pair(node.this, node.expression)
            case exp.In():
                for option in node.expressions:
                    self._pair(node.this, option)
                query = node.args.get("query")
                select = query.find(exp.Select) if query is not None else None
                if select is not None and len(select.expressions) == 1:
                    self._pair(node.this, select.expressions[0].unalias())
            case exp.Between():
                self._pair(node.this, node.args["low"])
                self._pair(node.this, node.args["high"])
            case exp.Sum() | exp.Avg():
                self._type(node.this, 2, "bigint")
            case exp.And() | exp.Or():
                self._type(node.this, 2, "boolean")
                self._type(node.expression, 2, "boolean")
            case exp.Not() | exp.Where():
                self._type(node.this, 2, "boolean")
            case exp.Insert() if isinstance(node.this, exp.Tuple):
                cells = node.expression.expressions if node.expression is not None else []
                for name, cell in zip(node.this.expressions, cells, strict=False):
                    self._pair(name, cell)
            case exp.Insert():
                self._inserted(node)
            case exp.Union():
                self._united(node)
            case exp.Merge():
                self._stars(node)
                self._type(node.args["on"], 2, "boolean")
            case exp.When() if node.args.get("condition") is not None:
                self._type(node.args["condition"], 2, "boolean")
        if isinstance(node, _NUMBERS):
            sides = (node.this, node.expression)
            if not any(isinstance(side, exp.Interval) for side in sides):
                for side in sides:
                    self._type(side, 1, "bigint")

    def _united(self, node: exp.Union) -> None:
        one, other = node.this.find(exp.Select), node.expression.find(exp.Select)
        if one is not None and other is not None:
            for here, there in zip(one.expressions, other.expressions, strict=False):
                self._pair(here.unalias(), there.unalias())

    def _inserted(self, node: exp.Insert) -> None:
        table = node.this.this if isinstance(node.this, exp.Schema) else node.this
        if not isinstance(table, exp.Table):
            return
        name = table.name.lower()
        listed = node.this.expressions if isinstance(node.this, exp.Schema) else []
        names = [column.name.lower() for column in listed]
        if name not in self.declared:
            for column in names:
                self.columns.setdefault(name, {}).setdefault(column)
        query = node.expression
        if not isinstance(query, exp.Query | exp.Values):
            return
        if isinstance(query, exp.Values):
            lines = [e.expressions if isinstance(e, exp.Tuple) else [e] for e in query.expressions]
        else:
            select = query.find(exp.Select)
            lines = [select.expressions] if select is not None else []
        for cells in lines:
            if len(cells) == 1 and _is_star(cells[0]):
                source = _only_table(select) if isinstance(query, exp.Query) and select else None
                if source is not None:
                    self._alike.append((name, source))
                continue
            given = (
                names
                or list(self.declared.get(name, ()))
                or [c.alias_or_name.lower() for c in cells]
            )
            for own, cell in zip(given, cells, strict=False):
                if own:
                    self._join((name, own), cell.unalias())

    def _stars(self, node: exp.Merge) -> None:
        using = node.args["using"]
        star = any(
            _is_star(part) or isinstance(part, exp.Star)
            for when in node.args["whens"].expressions
            for then in (when.args["then"],)
            if isinstance(then, exp.Update | exp.Insert)
            for part in (then.this, *then.expressions)
            if part is not None
        )
        if star and isinstance(using, exp.Table) and isinstance(node.this, exp.Table):
            self._alike.append((node.this.name.lower(), using.name.lower()))

    def _pair(self, one: exp.Expr, other: exp.Expr) -> None:
        for here, there in ((one, other), (other, one)):
            place = self._place(here)
            if place is not None:
                self._join(place, there)

    def _join(self, place: Place, value: exp.Expr) -> None:
        other = self._place(value)
        if other is not None:
            self._unite(place, other)
            return
        strength, type_ = _type_of(value)
        if type_:
            self._types.append((place, strength, type_))
        if isinstance(value, exp.Literal | exp.Boolean):
            self.constants.setdefault(place, []).append(value)

    def _type(self, node: exp.Expr, strength: int, type_: str) -> None:
        place = self._place(node)
        if place is not None:
            self._types.append((place, strength, type_))

    def _root(self, place: Place) -> Place:
        while place in self._same and self._same[place] != place:
            place = self._same[place]
        return place

    def _unite(self, one: Place, other: Place) -> None:
        first, second = self._root(one), self._root(other)
        if first != second:
            self._same[second] = first

    def solve(self) -> None:
        """Gives tables that a star makes alike the same columns."""
        for _ in range(3):
            for one, other in self._alike:
                for here, there in ((one, other), (other, one)):
                    names = self.declared.get(here) or self.columns.get(here, {})
                    for name in names:
                        if there not in self.declared:
                            self.columns.setdefault(there, {}).setdefault(name.lower())
                        self._unite((here, name.lower()), (there, name.lower()))

    def type(self, place: Place) -> str:
        """The type of a column: declared, or inferred."""
        own = self._declared(place)
        if own is not None:
            return own
        root = self._root(place)
        members = [member for member in {*self._same, root, place} if self._root(member) == root]
        for member in sorted(members):
            given = self._declared(member)
            if given is not None:
                return given
        inferred = [(s, t) for member, s, t in self._types if self._root(member) == root]
        return max(inferred, default=(0, "string"))[1]

    def _declared(self, place: Place) -> str | None:
        return self.declared.get(place[0], {}).get(place[1])

    def mentioned(self, place: Place) -> list[exp.Expr]:
        """The constants that a column of the same type is compared with."""
        root = self._root(place)
        return [
            v
            for other, values in self.constants.items()
            if self._root(other) == root
            for v in values
        ]


def _type_of(value: exp.Expr) -> tuple[int, str]:
    """The strength of the evidence for a value's type, and the type; '' without evidence."""
    match value:
        case exp.Literal(is_string=True):
            return 1, "string"
        case exp.Literal():
            return 2, "bigint" if value.name.isdigit() else "double"
        case exp.Neg():
            return _type_of(value.this)
        case exp.Paren():
            return _type_of(value.this)
        case exp.Boolean():
            return 3, "boolean"
        case exp.CurrentDate() | exp.TsOrDsAdd() | exp.DateAdd() | exp.DateSub() | exp.LastDay():
            return 3, "date"
        case exp.CurrentTimestamp() | exp.TimestampTrunc():
            return 3, "timestamp"
        case exp.Cast():
            from isodelta.commands.robust.sources.schemas import plain_type

            return 3, plain_type(value.args["to"].sql(dialect="spark"))
        case exp.Concat() | exp.Upper() | exp.Lower() | exp.Trim() | exp.MD5() | exp.SHA2():
            return 2, "string"
        case exp.Count() | exp.Sum() | exp.RowNumber():
            return 1, "bigint"
    return 0, ""


def _is_star(node: exp.Expr) -> bool:
    return isinstance(node, exp.Star) or (
        isinstance(node, exp.Column) and isinstance(node.this, exp.Star)
    )


def _sources(scope: exp.Expr) -> Iterator[exp.Expr]:
    """The relations that a statement or a SELECT names."""
    match scope:
        case exp.Select():
            read = scope.args.get("from_")
            parts: Iterable[exp.Expr] = (
                *([read.this] if read is not None else []),
                *(join.this for join in scope.args.get("joins") or ()),
            )
            yield from parts
        case exp.Merge():
            yield scope.this
            yield scope.args["using"]
        case exp.Update() | exp.Delete():
            if isinstance(scope.this, exp.Table):
                yield scope.this
        case exp.Insert() if isinstance(scope.this, exp.Table | exp.Schema):
            node = scope.this
            yield node.this if isinstance(node, exp.Schema) else node


def _resolved(node: exp.Expr, name: str, uses: Uses) -> Place | None:
    qualifier = node.table.lower() if isinstance(node, exp.Column) else ""
    merge = node.find_ancestor(exp.Merge) if _is_assigned(node) else None
    if merge is not None and isinstance(merge.this, exp.Table):
        return merge.this.name.lower(), name
    scope = node.parent
    while scope is not None:
        if isinstance(scope, Optimize | Reorg):
            return scope.this.name.lower(), name
        if isinstance(scope, exp.Select | exp.Merge | exp.Update | exp.Delete):
            sources = list(_sources(scope))
            fitting: Sequence[exp.Expr] = [
                s for s in sources if qualifier in ("", s.alias_or_name.lower())
            ]
            if not qualifier and len(fitting) > 1:
                fitting = _having(fitting, name, uses)
            if fitting:
                return _column_of(fitting[0], name, uses)
        scope = scope.parent
    return None


def _is_assigned(node: exp.Expr) -> bool:
    """Whether a column is one that a clause of MERGE assigns to."""
    parent = node.parent
    if isinstance(parent, exp.EQ):
        return node is parent.this and isinstance(parent.parent, exp.Update)
    holder = parent.parent if parent is not None else None
    return (
        isinstance(parent, exp.Tuple) and isinstance(holder, exp.Insert) and holder.this is parent
    )


def _having(sources: Sequence[exp.Expr], name: str, uses: Uses) -> Sequence[exp.Expr]:
    """The relations that have a column of this name, or else those that may have it."""
    tables = [table for table in sources if isinstance(table, exp.Table)]
    sure = [table for table in tables if name in uses.declared.get(table.name.lower(), {})]
    open_ = [table for table in tables if table.name.lower() not in uses.declared]
    return sure or (open_ if len(open_) == 1 else [])


def _column_of(source: exp.Expr, name: str, uses: Uses) -> Place | None:
    if isinstance(source, exp.Table):
        if source.db or not isinstance(source.this, exp.Identifier):
            return None
        return source.name.lower(), name
    if not isinstance(source, exp.Subquery):
        return None
    select = source.find(exp.Select)
    if select is None:
        return None
    for output in select.expressions:
        if output.alias_or_name.lower() == name:
            inner = output.unalias()
            if isinstance(inner, exp.Column) and not _is_star(inner):
                return _resolved(inner, inner.name.lower(), uses)
            return None
    if any(_is_star(output) for output in select.expressions):
        sources = list(_sources(select))
        return _column_of(sources[0], name, uses) if len(sources) == 1 else None
    return None


def _only_table(select: exp.Select) -> str | None:
    sources = list(_sources(select))
    if len(sources) == 1 and isinstance(sources[0], exp.Table):
        return sources[0].name.lower()
    return None
