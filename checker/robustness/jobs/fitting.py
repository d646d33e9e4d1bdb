"""Statements rewritten in the model's SQL, with opaque parts for SQL that it does not have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from checker.robustness.jobs.context import Context, Tables, printed_or_none
from checker.robustness.jobs.opaque_parts import (
    Parts,
    ReadsTarget,
    conjuncts,
    default_type,
    reads_target,
    referenced,
    shown,
)
from checker.robustness.jobs.widening import Opaque, Outline
from model.sql import trees
from model.tables.table import Table
from model.values.types import ColumnType
from model.workload import TARGET


@dataclass(frozen=True, slots=True)
class Fitted:
    """A statement in the model's SQL, or its outline if the model cannot express it."""

    sql: str | None
    outline: Outline | None


def fitted(tree: exp.Expr, parts: Parts) -> Fitted:
    """Rewrites a statement whose target is called ``t`` in the model's SQL, or outlines it."""
    tables = parts.tables
    if tables.statement(tree) is not None:
        return Fitted(printed_or_none(tree), None)
    because = tables.because
    try:
        made = _Fitting(parts, tree).made()
    except ReadsTarget:
        made = None
    if made is not None and tables.statement(made) is not None:
        return Fitted(printed_or_none(made), None)
    parts.opaque.clear()
    parts.relations.clear()
    name = f"{parts.job}: {len(parts.opaque)}"
    parts.opaque[name] = Opaque(parts.job, shown(tree), because, "statement")
    return Fitted(None, outline(tree))


def outline(tree: exp.Expr) -> Outline:
    """The most that a statement may do, from its form alone."""
    match tree:
        case exp.Insert() if not _replaces(tree):
            return Outline("INSERT", reads=_reads_beside(tree), adds=True, blind=True)
        case exp.Copy():
            return Outline("COPY INTO", adds=True, blind=True)
        case exp.Delete() | exp.TruncateTable():
            return Outline("DELETE", reads=True, removes=True)
        case exp.Query():
            return Outline("SELECT", reads=True, writes=False)
    kind = type(tree).__name__.upper()
    if kind in ("OPTIMIZE", "REORG", "VACUUM"):
        return Outline(kind)
    return Outline(kind, reads=True, removes=True, adds=True)


def _replaces(tree: exp.Insert) -> bool:
    return any(tree.args.get(key) for key in ("overwrite", "where", "exists", "on", "using"))


def _reads_beside(tree: exp.Insert) -> bool:
    """Whether the query of an INSERT mentions the target."""
    query = tree.args.get("expression") or tree.args.get("source")
    with_ = tree.args.get("with_")
    return any(part is not None and reads_target(part) for part in (query, with_))


