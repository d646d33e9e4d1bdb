"""CREATE [OR REPLACE] TABLE and REPLACE TABLE, where there is a table and where there is none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sqlglot import exp

from model.errors import StatementFailure, UnsupportedSQL
from model.expressions.simplification.shape import everywhere
from model.expressions.syntax import Column, Expression
from model.queries import Relation
from model.scenario import LEVEL_PROPERTY, TableSpec
from model.sql import dialect
from model.sql.declaration import declared_table
from model.sql.printer import printed
from model.sql.properties import properties_of
from model.sql.queries.relation import relation
from model.sql.source import Source, no_table, refuse_extras
from model.statements import CreateTable, InsertSelect, Refused, ReplaceTable, Statement
from model.statements.idempotent import Skipped
from model.tables.properties import checked_value
from model.tables.protocol import (
    READER_VERSION,
    WRITER_VERSION,
    check_versions,
    is_protocol_property,
)
from model.tables.table import DEFAULT_LEVEL, TABLE_COMMENT, UNSET_LEVEL, Table

_OPERATION_UNSUPPORTED = "UNSUPPORTED_FEATURE.TABLE_OPERATION"
_OPERATION_NOT_ALLOWED = "_LEGACY_ERROR_TEMP_0035"


@dataclass(frozen=True, slots=True)
class _Clauses:
    """The clauses behind the table's name; None for one that is not there."""

    columns: tuple[exp.ColumnDef, ...] | None = None
    provider: str | None = None
    partition_by: tuple[str, ...] | None = None
    cluster_by: tuple[str, ...] | None = None
    properties: Mapping[str, str] = field(default_factory=dict)
    comment: str | None = None
    select: exp.Expr | None = None


def create(source: Source) -> Statement:
    """CREATE [OR REPLACE] TABLE. An error that Spark raises becomes a statement that fails."""
    tree = source.tree()
    if not isinstance(tree, exp.Create) or tree.kind != "TABLE":
        raise UnsupportedSQL(f"{source.body!r}: {_SUPPORTED.format(source.target)}")
    refuse_extras(tree, {"this", "kind", "replace", "exists", "properties", "expression"})
    named = tree.this.this if isinstance(tree.this, exp.Schema) else tree.this
    refuse_extras(named, {"this"})
    table = source.check_name(named.name)
    verb = "CREATE OR REPLACE" if tree.args.get("replace") else "CREATE"
    verb = "REPLACE" if isinstance(tree, dialect.ReplaceTable) else verb
    exists = bool(tree.args.get("exists"))
    if table.absent:
        return _making(source, verb, exists, tree)
    if verb == "CREATE":
        if exists:
            return Skipped(source.text, table)
        if _clustered_elsewhere(tree):
            # Asked before the table's name is: only Delta's own catalog takes CLUSTER BY.
            return Refused(
                source.text,
                table,
                "CREATE TABLE",
                "UNSUPPORTED_PARTITION_TRANSFORM",
                "CLUSTER BY without USING delta",
            )
        return Refused(
            source.text, table, "CREATE TABLE", "TABLE_OR_VIEW_ALREADY_EXISTS", "there is a table"
        )
    if exists:
        raise UnsupportedSQL(f"{verb} TABLE IF NOT EXISTS is not supported")
    clauses = _clauses(source, tree)
    try:
        return _replacing(source, table, verb, clauses)
    except StatementFailure as error:
        return Refused(source.text, table, "REPLACE TABLE", error.error_class, str(error))


def _clustered_elsewhere(tree: exp.Create) -> bool:
    """Whether the statement asks for liquid clustering of a table that is not Delta's."""
    properties = tree.args.get("properties")
    clauses = () if properties is None else properties.expressions
    providers = [node.name.lower() for node in clauses if isinstance(node, exp.FileFormatProperty)]
    return providers != ["delta"] and any(isinstance(c, exp.ClusterProperty) for c in clauses)


