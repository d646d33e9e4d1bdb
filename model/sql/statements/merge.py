"""MERGE INTO t USING source ON condition WHEN ..."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from sqlglot import exp

from model.errors import InvalidScenario, UnsupportedSQL, did_you_mean
from model.expressions.simplification.shape import FALSE, everywhere
from model.expressions.syntax import Column, Expression, IsNull, Opaque
from model.sql.dialect import EVOLVES
from model.sql.expressions.coercion import check_storable
from model.sql.expressions.scalar import Scope
from model.sql.source import Source, refuse_extras, refuse_subqueries, target_of
from model.sql.statements.evolution import evolved, evolves
from model.sql.statements.merge_source import Using, using
from model.statements import Merge, Statement
from model.statements.merge.clause import MergeClause
from model.tables.table import Table
from model.values import types
from model.values.types import OPAQUE, ColumnType

_UNRESOLVED = "INTERNAL_ERROR"
"""What Delta 4.4 reports for a name that MERGE does not know: its own class lacks a text."""

_OMITTED = {
    "matched": "NON_LAST_MATCHED_CLAUSE_OMIT_CONDITION",
    "not matched": "NON_LAST_NOT_MATCHED_BY_TARGET_CLAUSE_OMIT_CONDITION",
    "not matched by source": "NON_LAST_NOT_MATCHED_BY_SOURCE_CLAUSE_OMIT_CONDITION",
}
_KINDS = tuple(_OMITTED)


def merge(source: Source) -> Statement:
    """MERGE, which with schema evolution may bring columns along.

    A WITH before it is one of its source.
    """
    tree = _without_with(source.tree())
    if not isinstance(tree, exp.Merge):
        raise UnsupportedSQL(f"{source.body!r} is not supported")
    refuse_extras(tree, {"this", "using", "on", "whens", EVOLVES})
    table, qualifier = target_of(tree.this, source)
    names = _Names(table, qualifier, using(tree.args["using"], source.tables, source.target), table)
    if evolves(source, tree):
        names = replace(names, after=evolved(table, _assigned(tree, names)), evolves=True)
    clauses: dict[str, list[MergeClause]] = {kind: [] for kind in _KINDS}
    last = 0
    for when in tree.args["whens"].expressions:
        kind = "matched" if when.args["matched"] else "not matched"
        kind = "not matched by source" if when.args.get("source") else kind
        if _KINDS.index(kind) < last:
            raise _refused(f"WHEN {kind.upper()} comes too late", "PARSE_SYNTAX_ERROR")
        last = _KINDS.index(kind)
        clauses[kind].append(_clause(when, kind, names))
    for kind, given in clauses.items():
        if any(clause.condition is None for clause in given[:-1]):
            raise _refused(f"only the last WHEN {kind.upper()} has no condition", _OMITTED[kind])
    matched, not_matched, by_source = (tuple(clauses[kind]) for kind in _KINDS)
    refuse_subqueries(tree.args["on"])
    condition = names.condition(tree.args["on"], True, True)
    using_ = names.using.source
    parts = (matched, not_matched, by_source)
    return Merge(source.text, table, using_, condition, *parts, after=names.after)


def _without_with(tree: exp.Expr) -> exp.Expr:
    """A MERGE whose names of queries stand before its source instead of before itself."""
    names = tree.args.get("with_")
    if names is None:
        return tree
    tree = tree.copy()
    tree.set("with_", None)
    given = tree.args["using"]
    body = given.this if isinstance(given, exp.Subquery) else exp.select("*").from_(given.copy())
    if isinstance(given, exp.Table):
        body.args["from_"].this.set("alias", None)
    if body.args.get("with_") is not None:
        raise UnsupportedSQL("WITH before MERGE and in its source is not supported")
    body = body.copy()
    body.set("with_", names.copy())
    alias = exp.TableAlias(this=exp.to_identifier(given.alias_or_name))
    tree.set("using", exp.Subquery(this=body, alias=alias))
    return tree


def _refused(message: str, error_class: str) -> InvalidScenario:
    return InvalidScenario(message, error_class=error_class)


@dataclass(frozen=True, slots=True)
class _Names:
    """The columns in reach: those of the target, followed by those of the source.

    ``after`` is the target with the columns that the statement gives it; they can be assigned
    to, by their bare names, and not be read. ``evolves`` tells that it may give it some.
    """

    table: Table
    qualifier: str
    using: Using
    after: Table
    evolves: bool = False

    def target(self, node: exp.Expr, old: bool = False) -> Column:
        """The column that is assigned to; ``old`` where it can only be one that there was."""
        column = self.scope(True, False)
        if isinstance(node, exp.Column) and not node.table and not old:
            for own in self.after.columns:
                if own.name.lower() == node.name.lower():
                    return own
        assigned = column.resolve(node)
        if not isinstance(assigned, Column):
            raise InvalidScenario(f"{node.sql(dialect='spark')!r} is not a column")
        return replace(assigned, type=self.after.types[assigned.index])

    def scope(self, target: bool, source: bool) -> Scope:
        """Where names are looked up that may be of the target, of the source, or of both."""
        return Scope(self.table, self.qualifier, lookup=self._lookup(target, source))

    def condition(self, node: exp.Expr, target: bool, source: bool) -> Expression:
        """A condition, simplified as far as the source's form tells which columns are never NULL.

        The engine does not treat a column of the source that is always NULL as a constant.
        """
        width = len(self.table.names)
        never_null = {width + place for place in self.using.source.never_null}

        def nulls_settled(part: Expression) -> Expression:
            if isinstance(part, IsNull):
                column = part.operand
                certain = isinstance(column, Column) and column.index in never_null
                return FALSE if certain else part
            return part

        return everywhere(self.scope(target, source).boolean(node), nulls_settled)

    def source_column(self, name: str) -> Column | None:
        """The source's column of that name, None where it has none."""
        named = [c for c in self.source_columns() if c.name.lower().split(".")[-1] == name.lower()]
        return named[0] if len(named) == 1 else None

    def open_column(self, name: str) -> Opaque:
        """A column of a source whose columns are not known."""
        prefix = f"{self.using.qualifier}." if self.using.qualifier else ""
        because = "a column of a source whose columns are not known"
        return Opaque(f"{prefix}{name}", because, (), OPAQUE, settled=False)

    def source_columns(self) -> tuple[Column, ...]:
        width, given = len(self.table.names), self.using
        prefix = f"{given.qualifier}." if given.qualifier else ""
        return tuple(
            Column(width + place, prefix + name, type_)
            for place, (name, type_) in enumerate(zip(given.names, given.types, strict=True))
        )

    def _lookup(self, target: bool, source: bool) -> Callable[[exp.Column], Expression]:
        reach: list[tuple[str, str, Column]] = []
        if target:
            reach += [(self.qualifier.lower(), c.name.lower(), c) for c in self.table.columns]
        if source:
            given = zip(self.using.names, self.source_columns(), strict=True)
            reach += [(self.using.qualifier.lower(), name.lower(), c) for name, c in given]

        def lookup(node: exp.Column) -> Expression:
            qualifier, name = node.table.lower(), node.name.lower()
            matching = [c for q, n, c in reach if n == name and qualifier in ("", q)]
            shown = node.sql(dialect="spark")
            if len(matching) > 1:
                raise _refused(f"{shown!r} could be of both tables", "AMBIGUOUS_REFERENCE")
            own = qualifier in ("", self.using.qualifier.lower())
            if not matching and own and source and self.using.open:
                return self.open_column(node.name)
            if not matching:
                hint = did_you_mean(
                    node.name, (column.name.split(".")[-1] for _, _, column in reach)
                )
                raise _refused(f"{shown!r} is not known here{hint}", _UNRESOLVED)
            return matching[0]

        return lookup


