"""The actions of ALTER TABLE that are about columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from model.errors import InvalidScenario, StatementFailure, UnsupportedSQL
from model.expressions import syntax as expressions
from model.sql.declaration import declared, default_value
from model.sql.source import Source, refuse_extras
from model.statements import Statement
from model.statements.alter.statement import CLUSTERING_DOMAIN, AlterTable, SyncIdentity
from model.tables.protocol import with_required
from model.tables.table import Table
from model.values.types import ColumnType, parse_type, upcasts, widenable


def add_columns(source: Source, actions: Sequence[exp.Expr]) -> Statement:
    """ADD COLUMN(S): existing rows have NULL in a new column."""
    table = after = source.table
    for action in actions:
        assert isinstance(action, exp.ColumnDef)
        refuse_extras(action, {"this", "kind", "constraints", "position"})
        new = declared(action)
        if new.identity is not None or new.expression is not None:
            raise UnsupportedSQL(f"ADD COLUMN {action.sql(dialect='spark')} is not supported")
        if new.default is not None:
            raise StatementFailure(
                "WRONG_COLUMN_DEFAULTS_FOR_DELTA_ALTER_TABLE_ADD_COLUMN_NOT_SUPPORTED",
                "a new column has no DEFAULT",
            )
        if new.required:
            raise StatementFailure("DELTA_OPERATION_NOT_ALLOWED", "a new column cannot be NOT NULL")
        if action.name.lower() in map(str.lower, after.column_names):
            raise StatementFailure("FIELD_ALREADY_EXISTS", f"there is a column {action.name}")
        after, place = after.with_place(action.name, parse_type(new.type))
        schema = _moved((*after.schema, place), place, action.args.get("position"), after)
        comments = dict(after.comments)
        if new.comment is not None:
            comments[place] = new.comment
        after = replace(after, schema=schema, comments=tuple(sorted(comments.items())))
    return AlterTable(source.text, table, "ADD COLUMNS", after)


def drop_columns(source: Source, actions: Sequence[exp.Expr]) -> Statement:
    """DROP COLUMN(S): needs column mapping; the values stay in the files, out of sight."""
    table = after = source.table
    for action in actions:
        refuse_extras(action, {"tables", "kind", "exists"})
    names = [column.name for action in actions for column in action.args["tables"]]
    if any(action.args.get("exists") for action in actions):
        own = {name.lower() for name in table.column_names}
        names = [name for name in names if name.lower() in own]
        if not names:
            return AlterTable(source.text, table, "DROP COLUMNS", table, metadata=False)
    places = [table.column(name).index for name in names]
    if not table.column_mapping:
        raise StatementFailure("DELTA_UNSUPPORTED_DROP_COLUMN", "needs column mapping")
    left = set(table.schema) - set(places)
    if not left:
        raise StatementFailure("DELTA_DROP_COLUMN_ON_SINGLE_FIELD_SCHEMA", "no column is left")
    if not left - table.partition_columns:
        raise UnsupportedSQL("dropping all columns but partition columns is not supported")
    for place in places:
        if place in table.partition_columns:
            raise StatementFailure("DELTA_UNSUPPORTED_DROP_PARTITION_COLUMN", "a partition column")
        if place in table.clustering:
            raise StatementFailure("DELTA_UNSUPPORTED_DROP_CLUSTERING_COLUMN", "it clusters")
        _check_dependents(table, place)
        after = replace(
            after,
            schema=tuple(p for p in after.schema if p != place),
            dropped=after.dropped | {place},
            not_null=after.not_null - {place},
            comments=tuple(pair for pair in after.comments if pair[0] != place),
            generated=tuple(pair for pair in after.generated if pair[0] != place),
            identities=tuple(pair for pair in after.identities if pair[0] != place),
            defaults=tuple(pair for pair in after.defaults if pair[0] != place),
        )
    return AlterTable(source.text, table, "DROP COLUMNS", after)


def rename_column(source: Source, actions: Sequence[exp.Expr]) -> Statement:
    """RENAME COLUMN: needs column mapping."""
    (action,) = actions
    refuse_extras(action, {"this", "to"})
    table, new = source.table, action.args["to"].name
    place = table.column(action.this.name).index
    if new.lower() in (table.names[p].lower() for p in table.schema):
        raise StatementFailure("FIELD_ALREADY_EXISTS", f"there is a column {new}")
    _check_dependents(table, place)
    if not table.column_mapping:
        raise StatementFailure("DELTA_UNSUPPORTED_RENAME_COLUMN", "needs column mapping")
    names = tuple(new if p == place else name for p, name in enumerate(table.names))
    return AlterTable(source.text, table, "RENAME COLUMN", replace(table, names=names))


def change_column(source: Source, actions: Sequence[exp.Expr]) -> Statement:
    """ALTER COLUMN: comment, type, default, or nullability."""
    (action,) = actions
    table = after = source.table
    place = table.column(action.this.name).index
    given = {name: value for name, value in action.args.items() if value is not None}
    match given:
        case {"dtype": exp.DataType() as kind}:
            refuse_extras(action, {"this", "dtype"})
            type_ = parse_type(kind.sql(dialect="spark"))
            if type_ == table.types[place]:
                return AlterTable(source.text, table, "CHANGE COLUMN", table, metadata=False)
            after = _retyped(table, place, type_)
        case {"comment": exp.Literal() as text}:
            comments = {**dict(table.comments), place: text.name}
            after = replace(table, comments=tuple(sorted(comments.items())))
        case {"default": exp.Expr() as value}:
            after = _with_default(table, place, value)
        case {"drop": True, "allow_null": True}:
            after = replace(table, not_null=table.not_null - {place})
        case {"drop": True}:
            after = _with_default(table, place, None)
        case {"allow_null": False}:
            if place not in table.not_null:
                raise StatementFailure(
                    "_LEGACY_ERROR_TEMP_2330", "a nullable column cannot be made NOT NULL"
                )
        case _:
            raise UnsupportedSQL(f"{source.body!r} is not supported")
    return AlterTable(source.text, table, "CHANGE COLUMN", after)


def move_column(source: Source, actions: Sequence[exp.Expr]) -> Statement:
    """ALTER COLUMN ... FIRST, or AFTER another one."""
    (action,) = actions
    table = source.table
    place = table.column(action.this.name).index
    schema = _moved(table.schema, place, action.args["position"], table)
    return AlterTable(source.text, table, "CHANGE COLUMN", replace(table, schema=schema))


def sync_identity(source: Source, actions: Sequence[exp.Expr]) -> Statement:
    """ALTER COLUMN ... SYNC IDENTITY: the high-water mark as the rows have it."""
    (action,) = actions
    table = source.table
    place = table.column(action.this.name).index
    if place not in dict(table.identities):
        raise StatementFailure(
            "DELTA_IDENTITY_COLUMNS_ALTER_NON_IDENTITY_COLUMN", "not an identity column"
        )
    return SyncIdentity(source.text, table, place)


def _with_default(table: Table, place: int, given: exp.Expr | None) -> Table:
    """The table with a value for rows that give none for a column; None takes it away."""
    defaults = {key: value for key, value in table.defaults if key != place}
    if given is not None:
        value = default_value(given, table.types[place])
        if "allowColumnDefaults" not in table.features:
            raise StatementFailure(
                "WRONG_COLUMN_DEFAULTS_FOR_DELTA_FEATURE_NOT_ENABLED", "the feature is not enabled"
            )
        if place in dict(table.generated) or place in dict(table.identities):
            raise UnsupportedSQL("a DEFAULT for a generated or identity column is not supported")
        defaults[place] = value
    return replace(table, defaults=tuple(sorted(defaults.items())))


def cluster_by(source: Source, actions: Sequence[exp.Expr]) -> Statement:
    """CLUSTER BY: a domain of metadata; on a plain table the feature comes with it."""
    (action,) = actions
    table = source.table
    none = not action.expressions
    names = [column.name for column in action.expressions]
    clustered = "clustering" in table.features
    own = {name.lower() for name in table.column_names}
    if missing := [name for name in names if name.lower() not in own]:
        raise InvalidScenario(
            f"unknown column {missing[0]!r} in table {table.name}",
            error_class="DELTA_COLUMN_NOT_FOUND_IN_SCHEMA",
        )
    if table.partitions:
        raise StatementFailure(
            "DELTA_ALTER_TABLE_CLUSTER_BY_ON_PARTITIONED_TABLE_NOT_ALLOWED", "it is partitioned"
        )
    if none and not clustered:
        return AlterTable(source.text, table, "CLUSTER BY", table, metadata=False)
    places = tuple(table.column(name).index for name in names)
    features = table.features | with_required({"clustering"})
    after = replace(table, clustering=places, features=features)
    domains = frozenset({CLUSTERING_DOMAIN})
    return AlterTable(source.text, table, "CLUSTER BY", after, not clustered, domains)


def _moved(
    schema: tuple[int, ...], place: int, position: exp.Expr | None, table: Table
) -> tuple[int, ...]:
    """The schema with one column put FIRST or AFTER another; as it is without a position."""
    if position is None:
        return schema
    others = [p for p in schema if p != place]
    if position.this is None:
        return (place, *others)
    other = table.column(position.this.name).index
    if other == place:
        return schema
    at = others.index(other) + 1
    return (*others[:at], place, *others[at:])


def _retyped(table: Table, place: int, type_: ColumnType) -> Table:
    """The table with one column of a wider type. Raises StatementFailure."""
    old = table.types[place]
    if not upcasts(old, type_):
        raise StatementFailure("NOT_SUPPORTED_CHANGE_COLUMN", f"{old} cannot become {type_}")
    if not widenable(old, type_) or table.declared("delta.enableTypeWidening") != "true":
        raise StatementFailure(
            "DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP", f"{old} does not become {type_} here"
        )
    if place in dict(table.generated):
        raise StatementFailure(
            "DELTA_GENERATED_COLUMNS_EXPR_TYPE_MISMATCH", "its expression is of another type"
        )
    if place in dict(table.identities):
        raise UnsupportedSQL("another type for an identity column is not supported")
    if place in dict(table.defaults):
        raise UnsupportedSQL("another type for a column with a DEFAULT is not supported")
    _check_dependents(table, place)
    types = tuple(type_ if p == place else own for p, own in enumerate(table.types))
    return replace(table, types=types)


def _check_dependents(table: Table, place: int) -> None:
    """Raises StatementFailure where a constraint or a generated column mentions the column."""
    if any(place in expressions.columns(condition) for _, condition, _ in table.checks):
        raise StatementFailure(
            "DELTA_CONSTRAINT_DEPENDENT_COLUMN_CHANGE", "a CHECK constraint mentions it"
        )
    if any(place in expressions.columns(expression) for _, expression in table.generated):
        raise StatementFailure(
            "DELTA_GENERATED_COLUMNS_DEPENDENT_COLUMN_CHANGE", "a generated column needs it"
        )