def _making(source: Source, verb: str, unless: bool, tree: exp.Create) -> Statement:
    """The statement that makes the table, which is not there yet."""
    table = source.table
    if verb == "REPLACE":
        raise no_table(table.name)
    if unless and verb != "CREATE":
        raise UnsupportedSQL(f"{verb} TABLE IF NOT EXISTS is not supported")
    clauses = _clauses(source, tree)
    if (clauses.provider or "").lower() != "delta":
        raise UnsupportedSQL("only a table USING delta is made")
    if verb == "CREATE" and clauses.columns is None and clauses.select is None:
        raise UnsupportedSQL("a table without columns is not supported")
    for key, value in clauses.properties.items():
        # The engine refuses some of these with an error of no class.
        if key.lower() in (READER_VERSION.lower(), WRITER_VERSION.lower()):
            raise UnsupportedSQL(f"{key} in TBLPROPERTIES of a new table is not supported")
        if key == LEVEL_PROPERTY and value != DEFAULT_LEVEL:
            raise UnsupportedSQL(f"{key} of a new table must be {DEFAULT_LEVEL}")
    try:
        operation, after, query = _definition(source, table, verb, clauses)
    except StatementFailure as error:
        if error.error_class == "UNSUPPORTED_TABLE_CHANGE":
            raise UnsupportedSQL(str(error)) from error
        return Refused(source.text, table, "CREATE TABLE", error.error_class, str(error))
    replaces = verb != "CREATE"
    inserts = None if query is None else InsertSelect(source.text, after, query, after.schema)
    return CreateTable(source.text, table, operation, after, inserts, unless, replaces)


def _replacing(source: Source, table: Table, verb: str, clauses: _Clauses) -> ReplaceTable:
    operation, after, query = _definition(source, table, verb, clauses)
    if query is None:
        return ReplaceTable(source.text, table, operation, after)
    # The statement takes no part of the new definition from the table but the columns.
    free = replace(after, partitions=(), not_null=frozenset())
    inserts = InsertSelect(source.text, table, query, after.schema, (), free)
    return ReplaceTable(source.text, table, operation, after, inserts)


def _definition(
    source: Source, table: Table, verb: str, clauses: _Clauses
) -> tuple[str, Table, Relation | None]:
    """The operation, the new definition, and what AS SELECT selects, None without it."""
    if clauses.partition_by is not None and clauses.cluster_by is not None:
        raise StatementFailure(_OPERATION_NOT_ALLOWED, "it is partitioned or clustered, not both")
    if clauses.columns is not None and clauses.select is not None:
        raise StatementFailure(_OPERATION_NOT_ALLOWED, "AS SELECT gives the columns")
    if (clauses.provider or "").lower() != "delta":
        raise StatementFailure(_OPERATION_UNSUPPORTED, "only a table USING delta is replaced")
    if clauses.columns is None and clauses.select is None:
        raise StatementFailure("DELTA_SCHEMA_NOT_PROVIDED", "it has neither columns nor AS SELECT")
    operation = f"{verb} TABLE" + (" AS SELECT" if clauses.select is not None else "")
    if clauses.columns is not None:
        return operation, _after(table, clauses, _columns(clauses.columns)), None
    assert clauses.select is not None
    read = relation(clauses.select, source.tables, source.table.name)
    names = []
    for name in read.names:
        if name is None:
            raise UnsupportedSQL("every column of AS SELECT needs a name: AS ...")
        names.append(name)
    kinds = [str(type_) for type_ in read.relation.types]
    if "void" in kinds:
        raise UnsupportedSQL("a column of NULLs needs a type: CAST(NULL AS ...)")
    after = _after(table, clauses, list(zip(names, kinds, strict=True)))
    return operation, after, read.relation


_SUPPORTED = (
    "only CREATE OR REPLACE TABLE {0} [(columns)] USING delta [PARTITIONED BY (...) | "
    "CLUSTER BY (...)] [COMMENT '...'] [TBLPROPERTIES (...)] [AS SELECT ...] is supported"
)


def _clauses(source: Source, tree: exp.Create) -> _Clauses:
    """The clauses, in whatever order they come. Raises UnsupportedSQL."""
    read: dict[str, Any] = {}
    pairs: list[exp.Expr] = []
    properties = tree.args.get("properties")
    for node in () if properties is None else properties.expressions:
        if type(node) is exp.Property:
            pairs.append(node)
            continue
        key, value = _clause(source, node)
        if key in read:
            raise UnsupportedSQL(f"{key.replace('_', ' ').upper()} comes twice")
        read[key] = value
    if isinstance(tree.this, exp.Schema):
        read["columns"] = tuple(tree.this.expressions)
    return _Clauses(**read, properties=properties_of(pairs), select=tree.expression)