class _Fitting:
    """Rewrites one statement that the model rejects as written."""

    def __init__(self, parts: Parts, tree: exp.Expr) -> None:
        self.parts = parts
        self.tables: Tables = parts.tables
        self.target: Table = parts.tables.definitions[TARGET]
        self.tree = tree.copy()

    def made(self) -> exp.Expr | None:
        """The statement with opaque parts; None if the model has no such form."""
        match self.tree:
            case exp.Insert():
                return self._insert(self.tree)
            case exp.Delete():
                return self._delete(self.tree)
            case exp.Update():
                return self._update(self.tree)
            case exp.Merge():
                return self._merge(self.tree)
            case exp.Query():
                return self._query(self.tree, {})
        return None

    def _types(self) -> dict[str, ColumnType]:
        columns = self.target.columns
        return {column.name.lower(): column.type for column in columns}

    def _context(self, alias: str, other: exp.Expr | None = None) -> Context:
        """The rows of the target, joined with another relation."""
        skeleton = exp.select("*").from_(trees.named(TARGET, alias or None))
        if other is not None:
            skeleton.append("joins", exp.Join(this=other.copy(), kind="CROSS"))
        return Context(self.tables, skeleton, self._anchor(alias or TARGET), subqueries=False)

    def _anchor(self, qualifier: str) -> tuple[exp.Column, ColumnType] | None:
        """A column of the target to compare opaque values with, if possible not of a partition."""
        table = self.target
        places = [n for n, type_ in enumerate(table.types) if type_.family != "boolean"]
        places.sort(key=lambda n: n in table.partitions)
        if not places:
            return None
        return trees.column(table.names[places[0]], qualifier), table.types[places[0]]

    def _delete(self, tree: exp.Delete) -> exp.Expr:
        where = tree.args.get("where")
        alias = tree.this.alias
        if where is not None:
            where.set("this", self._condition(where.this, self._context(alias), [alias or TARGET]))
        return tree

    def _condition(self, node: exp.Expr, context: Context, targets: Sequence[str]) -> exp.Expr:
        made = [self.parts.fitted_condition(part, context, targets) for part in conjuncts(node)]
        wrapped = [exp.Paren(this=part) if isinstance(part, exp.Or) else part for part in made]
        joined = wrapped[0]
        for part in wrapped[1:]:
            joined = exp.And(this=joined, expression=part)
        return joined

    def _update(self, tree: exp.Update) -> exp.Expr:
        alias = tree.this.alias
        context, targets = self._context(alias), [alias or TARGET]
        where = tree.args.get("where")
        if where is not None:
            where.set("this", self._condition(where.this, context, targets))
        self._assignments(tree.expressions, context, targets)
        return tree

    def _assignments(
        self, nodes: Sequence[exp.Expr], context: Context, targets: Sequence[str]
    ) -> None:
        types = self._types()
        for node in nodes:
            if isinstance(node, exp.EQ):
                type_ = default_type(node.this.name, types)
                value = self.parts.fitted_value(node.expression, type_, context, targets)
                node.set("expression", value)

    def _merge(self, tree: exp.Merge) -> exp.Expr:
        if (with_ := tree.args.get("with_")) is not None:
            tree.set("with_", None)
            inline(tree, with_)
        alias = tree.this.alias
        using = self._source(tree)
        tree.set("using", using)
        context, targets = self._context(alias, using), [alias or TARGET]
        tree.set("on", self._condition(tree.args["on"], context, targets))
        column_types = self._types()
        for when in tree.args["whens"].expressions:
            condition, then = when.args.get("condition"), when.args["then"]
            if condition is not None:
                when.set("condition", self._condition(condition, context, targets))
            if isinstance(then, exp.Update):
                self._assignments(then.expressions, context, targets)
            elif isinstance(then, exp.Insert) and isinstance(then.expression, exp.Tuple):
                names = then.this.expressions if isinstance(then.this, exp.Tuple) else []
                cells = then.expression.expressions
                types = [default_type(name.name, column_types) for name in names]
                types = types or list(self.target.types)
                made = [
                    self.parts.fitted_value(cell, type_, context, targets)
                    for cell, type_ in zip(cells, types, strict=False)
                ]
                then.expression.set("expressions", made)
        return tree

    def _source(self, tree: exp.Merge) -> exp.Expr:
        """The source of a MERGE: as it is, with opaque parts, or an opaque table."""
        node = tree.args["using"]
        alias = node.alias_or_name
        if isinstance(node, exp.Table) and self._is_known(node):
            return node
        wanted = self._wanted(tree, alias)
        if isinstance(node, exp.Subquery):
            made = self._query(node.this, wanted)
            if made is not None:
                columns = (node.args.get("alias") or exp.TableAlias()).args.get("columns")
                if not columns:
                    return exp.Subquery(this=made, alias=_alias(alias))
        table = self.parts.relation(node, wanted)
        table.set("alias", _alias(alias))
        return table

    def _is_known(self, node: exp.Table) -> bool:
        return self.tables.query(exp.select("*").from_(node.copy())) is not None

    def _wanted(self, tree: exp.Expr, alias: str) -> dict[str, ColumnType]:
        """The columns that a statement needs of a source, typed like the target's columns."""
        types = self._types()
        names = list(referenced(tree, alias))
        if any(
            isinstance(star.parent, exp.Update | exp.Insert) for star in tree.find_all(exp.Star)
        ):
            names += self.target.column_names
        wanted: dict[str, ColumnType] = {}
        paired = dict(_paired(tree, alias))
        for name in names:
            same = default_type(paired.get(name.lower(), name), types)
            wanted.setdefault(name.lower(), same)
        return wanted

    def _insert(self, tree: exp.Insert) -> exp.Expr | None:
        if (where := tree.args.get("where")) is not None:
            inner = where.this if isinstance(where, exp.Where) else where
            made = self._condition(inner, self._context(""), [TARGET])
            tree.set("where", exp.Where(this=made) if isinstance(where, exp.Where) else made)
        query, with_ = tree.expression, tree.args.get("with_")
        if with_ is not None and query is not None:
            tree.set("with_", None)
            query.set("with_", with_)
        columns = self._columns(tree)
        if isinstance(query, exp.Values):
            empty = Context(self.tables, exp.select("*"), None)
            for line in query.expressions:
                cells = line.expressions if isinstance(line, exp.Tuple) else [line]
                for cell, (_, type_) in zip(list(cells), columns, strict=False):
                    cell.replace(self.parts.fitted_value(cell, type_, empty))
            return tree
        if query is None:
            return None
        tree.set("expression", self._query(query, dict(columns)) or self._rows(query, columns))
        return tree

    def _rows(self, query: exp.Expr, columns: Sequence[tuple[str, ColumnType]]) -> exp.Expr:
        """A query of any rows of these columns."""
        names = [exp.column(name, quoted=True) for name, _ in columns]
        source = self.parts.relation(query, {name.lower(): type_ for name, type_ in columns})
        return exp.select(*names).from_(source)

    def _columns(self, tree: exp.Insert) -> list[tuple[str, ColumnType]]:
        types = self._types()
        if isinstance(tree.this, exp.Schema):
            return [(e.name, default_type(e.name, types)) for e in tree.this.expressions]
        fixed = {
            node.this.name.lower()
            for node in tree.find_all(exp.EQ)
            if node.find_ancestor(exp.Partition)
        }
        columns = zip(self.target.names, self.target.types, strict=True)
        return [(name, type_) for name, type_ in columns if name.lower() not in fixed]

    def _query(self, query: exp.Expr, wanted: dict[str, ColumnType]) -> exp.Expr | None:
        """A query with opaque parts; None if the whole of it has to be opaque."""
        tree: exp.Expr = query.copy()
        if self.tables.query(tree) is not None:
            return tree
        if isinstance(tree, exp.Subquery) and not tree.alias:
            return self._query(tree.this, wanted)
        if isinstance(tree, exp.Select | exp.Union) and (with_ := tree.args.get("with_")):
            tree.set("with_", None)
            inline(tree, with_)
        if isinstance(tree, exp.Union):
            for side in ("this", "expression"):
                part = self._query(tree.args[side], wanted)
                if part is None:
                    return None
                tree.set(side, part)
            return tree if self.tables.query(tree) is not None else None
        if not isinstance(tree, exp.Select) or any(tree.args.get(key) for key in _OPAQUE_CLAUSES):
            return None
        if not self._origin(tree):
            return None
        return self._select(tree, list(wanted.values()))

    def _origin(self, tree: exp.Select) -> bool:
        """Fits the relations of FROM and JOIN; whether the model has them then."""
        read = tree.args.get("from_")
        joins = tree.args.get("joins") or []
        for holder in (*([read] if read is not None else []), *joins):
            node = holder.this
            if isinstance(node, exp.Table) and self._is_known(node):
                continue
            alias = node.alias_or_name
            made = None
            if isinstance(node, exp.Subquery):
                made = self._query(node.this, {})
                if made is not None:
                    made = exp.Subquery(this=made, alias=_alias(alias))
            if made is None:
                named = {
                    name.lower(): default_type(name, self._types())
                    for name in referenced(tree, alias)
                }
                if not alias or any(isinstance(e, exp.Star) for e in tree.find_all(exp.Star)):
                    return False
                made = self.parts.relation(node, named)
                made.set("alias", _alias(alias))
            holder.set("this", made)
        bare = self._skeleton(tree)
        bare.set("expressions", [exp.alias_(exp.Literal.number(1), "one")])
        return self.tables.query(bare) is not None

    def _skeleton(self, tree: exp.Select) -> exp.Select:
        skeleton = exp.Select()
        for key in ("from_", "joins"):
            part = tree.args.get(key)
            if part is not None:
                skeleton.set(
                    key, [p.copy() for p in part] if isinstance(part, list) else part.copy()
                )
        return skeleton

    def _select(self, tree: exp.Select, types: Sequence[ColumnType]) -> exp.Expr | None:
        skeleton = self._skeleton(tree)
        context = Context(self.tables, skeleton, self._some_column(skeleton))
        targets = [t.alias_or_name for t in skeleton.find_all(exp.Table) if t.name == TARGET]
        where = tree.args.get("where")
        if where is not None:
            where.set("this", self._condition(where.this, context, targets))
        if tree.args.get("group") or tree.args.get("having") or tree.args.get("distinct"):
            return tree if self.tables.query(tree) is not None else None
        made: list[exp.Expr] = []
        for place, node in enumerate(tree.expressions):
            if isinstance(node, exp.Star) or (
                isinstance(node, exp.Column) and isinstance(node.this, exp.Star)
            ):
                made.append(node.copy())
                continue
            type_ = (
                types[place]
                if place < len(types)
                else default_type(node.alias_or_name, self._types())
            )
            if (
                any(
                    isinstance(e, exp.AggFunc | exp.Window | exp.UDTF | exp.Explode)
                    for e in node.walk()
                )
                and context.type(node) is None
            ):
                return None
            value = self.parts.fitted_value(node, type_, context, targets)
            name = node.alias_or_name
            made.append(exp.alias_(value.unalias(), name, quoted=True) if name else value)
        tree.set("expressions", made)
        return tree if self.tables.query(tree) is not None else None

    def _some_column(self, skeleton: exp.Select) -> tuple[exp.Column, ColumnType] | None:
        asked = skeleton.copy()
        asked.set("expressions", [exp.Star()])
        if self.tables.query(asked) is None:
            return None
        for table in skeleton.find_all(exp.Table):
            definition = self.tables.definitions.get(table.name)
            for column in definition.columns if definition is not None else ():
                node = trees.column(column.name, table.alias_or_name)
                if column.type.family != "boolean":
                    return node, column.type
        return None


