"""CREATE OR REPLACE TABLE and REPLACE TABLE; CREATE TABLE, which finds that the table exists."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from model.errors import InvalidScenario, UnsupportedSQL
from model.protocol import is_protocol_property
from model.scenario import LEVEL_PROPERTY, TableSpec
from model.sql.declaration import declared_table
from model.sql.relation import relation
from model.sql.source import Source, invalid_sql
from model.statements import InsertSelect, Refused, ReplaceTable, Statement
from model.statements.idempotent import Skipped
from model.table import UNSET_LEVEL, Table
from model.types import ColumnType, parse_type

_CREATE = re.compile(
    r"\s*(?P<verb>CREATE\s+OR\s+REPLACE|REPLACE|CREATE)\s+TABLE\s+"
    r"(?P<exists>IF\s+NOT\s+EXISTS\s+)?(?P<table>[^\s(]+)\s*"
    r"(\((?P<columns>[^()]*(\([^()]*\)[^()]*)*)\)\s*)?"
    r"USING\s+delta"
    r"(?P<clauses>(\s+(PARTITIONED\s+BY|TBLPROPERTIES)\s*\([^()]*\))*)"
    r"(\s+AS\s+(?P<select>\(?\s*(SELECT|WITH|VALUES|TABLE)\b.+))?\s*;?\s*",
    re.IGNORECASE | re.DOTALL,
)
_CLAUSE = re.compile(r"(?P<kind>PARTITIONED|TBLPROPERTIES)[^(]*\((?P<inner>[^()]*)\)", re.I)
_COLUMN = re.compile(r"\s*`?(?P<name>\w+)`?\s+(?P<type>.+?)\s*", re.DOTALL)
_PAIR = re.compile(r"\s*'(?P<key>[^']+)'\s*=\s*'(?P<value>[^']*)'\s*")


def create(source: Source) -> Statement:
    """CREATE [OR REPLACE] TABLE."""
    match = _CREATE.fullmatch(source.body)
    if match is None:
        raise UnsupportedSQL(
            f"{source.body!r}: only CREATE OR REPLACE TABLE {source.target} [(columns)] "
            "USING delta [PARTITIONED BY (...)] [TBLPROPERTIES (...)] [AS SELECT ...] is supported"
        )
    table = source.check_target(match["table"])
    verb = " ".join(match["verb"].upper().split())
    if verb == "CREATE":
        if match["exists"]:
            return Skipped(source.text, table)
        return Refused(
            source.text, table, "CREATE TABLE", "TABLE_OR_VIEW_ALREADY_EXISTS", "there is a table"
        )
    if (match["columns"] is None) == (match["select"] is None) or match["exists"]:
        raise UnsupportedSQL(f"{verb} TABLE takes either columns or AS SELECT")
    operation = f"{verb} TABLE" + (" AS SELECT" if match["select"] else "")
    partition_by, properties = _clauses(match["clauses"])
    if match["select"] is None:
        spec = TableSpec(dict(_columns(match["columns"])), partition_by, (), properties)
        return ReplaceTable(source.text, table, operation, _after(table, spec))
    try:
        tree: exp.Expr = sqlglot.parse_one(match["select"], dialect="spark")
    except SqlglotError as error:
        raise invalid_sql(error) from error
    read = relation(tree, source.tables)
    names = read.names
    types = [str(type_) for type_ in read.relation.types]
    spec = TableSpec(dict(zip(names, types, strict=True)), partition_by, (), properties)
    after = _after(table, spec)
    # The rows are computed over the table as it was, whose constraints do not bind them.
    free = replace(table, not_null=frozenset(), checks=(), generated=(), identities=())
    inserts = InsertSelect(source.text, free, read.relation, after.schema)
    return ReplaceTable(source.text, table, operation, after, inserts)


def replaced_columns(text: str) -> Iterator[tuple[str, ColumnType]]:
    """The columns that a statement declares anew, so that rows have a place for them."""
    match = _CREATE.fullmatch(text)
    if match is not None and match["columns"] is not None and match["verb"].upper() != "CREATE":
        for name, type_ in _columns(match["columns"]):
            yield name, parse_type(re.sub(r"\s+NOT\s+NULL", "", type_, flags=re.IGNORECASE))


def _columns(text: str) -> Iterator[tuple[str, str]]:
    for part in re.split(r",(?![^(]*\))", text):
        match = _COLUMN.fullmatch(part)
        if match is None:
            raise UnsupportedSQL(f"{part.strip()!r} is no column")
        yield match["name"], match["type"]


def _clauses(text: str) -> tuple[tuple[str, ...], dict[str, str]]:
    """The partition columns and the properties."""
    partition_by: tuple[str, ...] = ()
    properties: dict[str, str] = {}
    for clause in _CLAUSE.finditer(text):
        parts = clause["inner"].split(",")
        if clause["kind"].upper() == "PARTITIONED":
            partition_by = tuple(part.strip().strip("`") for part in parts)
            continue
        for part in parts:
            pair = _PAIR.fullmatch(part)
            if pair is None:
                raise UnsupportedSQL(f"{part.strip()!r} is no property")
            properties[pair["key"]] = pair["value"]
    return partition_by, properties


def _after(table: Table, spec: TableSpec) -> Table:
    """The new definition, its columns at places that the rows of the table have for them."""
    for key in spec.properties:
        if is_protocol_property(key):
            raise UnsupportedSQL(f"{key} in TBLPROPERTIES of CREATE is not supported here")
    level = spec.properties.get(LEVEL_PROPERTY, UNSET_LEVEL)
    alone = declared_table(table.name, spec)
    if alone.generated or alone.identities:
        raise UnsupportedSQL("generated and identity columns are not supported here")
    order = [*table.schema, *(p for p in range(len(table.names)) if p not in table.schema)]
    places = []
    for name, type_ in zip(alone.names, alone.types, strict=True):
        for place in order:
            if (table.names[place].lower(), table.types[place]) == (name.lower(), type_):
                places.append(place)
                break
        else:
            raise UnsupportedSQL(
                f"column {name!r} of type {type_}: AS SELECT keeps names and types of columns"
            )
    if len(set(places)) < len(places):
        raise InvalidScenario("a column is given twice")
    after = replace(
        alone,
        names=table.names,
        types=table.types,
        schema=tuple(places),
        partitions=tuple(places[place] for place in alone.partitions),
        not_null=frozenset(places[place] for place in alone.not_null),
        features=table.features | alone.features,
        dropped=table.dropped,
    )
    return after.with_properties({LEVEL_PROPERTY: level})