def _clause(source: Source, node: exp.Expr) -> tuple[str, Any]:
    """A clause other than TBLPROPERTIES: its field in ``_Clauses``, and the value there."""
    match node:
        case exp.FileFormatProperty():
            return "provider", node.name
        case exp.PartitionedByProperty(this=exp.Schema(expressions=columns)):
            return "partition_by", tuple(column.name for column in columns)
        case exp.ClusterProperty(expressions=[_, *_] as columns):
            return "cluster_by", tuple(column.name for column in columns)
        case exp.SchemaCommentProperty():
            return "comment", node.name
    shown = node.sql(dialect="spark")
    raise UnsupportedSQL(f"{shown!r}: {_SUPPORTED.format(source.target)}")


def _columns(given: Sequence[exp.Expr]) -> list[tuple[str, str]]:
    """Names and texts of the columns. Raises UnsupportedSQL."""
    columns = []
    for node in given:
        if not isinstance(node, exp.ColumnDef):
            raise UnsupportedSQL(f"{node.sql(dialect='spark')!r} is not supported among columns")
        columns.append((node.name, printed(node).split(None, 1)[1]))
    return columns


def _check(table: Table, clauses: _Clauses, names: list[str]) -> None:
    """Raises StatementFailure as Spark does, in its order."""
    lowered = [name.lower() for name in names]
    if len(set(lowered)) < len(lowered):
        raise StatementFailure("COLUMN_ALREADY_EXISTS", "a column is given twice")
    for name in clauses.cluster_by or ():
        if name.lower() not in lowered:
            raise StatementFailure(
                "UNSUPPORTED_FEATURE.PARTITION_WITH_NESTED_COLUMN_IS_UNSUPPORTED",
                f"there is no column {name}",
            )
    for name in clauses.partition_by or ():
        if name.lower() not in lowered:
            raise StatementFailure("_LEGACY_ERROR_TEMP_3060", f"there is no column {name}")
    if clauses.partition_by and len(clauses.partition_by) == len(lowered):
        raise StatementFailure("ALL_PARTITION_COLUMNS_NOT_ALLOWED", "no column is left")
    if clauses.partition_by and "clustering" in table.features:
        raise StatementFailure(
            "DELTA_CLUSTERING_REPLACE_TABLE_WITH_PARTITIONED_TABLE", "the table is clustered"
        )


def _after(table: Table, clauses: _Clauses, columns: list[tuple[str, str]]) -> Table:
    """The new definition, its columns at places that the rows of the table have for them.

    A column keeps its place where its name and type stay.
    """
    _check(table, clauses, [name for name, _ in columns])
    for key, value in clauses.properties.items():
        if not is_protocol_property(key):
            checked_value(key, value)
    check_versions(frozenset(), clauses.properties)
    spec = TableSpec(
        dict(columns), clauses.partition_by or (), clauses.cluster_by or (), clauses.properties
    )
    alone = declared_table(table.name, spec)
    places: list[int] = []
    roomy = table
    for name, type_ in zip(alone.names, alone.types, strict=True):
        same = [p for p in table.schema if (table.names[p], table.types[p]) == (name, type_)]
        if same:
            places.append(same[0])
            continue
        roomy, place = roomy.with_place(name, type_, taken=places)
        places.append(place)

    def moved(part: Expression) -> Expression:
        return replace(part, index=places[part.index]) if isinstance(part, Column) else part

    comments = {places[place]: text for place, text in alone.comments}
    if clauses.comment is not None:
        comments[TABLE_COMMENT] = clauses.comment
    after = replace(
        alone,
        names=roomy.names,
        types=roomy.types,
        schema=tuple(places),
        partitions=tuple(places[place] for place in alone.partitions),
        clustering=tuple(places[place] for place in alone.clustering),
        not_null=frozenset(places[place] for place in alone.not_null),
        generated=tuple((places[p], everywhere(e, moved)) for p, e in alone.generated),
        identities=tuple((places[p], identity) for p, identity in alone.identities),
        comments=tuple(sorted(comments.items())),
        defaults=tuple((places[place], value) for place, value in alone.defaults),
        features=table.features | alone.features,
        dropped=table.dropped,
    )
    level = clauses.properties.get(LEVEL_PROPERTY, UNSET_LEVEL)
    return after.with_properties({LEVEL_PROPERTY: level})
