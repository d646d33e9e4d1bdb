"""CREATE [OR REPLACE] TABLE and REPLACE TABLE, where there is a table and where there is none."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from model.errors import InvalidScenario, StatementFailure, UnsupportedSQL
from model.expressions.simplification.shape import everywhere
from model.expressions.syntax import Column, Expression
from model.queries import Relation
from model.scenario import LEVEL_PROPERTY, TableSpec
from model.sql.declaration import declared_table
from model.sql.dialect import parse_expression
from model.sql.queries.relation import relation
from model.sql.source import Source, no_table
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

_HEAD = re.compile(
    r"\s*(?P<verb>CREATE\s+OR\s+REPLACE|REPLACE|CREATE)\s+TABLE\s+"
    r"(?P<exists>IF\s+NOT\s+EXISTS\s+)?(?P<table>[^\s(]+)\s*",
    re.IGNORECASE,
)
_USING = re.compile(r"USING\s+(?P<provider>\w+)\s*", re.IGNORECASE)
_LIST = re.compile(r"(?P<kind>PARTITIONED\s+BY|CLUSTER\s+BY|TBLPROPERTIES)\s*(?=\()", re.IGNORECASE)
_COMMENT = re.compile(r"COMMENT\s+'(?P<text>[^']*)'\s*", re.IGNORECASE)
_SELECT = re.compile(
    r"AS\s+(?P<select>\(?\s*(SELECT|WITH|VALUES|TABLE)\b.+)", re.IGNORECASE | re.DOTALL
)
_COLUMN = re.compile(r"\s*`?(?P<name>\w+)`?\s+(?P<type>.+?)\s*", re.DOTALL)
_PAIR = re.compile(r"\s*'(?P<key>[^']+)'\s*=\s*'(?P<value>[^']*)'\s*")

_OPERATION_UNSUPPORTED = "UNSUPPORTED_FEATURE.TABLE_OPERATION"
_OPERATION_NOT_ALLOWED = "_LEGACY_ERROR_TEMP_0035"


@dataclass(frozen=True, slots=True)
class _Clauses:
    """What stands behind the table's name; None for a clause that is not there."""

    columns: str | None
    provider: str | None
    partition_by: tuple[str, ...] | None
    cluster_by: tuple[str, ...] | None
    properties: Mapping[str, str]
    comment: str | None
    select: str | None


def create(source: Source) -> Statement:
    """CREATE [OR REPLACE] TABLE. What Spark refuses becomes a statement that fails."""
    head = _HEAD.match(source.body)
    if head is None:
        raise UnsupportedSQL(f"{source.body!r} is not supported")
    table = source.check_name(head["table"])
    verb = " ".join(head["verb"].upper().split())
    if table.absent:
        return _making(source, verb, bool(head["exists"]), source.body[head.end() :])
    if verb == "CREATE":
        if head["exists"]:
            return Skipped(source.text, table)
        return Refused(
            source.text, table, "CREATE TABLE", "TABLE_OR_VIEW_ALREADY_EXISTS", "there is a table"
        )
    if head["exists"]:
        raise UnsupportedSQL(f"{verb} TABLE IF NOT EXISTS is not supported")
    clauses = _clauses(source, source.body[head.end() :])
    try:
        return _replacing(source, table, verb, clauses)
    except StatementFailure as error:
        return Refused(source.text, table, "REPLACE TABLE", error.error_class, str(error))


def _making(source: Source, verb: str, unless: bool, rest: str) -> Statement:
    """The statement that makes the table, which is not there yet."""
    table = source.table
    if verb == "REPLACE":
        raise no_table(table.name)
    if unless and verb != "CREATE":
        raise UnsupportedSQL(f"{verb} TABLE IF NOT EXISTS is not supported")
    clauses = _clauses(source, rest)
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
        return operation, _after(table, clauses, list(_columns(clauses.columns))), None
    read = relation(parse_expression(clauses.select or ""), source.tables)
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