def _assigned(tree: exp.Expr, names: _Names) -> Iterator[tuple[str, ColumnType]]:
    """The columns of the source whose names clauses assign to: all of them with a star."""
    named: set[str] = set()
    star = False
    for when in tree.args["whens"].expressions:
        then = when.args["then"]
        if when.args.get("source"):
            continue
        if isinstance(then, exp.Insert):
            listed = then.this.expressions if isinstance(then.this, exp.Tuple) else []
            star |= isinstance(then.this, exp.Star)
        elif isinstance(then, exp.Update):
            star |= any(isinstance(part, exp.Star) for part in then.expressions)
            listed = [part.this for part in then.expressions if isinstance(part, exp.EQ)]
        else:
            continue
        named |= {node.name.lower() for node in listed}
    for name, type_ in zip(names.using.names, names.using.types, strict=True):
        if star or name.lower() in named:
            yield name, type_


def _clause(when: exp.Expr, kind: str, names: _Names) -> MergeClause:
    refuse_extras(when, {"matched", "source", "condition", "then"})
    target, source = kind != "not matched", kind != "not matched by source"
    node = when.args.get("condition")
    refuse_subqueries(node)
    condition = None if node is None else names.condition(node, target, source)
    then = when.args["then"]
    if kind == "not matched":
        if not isinstance(then, exp.Insert):
            raise _refused("WHEN NOT MATCHED can only INSERT", "PARSE_SYNTAX_ERROR")
        return MergeClause(names.after, condition, _insert(then, names), True)
    if isinstance(then, exp.Var) and then.name.upper() == "DELETE":
        return MergeClause(names.after, condition, None)
    if not isinstance(then, exp.Update):
        raise _refused(f"WHEN {kind.upper()} can UPDATE or DELETE", "PARSE_SYNTAX_ERROR")
    return MergeClause(names.after, condition, _update(then, kind, names, target, source))


