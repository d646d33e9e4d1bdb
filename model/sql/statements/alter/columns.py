"""The clauses of ALTER TABLE that are about columns."""

from __future__ import annotations

import re
from dataclasses import replace

from model.errors import InvalidScenario, StatementFailure, UnsupportedSQL
from model.expressions import syntax as expressions
from model.sql.declaration import default_value
from model.sql.source import Source
from model.statements import Statement
from model.statements.alter.statement import CLUSTERING_DOMAIN, AlterTable, SyncIdentity
from model.tables.protocol import with_required
from model.tables.table import Table
from model.values.types import ColumnType, parse_type, upcasts, widenable

_NEW = re.compile(
    r"`?(?P<name>\w+)`?\s+(?P<type>\w+(\s*\([\d\s,]+\))?)(?P<required>\s+NOT\s+NULL)?"
    r"(\s+DEFAULT\s+(?P<default>\S+))?"
    r"(\s+COMMENT\s+'(?P<comment>[^']*)')?(?P<position>\s+FIRST|\s+AFTER\s+`?\w+`?)?\s*",
    re.IGNORECASE,
)
_POSITION = re.compile(r"FIRST|AFTER\s+`?(?P<other>\w+)`?", re.IGNORECASE)
_COMMENT = re.compile(r"COMMENT\s+('(?P<text>[^']*)'|\"(?P<other>[^\"]*)\")", re.IGNORECASE)
_DEFAULT = re.compile(r"(SET\s+DEFAULT\s+(?P<value>.+)|DROP\s+DEFAULT)", re.IGNORECASE | re.DOTALL)
_NAME = re.compile(r"`?(?P<name>\w+)`?")


def new_columns(text: str) -> tuple[re.Match[str], ...]:
    """The columns of ADD COLUMN(S), each taken apart. Raises UnsupportedSQL."""
    inner = text.strip()
    if inner.startswith("(") and inner.endswith(")"):
        inner = inner[1:-1]
    found = []
    for part in re.split(r",(?![^(]*\))", inner):
        match = _NEW.fullmatch(part.strip())
        if match is None:
            raise UnsupportedSQL(f"ADD COLUMN {part.strip()} is not supported")
        found.append(match)
    return tuple(found)


def add_columns(source: Source, clause: re.Match[str]) -> Statement:
    """ADD COLUMN(S): rows that there are have NULL in it."""
    table = after = source.table
    for match in new_columns(clause["columns"]):
        if match["default"] is not None:
            raise StatementFailure(
                "WRONG_COLUMN_DEFAULTS_FOR_DELTA_ALTER_TABLE_ADD_COLUMN_NOT_SUPPORTED",
                "a new column has no DEFAULT",
            )
        if match["required"]:
            raise StatementFailure("DELTA_OPERATION_NOT_ALLOWED", "a new column cannot be NOT NULL")
        if match["name"].lower() in map(str.lower, after.column_names):
            raise StatementFailure("FIELD_ALREADY_EXISTS", f"there is a column {match['name']}")
        after, place = after.with_place(match["name"], parse_type(match["type"]))
        schema = _moved((*after.schema, place), place, match["position"], after)
        comments = dict(after.comments)
        if match["comment"] is not None:
            comments[place] = match["comment"]
        after = replace(after, schema=schema, comments=tuple(sorted(comments.items())))
    return AlterTable(source.text, table, "ADD COLUMNS", after)


def drop_columns(source: Source, clause: re.Match[str]) -> Statement:
    """DROP COLUMN(S): needs column mapping; the values stay in the files, out of sight."""
    table = after = source.table
    names = _names(clause["columns"])
    if clause["exists"]:
        known = {name.lower() for name in table.column_names}
        names = [name for name in names if name.lower() in known]
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


def rename_column(source: Source, clause: re.Match[str]) -> Statement:
    """RENAME COLUMN: needs column mapping."""
    table = source.table
    place = table.column(clause["old"].strip("`")).index
    new = clause["new"].strip("`")
    if new.lower() in (table.names[p].lower() for p in table.schema):
        raise StatementFailure("FIELD_ALREADY_EXISTS", f"there is a column {new}")
    _check_dependents(table, place)
    if not table.column_mapping:
        raise StatementFailure("DELTA_UNSUPPORTED_RENAME_COLUMN", "needs column mapping")
    names = tuple(new if p == place else name for p, name in enumerate(table.names))
    return AlterTable(source.text, table, "RENAME COLUMN", replace(table, names=names))


