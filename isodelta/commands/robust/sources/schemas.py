"""Definitions of tables: from CREATE TABLE, from a table's log, and from dbt's catalog."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sqlglot import exp

from isodelta.commands.robust.sources.statements import Name, Statement, name_of
from isodelta.exits import BadInput
from model.errors import InvalidScenario, ModelError
from model.scenario import TableSpec
from model.sql import declared_table
from model.values.types import parse_type

KEPT_PROPERTIES = frozenset(
    {"delta.isolationLevel", "delta.enableDeletionVectors", "delta.appendOnly"}
)
"""The properties of a table that make a difference to an answer."""

_NEAREST = {
    **dict.fromkeys(("tinyint", "smallint", "byte", "short"), "int"),
    **dict.fromkeys(("float", "real"), "double"),
    **dict.fromkeys(("timestamp_ntz", "timestamp_ltz", "datetime"), "timestamp"),
    **dict.fromkeys(("decimal", "dec", "numeric"), "decimal(10,0)"),
    **dict.fromkeys(("bool",), "boolean"),
    **dict.fromkeys(("text", "binary", "void", "variant", "uuid"), "string"),
}
"""The nearest type of the model for types that it does not have; all others are strings."""


@dataclass
class Definition:
    """The definition of a table, as far as it is known; ``origin`` is its source."""

    origin: str
    columns: dict[str, str] = field(default_factory=dict)
    partition_by: list[str] = field(default_factory=list)
    cluster_by: list[str] = field(default_factory=list)
    properties: dict[str, str] = field(default_factory=dict)
    narrowed: bool = False

    def spec(self, setup: Iterable[str] = ()) -> TableSpec:
        """The table in the model. Columns and properties that it rejects are simplified."""
        plain = {name: plain_type(text) for name, text in self.columns.items()}
        places = tuple(name for name in self.partition_by if name in plain)
        clustered = tuple(name for name in self.cluster_by if name in plain and not places)[:4]
        kept = {key: value for key, value in self.properties.items() if key in KEPT_PROPERTIES}
        for columns, cluster in (
            (self.columns, clustered),
            (plain, clustered),
            (plain, ()),
        ):
            spec = TableSpec(columns, places, cluster, kept, tuple(setup))
            try:
                declared_table("t", spec)
            except ModelError:
                continue
            return spec
        return TableSpec(plain, (), (), kept, tuple(setup))


def plain_type(text: str) -> str:
    """The model's type for a type of Spark, without constraints and other text after it."""
    match = re.match(r"\s*([A-Za-z_]+)\s*(\([^)]*\))?", text)
    if match is None:
        return "string"
    word, size = match[1].lower(), match[2] or ""
    for name in (f"{word}{size}".replace(" ", ""), word):
        try:
            modelled = parse_type(name)
        except InvalidScenario:
            continue
        if modelled.family != "opaque":
            return str(modelled)
    return _NEAREST.get(word, "string")


def safe(name: str) -> str:
    """The name of a column in the model: letters, digits and underscores."""
    made = re.sub(r"\W", "_", name)
    return f"_{made}" if made[:1].isdigit() else made or "_"


def created(statements: Iterable[Statement]) -> dict[Name, Definition]:
    """The definitions that CREATE TABLE and ALTER TABLE ADD COLUMN give."""
    definitions: dict[Name, Definition] = {}
    for statement in statements:
        tree = statement.tree
        if isinstance(tree, exp.Create) and isinstance(tree.this, exp.Schema):
            node = tree.this.this
            if isinstance(node, exp.Table) and statement.target is not None:
                made = _created(tree, f"{statement.file}, line {statement.line}")
                if made.columns:
                    definitions.setdefault(name_of(node), made)
    return definitions


def _created(tree: exp.Create, origin: str) -> Definition:
    made = Definition(origin)
    for node in tree.this.expressions:
        if isinstance(node, exp.ColumnDef) and node.args.get("kind") is not None:
            text = node.args["kind"].sql(dialect="spark")
            for constraint in node.args.get("constraints") or ():
                kind = constraint.args.get("kind")
                if isinstance(
                    kind,
                    exp.GeneratedAsIdentityColumnConstraint | exp.ComputedColumnConstraint,
                ):
                    text += f" {constraint.sql(dialect='spark')}"
            made.columns[safe(node.name)] = text
    partitioned = tree.find(exp.PartitionedByProperty)
    if partitioned is not None:
        for part in partitioned.this.expressions:
            made.partition_by.append(safe(part.name))
            if isinstance(part, exp.ColumnDef) and part.args.get("kind") is not None:
                kind = part.args["kind"].sql(dialect="spark")
                made.columns.setdefault(safe(part.name), kind)
    cluster = tree.find(exp.Cluster)
    if cluster is not None:
        made.cluster_by += [safe(part.name) for part in cluster.expressions]
    for node in tree.find_all(exp.Property):
        value = node.args.get("value")
        if type(node) is exp.Property and isinstance(value, exp.Expr):
            made.properties[node.name] = value.name
    made.partition_by = [
        next((c for c in made.columns if c.lower() == name.lower()), name)
        for name in made.partition_by
    ]
    made.cluster_by = [
        next((c for c in made.columns if c.lower() == name.lower()), name)
        for name in made.cluster_by
    ]
    return made


def from_log(path: str) -> Definition:
    """The definition of an existing Delta table. Raises BadInput."""
    from deltalake import DeltaTable
    from deltalake.exceptions import DeltaError, TableNotFoundError

    try:
        table = DeltaTable(path)
        fields, metadata = table.schema().fields, table.metadata()
    except (DeltaError, TableNotFoundError, OSError) as error:
        raise BadInput(f"{path}: not a Delta table that can be read: {error}") from error
    made = Definition(path)
    for column in fields:
        kind = column.type.type
        made.columns[safe(column.name)] = plain_type(kind) if isinstance(kind, str) else "string"
    made.partition_by = [safe(name) for name in metadata.partition_columns]
    made.properties = dict(metadata.configuration)
    return made


def from_dbt(file: Path) -> dict[Name, Definition]:
    """The definitions in dbt's ``catalog.json`` or ``manifest.json``. Raises BadInput."""
    try:
        nodes = json.loads(file.read_text(encoding="utf-8"))
        parts = {**nodes.get("nodes", {}), **nodes.get("sources", {})}
    except (OSError, json.JSONDecodeError, AttributeError) as error:
        raise BadInput(f"{file}: not a file of dbt's: {error}") from error
    definitions: dict[Name, Definition] = {}
    for node in parts.values():
        if not isinstance(node, Mapping):
            continue
        about = node.get("metadata", node)
        if not isinstance(about, Mapping):
            continue
        words = [about.get("database"), about.get("schema"), about.get("name")]
        name = Name(tuple(str(word).lower() for word in words if word))
        made = Definition(str(file))
        columns = node.get("columns")
        for column in columns.values() if isinstance(columns, Mapping) else ():
            kind = column.get("type") or column.get("data_type")
            if kind:
                made.columns[safe(str(column["name"]))] = str(kind)
        config = node.get("config")
        given = config.get("partition_by") if isinstance(config, Mapping) else None
        if given:
            made.partition_by = [given] if isinstance(given, str) else [str(g) for g in given]
        if made.columns and name.parts:
            definitions[name] = made
    return definitions
