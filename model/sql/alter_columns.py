"""The clauses of ALTER TABLE that are about columns."""

from __future__ import annotations

import re
from dataclasses import replace

from model import expressions
from model.errors import InvalidScenario, StatementFailure, UnsupportedSQL
from model.protocol import with_required
from model.sql.source import Source
from model.statements import Statement
from model.statements.alter import CLUSTERING_DOMAIN, AlterTable, SyncIdentity
from model.table import Table
from model.types import BIGINT, INT, ColumnType, parse_type

_NEW = re.compile(
    r"`?(?P<name>\w+)`?\s+(?P<type>\w+(\s*\([\d\s,]+\))?)(?P<required>\s+NOT\s+NULL)?"
    r"(\s+COMMENT\s+'(?P<comment>[^']*)')?(?P<position>\s+FIRST|\s+AFTER\s+`?\w+`?)?\s*",
    re.IGNORECASE,
)
_POSITION = re.compile(r"FIRST|AFTER\s+`?(?P<other>\w+)`?", re.IGNORECASE)
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
        if match["required"]:
            raise StatementFailure("DELTA_OPERATION_NOT_ALLOWED", "a new column cannot be NOT NULL")
        if match["name"].lower() in map(str.lower, after.column_names):
            raise StatementFailure("FIELD_ALREADY_EXISTS", f"there is a column {match['name']}")
        place = _free_place(after, match["name"], parse_type(match["type"]))
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
    elif match := re.fullmatch(r"COMMENT '([^']*)'", clause["change"].strip(), re.IGNORECASE):
        comments = {**dict(table.comments), place: match[1]}
        after = replace(table, comments=tuple(sorted(comments.items())))
    elif _POSITION.fullmatch(change):
        after = replace(table, schema=_moved(table.schema, place, change, table))
    else:
        raise UnsupportedSQL(f"ALTER COLUMN ... {change} is not supported")
    return AlterTable(source.text, table, "CHANGE COLUMN", after)


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


def _free_place(table: Table, name: str, type_: ColumnType) -> int:
    """The place that was kept for a column to come; every place serves one column only."""
    taken = table.dropped | set(table.schema)
    for place, known in enumerate(table.names):
        if place not in taken and known == name and table.types[place] == type_:
            return place
    raise InvalidScenario(f"rows have no place for column {name!r}")


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
    """The table with one column of a wider type; only int to bigint is known."""
    change = (table.types[place], type_)
    if change == (BIGINT, INT):
        raise StatementFailure("NOT_SUPPORTED_CHANGE_COLUMN", "bigint cannot become int")
    if change != (INT, BIGINT) or place in table.partition_columns:
        raise UnsupportedSQL(f"a change from {change[0]} to {change[1]} is not supported")
    if table.declared("delta.enableTypeWidening") != "true":
        raise StatementFailure(
            "DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP", "type widening is not enabled"
        )
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