_OPAQUE_CLAUSES = ("qualify", "limit", "offset", "laterals", "windows", "pivots", "sort", "cluster")
"""Clauses that make a query opaque as a whole: they select or generate rows."""


def inline(tree: exp.Expr, with_: exp.Expr) -> None:
    """Puts the queries of WITH in the place of their names."""
    named: dict[str, exp.Expr] = {}
    for part in with_.expressions:
        body = part.this.copy()
        _put(body, named)
        named[part.alias.lower()] = body
    _put(tree, named)


def _put(tree: exp.Expr, named: dict[str, exp.Expr]) -> None:
    for table in list(tree.find_all(exp.Table)):
        body = named.get(table.name.lower())
        if body is None or table.db:
            continue
        made = exp.Subquery(this=body.copy(), alias=_alias(table.alias_or_name))
        if joins := table.args.get("joins"):
            made.set("joins", joins)
        table.replace(made)


def _paired(tree: exp.Expr, alias: str) -> list[tuple[str, str]]:
    """Columns of a source, each with a column that it is compared with or assigned to."""
    pairs = []
    for node in tree.find_all(exp.EQ, exp.NullSafeEQ):
        for one, other in ((node.this, node.expression), (node.expression, node.this)):
            both = isinstance(one, exp.Column) and isinstance(other, exp.Column)
            if both and one.table.lower() == alias.lower():
                pairs.append((one.name.lower(), other.name))
    for then in tree.find_all(exp.Insert):
        if isinstance(then.this, exp.Tuple) and isinstance(then.expression, exp.Tuple):
            for name, cell in zip(then.this.expressions, then.expression.expressions, strict=False):
                if isinstance(cell, exp.Column) and cell.table.lower() == alias.lower():
                    pairs.append((cell.name.lower(), name.name))
    return pairs


def _alias(name: str) -> exp.TableAlias | None:
    return exp.TableAlias(this=exp.to_identifier(name)) if name else None
