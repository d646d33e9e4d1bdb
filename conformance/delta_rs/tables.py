"""Makes the tables of a scenario with delta-rs: creation, level and set-up statements."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from model.scenario import TableSpec
from model.table import Table
from model.types import ColumnType

if TYPE_CHECKING:
    import pyarrow

LEVEL_PROPERTY = "delta.isolationLevel"

_LEVELS = {
    "Serializable": "serializable",
    "WriteSerializable": "writeSerializable",
    "SnapshotIsolation": "snapshotIsolation",
}
"""How delta-rs spells the levels. It takes any other spelling for Serializable without a word."""


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
    """A table's properties, the isolation level as delta-rs spells it."""
    return {
        name: _LEVELS.get(value, value) if name == LEVEL_PROPERTY else value
        for name, value in properties.items()
    }


def arrow_schema(table: Table) -> pyarrow.Schema:
    """The table's columns as Arrow types."""
    import pyarrow

    return pyarrow.schema(
        [(name, _arrow(kind)) for name, kind in zip(table.names, table.types, strict=True)]
    )


def _arrow(kind: ColumnType) -> pyarrow.DataType:
    import pyarrow

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