def _clauses(source: Source, rest: str) -> _Clauses:
    """The clauses in whatever order. Raises UnsupportedSQL."""
    found: dict[str, str] = {}
    if rest.startswith("("):
        found["COLUMNS"], rest = _parenthesis(rest)
    while rest:
        kind, text, rest = _clause(source, rest)
        if kind in found:
            raise UnsupportedSQL(f"{kind} comes twice")
        found[kind] = text
    return _Clauses(
        found.get("COLUMNS"),
        found.get("USING"),
        _names(found.get("PARTITIONED BY")),
        _names(found.get("CLUSTER BY")),
        _properties(found.get("TBLPROPERTIES")),
        found.get("COMMENT"),
        found.get("AS"),
    )


def _clause(source: Source, rest: str) -> tuple[str, str, str]:
    """The clause that a text begins with: its words, what it says, and what follows it."""
    if match := _USING.match(rest):
        return "USING", match["provider"], rest[match.end() :]
    if match := _LIST.match(rest):
        inner, after = _parenthesis(rest[match.end() :])
        return " ".join(match["kind"].upper().split()), inner, after
    if match := _COMMENT.match(rest):
        return "COMMENT", match["text"], rest[match.end() :]
    if match := _SELECT.fullmatch(rest):
        return "AS", match["select"], ""
    raise UnsupportedSQL(
        f"{rest!r}: only CREATE OR REPLACE TABLE {source.target} [(columns)] USING delta "
        "[PARTITIONED BY (...) | CLUSTER BY (...)] [COMMENT '...'] "
        "[TBLPROPERTIES (...)] [AS SELECT ...] is supported"
    )


def _depths(text: str) -> Iterator[tuple[int, str, int]]:
    """Each character outside of quotes, its place before it and the parentheses open behind it."""
    depth, quoted = 0, False
    for place, character in enumerate(text):
        if character == "'":
            quoted = not quoted
        elif not quoted:
            depth += {"(": 1, ")": -1}.get(character, 0)
            yield place, character, depth


def _parenthesis(text: str) -> tuple[str, str]:
    """What the parenthesis that a text begins with encloses, and what follows it."""
    for place, _, depth in _depths(text):
        if depth == 0:
            return text[1:place], text[place + 1 :].lstrip()
    raise InvalidScenario("a parenthesis is not closed", error_class="PARSE_SYNTAX_ERROR")


def _names(text: str | None) -> tuple[str, ...] | None:
    return None if text is None else tuple(part.strip().strip("`") for part in text.split(","))


def _properties(text: str | None) -> dict[str, str]:
    properties: dict[str, str] = {}
    for part in text.split(",") if text else ():
        pair = _PAIR.fullmatch(part)
        if pair is None:
            raise UnsupportedSQL(f"{part.strip()!r} is no property")
        properties[pair["key"]] = pair["value"]
    return properties


def _columns(text: str) -> Iterator[tuple[str, str]]:
    for part in _at_commas(text):
        match = _COLUMN.fullmatch(part)
        if match is None:
            raise UnsupportedSQL(f"{part.strip()!r} is no column")
        yield match["name"], match["type"]


def _at_commas(text: str) -> Iterator[str]:
    """The parts between commas that no parenthesis and no quote encloses."""
    start = 0
    for place, character, depth in _depths(text):
        if character == "," and depth == 0:
            yield text[start:place]
            start = place + 1
    yield text[start:]


def _check(table: Table, clauses: _Clauses, names: list[str]) -> None:
    """Raises StatementFailure as Spark does, in its order."""
    known = [name.lower() for name in names]
    if len(set(known)) < len(known):
        raise StatementFailure("COLUMN_ALREADY_EXISTS", "a column is given twice")
    for name in clauses.cluster_by or ():
        if name.lower() not in known:
            raise StatementFailure(
                "UNSUPPORTED_FEATURE.PARTITION_WITH_NESTED_COLUMN_IS_UNSUPPORTED",
                f"there is no column {name}",
            )
    for name in clauses.partition_by or ():
        if name.lower() not in known:
            raise StatementFailure("_LEGACY_ERROR_TEMP_3060", f"there is no column {name}")
    if clauses.partition_by and len(clauses.partition_by) == len(known):
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
