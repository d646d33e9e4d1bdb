"""The tables of a scenario, made with delta-rs: creation, properties and column types."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from model.levels import SERIALIZABLE, SNAPSHOT_ISOLATION, WRITE_SERIALIZABLE
from model.scenario import LEVEL_PROPERTY, TableSpec
from model.tables.table import Table
from model.values.types import ColumnType

if TYPE_CHECKING:
    import pyarrow

_LEVELS = {
    SERIALIZABLE: "serializable",
    WRITE_SERIALIZABLE: "writeSerializable",
    SNAPSHOT_ISOLATION: "snapshotIsolation",
}
"""The levels as delta-rs spells them. It silently reads any other spelling as Serializable."""


def create(path: Path, table: Table, spec: TableSpec) -> None:
    """Creates an empty table at version 0. Raises what delta-rs raises."""
    from deltalake import DeltaTable

    DeltaTable.create(
        str(path),
        arrow_schema(table),
        partition_by=[table.names[index] for index in table.partitions],
        configuration=configuration(spec.properties),
    )


def configuration(properties: Mapping[str, str]) -> dict[str, str | None]:
    """A table's properties, with the isolation level as delta-rs spells it."""
    return {name: spelled(name, value) for name, value in properties.items()}


def spelled(name: str, value: str) -> str:
    """A property's value, in delta-rs's own spelling."""
    return _LEVELS.get(value, value) if name == LEVEL_PROPERTY else value


def arrow_schema(table: Table) -> pyarrow.Schema:
    """The table's columns as Arrow types."""
    import pyarrow

    return pyarrow.schema(
        [
            pyarrow.field(table.names[i], arrow_type(table.types[i]), i not in table.not_null)
            for i in table.schema
        ]
    )


def arrow_type(kind: ColumnType) -> pyarrow.DataType:
    """A column's type as an Arrow type; for a bare NULL any type will do."""
    import pyarrow

    if kind.family == "null":
        return pyarrow.int32()

    if kind.precision:
        return pyarrow.decimal128(kind.precision, kind.scale)
    simple = {
        "int": pyarrow.int32(),
        "bigint": pyarrow.int64(),
        "double": pyarrow.float64(),
        "string": pyarrow.string(),
        "boolean": pyarrow.bool_(),
        "date": pyarrow.date32(),
        "timestamp": pyarrow.timestamp("us", tz="UTC"),
    }
    return simple[kind.name]
