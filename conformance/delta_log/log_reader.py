"""A reader of a Delta table's files: the log's JSON, and Parquet through pyarrow.

No engine takes part, so observations do not depend on the engine under test; and a read costs
milliseconds, where one through Spark costs half a second. Format: the Delta transaction
log protocol (add, remove, metaData, commitInfo actions; partition values as strings).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Context, Decimal
from functools import cached_property
from pathlib import Path
from typing import Any, cast
from urllib.parse import unquote

from conformance.delta_log.deletion_vectors import deleted_rows, relative_path
from conformance.engine import AddedFile, CommitRecord, RemovedFile
from model.history import Row, Value
from model.values.doubles import canonical

_EXACT = Context(prec=80)


class UnreadableTable(Exception):
    """The folder is not a Delta table, or uses a part of the format that is not supported."""


@dataclass(frozen=True, slots=True)
class Column:
    """A top-level column: its name, its name in the data files, and its Spark type."""

    name: str
    stored_name: str
    type: str


@dataclass(frozen=True)
class Schema:
    """Columns in the table's order, and the names of the partition columns."""

    columns: tuple[Column, ...]
    partition_by: tuple[str, ...]

    @classmethod
    def of(cls, metadata: Mapping[str, Any]) -> Schema:
        """The schema that a ``metaData`` action declares; raises UnreadableTable if nested."""
        columns = []
        for column in json.loads(metadata["schemaString"])["fields"]:
            if not isinstance(column["type"], str):
                raise UnreadableTable(f"column {column['name']} has a nested type")
            stored = column["metadata"].get("delta.columnMapping.physicalName", column["name"])
            columns.append(Column(column["name"], stored, column["type"]))
        return cls(tuple(columns), tuple(metadata.get("partitionColumns") or ()))

    @cached_property
    def stored(self) -> tuple[Column, ...]:
        """The columns whose values are in the data files."""
        return tuple(c for c in self.columns if c.name not in self.partition_by)


def partition_value(text: str | None, spark_type: str) -> Value:
    """The typed value of a partition value as the log spells it; empty text is NULL.

    Raises UnreadableTable for a type that is not supported.
    """
    if text is None or text == "":
        return None
    if spark_type in ("byte", "short", "integer", "long"):
        return int(text)
    if spark_type in ("float", "double"):
        return cast(Value, canonical(float(text)))
    if spark_type == "boolean":
        return text == "true"
    if spark_type == "date":
        return date.fromisoformat(text)
    if spark_type in ("timestamp", "timestamp_ntz"):
        return _plain_utc(datetime.fromisoformat(text))
    if spark_type.startswith("decimal"):
        return _as_read(Decimal(text), spark_type)
    if spark_type == "string":
        return text
    raise UnreadableTable(f"partition values of type {spark_type} are not supported")


def _as_read(value: Value, spark_type: str) -> Value:
    """A number from a file older than its column's type, as a reader of the table sees it.

    Format: the Delta transaction log protocol, "Type Widening".
    """
    if not isinstance(value, int | Decimal) or isinstance(value, bool):
        return _plain_utc(value)
    if spark_type == "double":
        return float(value)
    if not spark_type.startswith("decimal"):
        return value
    scale = int(spark_type.rstrip(")").split(",")[1])
    return Decimal(value).quantize(Decimal(1).scaleb(-scale), context=_EXACT)


def _plain_utc(value: Value) -> Value:
    """A timestamp as the naive UTC time that the sessions of a replay use."""
    if isinstance(value, datetime) and value.tzinfo is not None:
        return value.astimezone(UTC).replace(tzinfo=None)
    return value