def change_column(source: Source, clause: re.Match[str]) -> Statement:
    """ALTER COLUMN: comment, type, place, nullability, or an identity's high-water mark."""
    table = source.table
    place = table.column(clause["column"].strip("`")).index
    change = " ".join(clause["change"].split())
    upper = change.upper()
    after = table
    if upper == "SYNC IDENTITY":
        if place not in dict(table.identities):
            raise StatementFailure(
                "DELTA_IDENTITY_COLUMNS_ALTER_NON_IDENTITY_COLUMN", "no identity column"
            )
        return SyncIdentity(source.text, table, place)
    if upper == "DROP NOT NULL":
        after = replace(table, not_null=table.not_null - {place})
    elif upper == "SET NOT NULL":
        if place not in table.not_null:
            raise StatementFailure(
                "_LEGACY_ERROR_TEMP_2330", "a nullable column cannot be made NOT NULL"
            )
    elif upper.startswith("TYPE "):
        type_ = parse_type(change[5:])
        if type_ == table.types[place]:
            return AlterTable(source.text, table, "CHANGE COLUMN", table, metadata=False)
        after = _retyped(table, place, type_)
    elif match := _DEFAULT.fullmatch(clause["change"].strip()):
        after = _with_default(table, place, match["value"])
    elif match := _COMMENT.fullmatch(clause["change"].strip()):
        text = match["text"] if match["text"] is not None else match["other"]
        comments = {**dict(table.comments), place: text}
        after = replace(table, comments=tuple(sorted(comments.items())))
    elif _POSITION.fullmatch(change):
        after = replace(table, schema=_moved(table.schema, place, change, table))
    else:
        raise UnsupportedSQL(f"ALTER COLUMN ... {change} is not supported")
    return AlterTable(source.text, table, "CHANGE COLUMN", after)


def _with_default(table: Table, place: int, text: str | None) -> Table:
    """The table with a value for rows that give none for a column; None takes it away."""
    defaults = {key: value for key, value in table.defaults if key != place}
    if text is not None:
        value = default_value(text, table.types[place])
        if "allowColumnDefaults" not in table.features:
            raise StatementFailure(
                "WRONG_COLUMN_DEFAULTS_FOR_DELTA_FEATURE_NOT_ENABLED", "the feature is not enabled"
            )
        if place in dict(table.generated) or place in dict(table.identities):
            raise UnsupportedSQL("a DEFAULT for a generated or identity column is not supported")
        defaults[place] = value
    return replace(table, defaults=tuple(sorted(defaults.items())))


def cluster_by(source: Source, clause: re.Match[str]) -> Statement:
    """CLUSTER BY: a domain of metadata; on a plain table the feature comes with it."""
    table = source.table
    none = clause["columns"].upper() == "NONE"
    names = [] if none else _names(clause["columns"])
    clustered = "clustering" in table.features
    known = {name.lower() for name in table.column_names}
    if missing := [name for name in names if name.lower() not in known]:
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


def _names(text: str) -> list[str]:
    inner = text.strip()
    if inner.startswith("(") and inner.endswith(")"):
        inner = inner[1:-1]
    found = []
    for part in inner.split(","):
        match = _NAME.fullmatch(part.strip())
        if match is None:
            raise UnsupportedSQL(f"{part.strip()!r} is no column name")
        found.append(match["name"])
    return found


def _moved(
    schema: tuple[int, ...], place: int, position: str | None, table: Table
) -> tuple[int, ...]:
    """The schema with one column put FIRST or AFTER another; as it is without a position."""
    if position is None:
        return schema
    match = _POSITION.fullmatch(position.strip())
    assert match is not None
    others = [p for p in schema if p != place]
    if match["other"] is None:
        return (place, *others)
    other = table.column(match["other"]).index
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
    types = tuple(type_ if p == place else known for p, known in enumerate(table.types))
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