Assignments = tuple[tuple[int, Expression], ...]


def _update(then: exp.Update, kind: str, names: _Names, target: bool, source: bool) -> Assignments:
    refuse_extras(then, {"expressions"})
    parts = then.expressions
    if len(parts) == 1 and isinstance(parts[0], exp.Star):
        _check_whole(parts[0])
        if kind != "matched":
            raise _refused("UPDATE SET * needs a source row", "PARSE_SYNTAX_ERROR")
        assignments = dict(_star(names))
        if assignments.keys() & dict(names.after.identities).keys():
            error_class = "DELTA_IDENTITY_COLUMNS_UPDATE_NOT_SUPPORTED"
            raise _refused("an identity column cannot be set", error_class)
        return tuple(assignments.items())
    values = names.scope(target, source)
    assignments = {}
    for node in parts:
        if not isinstance(node, exp.EQ):
            raise UnsupportedSQL(f"{node.sql(dialect='spark')!r} is not an assignment")
        column = names.target(node.args["this"], old=not source)
        if column.index in assignments:
            raise _refused(f"column {column.name!r} is set twice", "DELTA_CONFLICT_SET_COLUMN")
        if column.index in dict(names.table.identities):
            error_class = "DELTA_IDENTITY_COLUMNS_UPDATE_NOT_SUPPORTED"
            raise _refused(f"identity column {column.name!r} cannot be set", error_class)
        assignments[column.index] = _stored(values.resolve(node.args["expression"]), column)
    return tuple(assignments.items())


def _insert(then: exp.Insert, names: _Names) -> Assignments:
    refuse_extras(then, {"this", "expression"})
    assignments = _insertion(then, names)
    for place, identity in names.after.identities:
        if identity.always and place in dict(assignments):
            error_class = "DELTA_IDENTITY_COLUMNS_EXPLICIT_INSERT_NOT_SUPPORTED"
            raise _refused(f"{names.after.names[place]!r} is GENERATED ALWAYS", error_class)
    return assignments


def _insertion(then: exp.Insert, names: _Names) -> Assignments:
    if isinstance(then.this, exp.Star):
        _check_whole(then.this)
        return _star(names)
    if not isinstance(then.this, exp.Tuple) or not isinstance(then.expression, exp.Tuple):
        raise _refused("INSERT takes (columns) VALUES (values), or *", "PARSE_SYNTAX_ERROR")
    listed, given = then.this.expressions, then.expression.expressions
    if len(listed) != len(given):
        raise _refused(
            f"{len(given)} values for {len(listed)} columns", "MERGE_INSERT_VALUE_COUNT_MISMATCH"
        )
    values = names.scope(False, True)
    assignments: dict[int, Expression] = {}
    for node, value in zip(listed, given, strict=True):
        column = names.target(node)
        if column.index in assignments:
            raise _refused(f"column {column.name!r} twice", "DELTA_DUPLICATE_COLUMNS_ON_INSERT")
        assignments[column.index] = _stored(values.resolve(value), column)
    return tuple(assignments.items())


def _check_whole(star: exp.Star) -> None:
    """Refuses a star with EXCEPT, which Databricks has in MERGE and Delta on Spark does not."""
    if any(star.args.values()):
        shown = star.sql(dialect="databricks")
        raise _refused(f"MERGE takes no {shown!r} on Spark", "PARSE_SYNTAX_ERROR")


def _star(names: _Names) -> Assignments:
    """Every column of the target from the source's column of the same name.

    With schema evolution: those that the source has.
    """
    if names.evolves and names.using.open:
        raise UnsupportedSQL("the columns that the source brings are not known")
    if names.evolves:
        given = zip(names.using.names, names.source_columns(), strict=True)
        pairs = ((names.after.column(name), value) for name, value in given)
        return tuple((column.index, _stored(value, column)) for column, value in pairs)
    assignments = []
    for column in names.table.columns:
        value: Expression | None = names.source_column(column.name)
        if value is None and names.using.open:
            value = names.open_column(column.name)
        if value is None:
            raise _refused(f"the source has no column {column.name!r}", _UNRESOLVED)
        assignments.append((column.index, _stored(value, column)))
    return tuple(assignments)


def _stored(value: Expression, column: Column) -> Expression:
    check_storable(value, column, types.UPDATE_OVERFLOW)
    return value