class LogReader:
    """One table folder. Commits and data files never change once written, so both are cached.

    ``commits`` may be called again after the table has grown; only new versions are read. With
    ``may_be_absent`` a folder without a version 0 is a table that does not exist yet, at version
    -1; without it, such a folder is an error.
    """

    def __init__(self, folder: Path, *, may_be_absent: bool = False):
        self.folder = folder
        self._may_be_absent = may_be_absent
        self._log = folder / "_delta_log"
        self._commits: list[CommitRecord] = []
        self._file_rows: dict[str, tuple[tuple[Value, ...], ...]] = {}

    def commits(self) -> tuple[CommitRecord, ...]:
        """All versions, oldest first; raises UnreadableTable if version 0 is missing."""
        while (path := self._entry(len(self._commits))).exists():
            self._commits.append(parse_commit(len(self._commits), path.read_text("utf-8")))
        if not self._commits and not self._may_be_absent:
            raise UnreadableTable(f"{self.folder} has no version 0 in its log")
        return tuple(self._commits)

    def version(self) -> int:
        """The newest version; -1 if there is no table yet."""
        return len(self.commits()) - 1

    def schema(self, version: int | None = None) -> Schema:
        """The schema in force at a version."""
        metadata = None
        for record in self._until(version):
            metadata = record.metadata or metadata
        if metadata is None:
            raise UnreadableTable(f"{self.folder} has no metaData action")
        return Schema.of(metadata)

    def files(self, version: int | None = None) -> tuple[AddedFile, ...]:
        """The data files of a version, each with its deletion vector at that time."""
        active: dict[tuple[str, str | None], AddedFile] = {}
        for record in self._until(version):
            for removed in record.removes:
                active.pop((removed.path, vector_id(removed.deletion_vector)), None)
            for added in record.adds:
                active[(added.path, vector_id(added.deletion_vector))] = added
        return tuple(active.values())

    def rows(self, version: int | None = None) -> tuple[Row, ...]:
        """The rows of a version without deleted ones, file by file in the log's order.

        Rows of files that a VACUUM has deleted are missing.
        """
        if not self.commits():
            return ()
        schema, lost = self.schema(version), self.lost(version)
        return tuple(
            row
            for file in self.files(version)
            if file.path not in lost
            for row in self.rows_of(file, schema)
        )

    def lost(self, version: int | None = None) -> frozenset[str]:
        """The paths of a version's data files that a VACUUM has deleted."""
        if not any(record.operation == "VACUUM END" for record in self.commits()):
            return frozenset()
        return frozenset(file.path for file in self.files(version) if not self._readable(file))

    def _readable(self, file: AddedFile) -> bool:
        """True if a file exists, and its deletion vector, if that is a file."""
        if not self._data_file(file.path).exists():
            return False
        vector = file.deletion_vector
        if vector is None or vector["storageType"] != "u":
            return True
        return (self.folder / relative_path(str(vector["pathOrInlineDv"]))).exists()

    def rows_of(self, file: AddedFile, schema: Schema | None = None) -> Iterator[Row]:
        """The rows of a file without those that its deletion vector takes out."""
        schema = schema or self.schema()
        fixed = {
            c.name: partition_value(file.partition_values.get(c.stored_name), c.type)
            for c in schema.columns
            if c.name in schema.partition_by
        }
        place = {c.name: index for index, c in enumerate(schema.stored)}
        deleted = deleted_rows(file.deletion_vector, self.folder) if file.deletion_vector else ()
        return (
            tuple(fixed[c.name] if c.name in fixed else row[place[c.name]] for c in schema.columns)
            for position, row in enumerate(self._stored(file.path, schema))
            if position not in deleted
        )

    def file_rows(self, path: str, version: int | None = None) -> tuple[Row, ...]:
        """The rows of a data file as the newest commit up to a version added it.

        Empty for a file that was deleted before it was first read.
        """
        lost = self.lost()
        for record in reversed(self._until(version)):
            for added in record.adds:
                if added.path == path:
                    if path in lost:
                        return ()
                    return tuple(self.rows_of(added, self.schema(version)))
        raise UnreadableTable(f"no commit of {self.folder} adds {path}")

    def _stored(self, path: str, schema: Schema) -> tuple[tuple[Value, ...], ...]:
        import pyarrow.parquet as parquet

        names = tuple(c.stored_name for c in schema.stored)
        key = "\0".join((path, *names, *(c.type for c in schema.stored)))
        if key not in self._file_rows:
            data = self._data_file(path)
            with parquet.ParquetFile(data, coerce_int96_timestamp_unit="us") as file:
                present = set(file.schema_arrow.names)
                table = file.read(columns=[n for n in names if n in present])
            count = table.num_rows
            values = [
                [
                    _as_read(_plain_utc(_microseconds(v)), c.type)
                    for v in table.column(n).to_pylist()
                ]
                if n in present
                else [None] * count
                for n, c in zip(names, schema.stored, strict=True)
            ]
            rows = tuple(zip(*values, strict=True)) if names else ((),) * count
            self._file_rows[key] = rows
        return self._file_rows[key]

    def _data_file(self, path: str) -> Path:
        return self.folder / unquote(path)

    def _entry(self, version: int) -> Path:
        return self._log / f"{version:020d}.json"

    def _until(self, version: int | None) -> tuple[CommitRecord, ...]:
        commits = self.commits()
        if version is None:
            return commits
        if not 0 <= version < len(commits):
            raise UnreadableTable(f"{self.folder} has no version {version}")
        return commits[: version + 1]


def _microseconds(value: Any) -> Value:
    """INT96 timestamps arrive with nanoseconds; SQL values have microseconds. NaN is one object."""
    if isinstance(value, float):
        return cast(Value, canonical(value))
    return cast(Value, value.to_pydatetime() if hasattr(value, "to_pydatetime") else value)


def vector_id(vector: Mapping[str, Any] | None) -> str | None:
    """The identity of a deletion vector of a file (protocol: the file's logical key)."""
    if vector is None:
        return None
    return f"{vector['storageType']}{vector['pathOrInlineDv']}@{vector.get('offset')}"


def parse_commit(version: int, text: str) -> CommitRecord:
    """One log entry: JSON actions, one per line."""
    actions = tuple(json.loads(line) for line in text.splitlines() if line.strip())

    def last(kind: str) -> dict[str, Any] | None:
        return next((a[kind] for a in reversed(actions) if kind in a), None)

    info = last("commitInfo") or {}
    return CommitRecord(
        version=version,
        adds=tuple(_added(a["add"]) for a in actions if "add" in a),
        removes=tuple(
            RemovedFile(r["path"], r.get("dataChange", True), r.get("deletionVector"))
            for r in (a["remove"] for a in actions if "remove" in a)
        ),
        metadata=last("metaData"),
        protocol=last("protocol"),
        operation=info.get("operation"),
        operation_parameters=info.get("operationParameters", {}),
        is_blind_append=info.get("isBlindAppend"),
        isolation_level=info.get("isolationLevel"),
        read_version=info.get("readVersion"),
        actions=actions,
    )


def _added(add: Mapping[str, Any]) -> AddedFile:
    return AddedFile(
        path=add["path"],
        partition_values=add.get("partitionValues", {}),
        size=add.get("size", 0),
        data_change=add.get("dataChange", True),
        stats=json.loads(add["stats"]) if add.get("stats") else None,
        deletion_vector=add.get("deletionVector"),
    )
