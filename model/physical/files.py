"""Data files, the unit of the physical layer, with partition values and column statistics."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from model.history import Row, RowId, Value
from model.tables.invariants import enforce
from model.tables.table import Table
from model.values.doubles import largest, smallest
from model.values.unknown import any_unknown


@dataclass(frozen=True, slots=True)
class StoredRow:
    """A row version as a file holds it.

    ``row`` is the row's identity through its updates; ``writer`` names the transaction that
    wrote this version of it. A rewrite that copies a row keeps both.
    """

    row: RowId
    writer: str
    values: Row


@dataclass(frozen=True, slots=True)
class ColumnStatistics:
    """Smallest and largest value (None where all are NULL) and the number of NULLs."""

    minimum: Any
    maximum: Any
    nulls: int


@dataclass(frozen=True, slots=True)
class Cube:
    """The run of OPTIMIZE that clustered a file: its writer, and the places it clustered by."""

    writer: str
    columns: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class DataFile:
    """One data file as of one version: the rows that are left, and statistics of those written.

    ``partition`` has the partition values in the order of the table's partition columns.
    ``rows`` are the rows that are left, ``records`` is the number of rows that were written, and
    ``statistics`` describe the rows that were written: a deletion vector removes rows and leaves
    the bounds as they are (the log's ``tightBounds: false``). ``vector`` names the deletion
    vector, None if there is none. A path may reappear with another vector; path and vector
    together, the ``key``, identify the file in the log and are unique within a history.
    ``schema`` has the places of the columns that the file was written with, ``indexed`` the
    places among them that have statistics; ``cube`` is the OPTIMIZE run that clustered it.
    """

    path: str
    partition: tuple[Value, ...]
    rows: tuple[StoredRow, ...]
    statistics: tuple[ColumnStatistics, ...] = field(repr=False)
    records: int
    schema: tuple[int, ...]
    indexed: frozenset[int] = field(repr=False)
    vector: str | None = None
    cube: Cube | None = None

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def key(self) -> str:
        """The file's identity in the log: its path and its deletion vector."""
        return self.path if self.vector is None else f"{self.path} without {self.vector}"

    @property
    def storage(self) -> tuple[str, ...]:
        """The stored objects that reading the file needs: data file and deletion vector."""
        return (self.path,) if self.vector is None else (self.path, self.vector)

    def leaving(self, rows: tuple[StoredRow, ...], vector: str) -> DataFile:
        """The file with a deletion vector of that name that leaves these rows."""
        return replace(self, rows=rows, vector=vector)


CHANGE_TYPE = -1
"""Stands among a file's columns for ``_change_type``, which no table has: statements that record
the rows that they change write it into their data files, too (CDCReader.scala)."""


def data_file(
    path: str,
    table: Table,
    rows: tuple[StoredRow, ...],
    cube: Cube | None = None,
    recording: bool = False,
) -> DataFile:
    """A file of ``rows``, all of one partition, with the statistics of its rows."""
    first = rows[0].values
    statistics = []
    for index in range(len(table.names)):
        values: list[Any] = [v for row in rows if (v := row.values[index]) is not None]
        if (unknown := any_unknown(values)) is not None:
            # A test that looks at these statistics depends on an unknown value.
            free: Any = unknown
            statistics.append(ColumnStatistics(free, free, free))
            continue
        nulls = len(rows) - len(values)
        low, high = (smallest(values), largest(values)) if values else (None, None)
        statistics.append(ColumnStatistics(low, high, nulls))
    partition = tuple(first[i] for i in table.partitions)
    schema = table.schema
    if recording and table.change_data_feed:
        schema = (*schema, CHANGE_TYPE)
    return DataFile(
        path, partition, rows, tuple(statistics), len(rows), schema, table.indexed, cube=cube
    )


def retyped(file: DataFile, table: Table) -> DataFile:
    """The file with its values in the types that the table's columns have now.

    Data files stay as they are when a column gets a wider type: a reader converts.
    """
    change = [(place, table.types[place]) for place in table.schema]

    def converted(values: Row) -> Row:
        after = list(values)
        for place, type_ in change:
            if place < len(after):
                after[place] = type_.holding(after[place])
        return tuple(after)

    rows = tuple(replace(row, values=converted(row.values)) for row in file.rows)
    if all(repr(new.values) == repr(old.values) for new, old in zip(rows, file.rows, strict=True)):
        return file
    statistics = list(file.statistics)
    for place, type_ in change:
        old = statistics[place]
        bounds = (type_.holding(old.minimum), type_.holding(old.maximum))
        statistics[place] = ColumnStatistics(*bounds, old.nulls)
    partition = tuple(
        table.types[place].holding(value)
        for place, value in zip(table.partitions, file.partition, strict=True)
    )
    return replace(file, rows=rows, statistics=tuple(statistics), partition=partition)


def recorded(files: tuple[DataFile, ...], table: Table) -> tuple[DataFile, ...]:
    """Files as written by a statement that may also record the rows that it changes."""
    if not table.change_data_feed:
        return files
    return tuple(replace(file, schema=(*file.schema, CHANGE_TYPE)) for file in files)


def _own(row: StoredRow, prefix: str) -> bool:
    """Whether a row version was made by the writer of the files called ``prefix``."""
    return prefix == row.writer or prefix.startswith(f"{row.writer}-")


def write_files(
    prefix: str,
    table: Table,
    rows: Iterable[StoredRow],
    cube: Cube | None = None,
    recording: bool = False,
) -> tuple[DataFile, ...]:
    """Rows laid out as one task writes them: one file for each partition that they touch.

    ``prefix`` begins with the name of the transaction that writes them; ``recording`` tells
    that it records changed rows, where the table asks for that. Raises StatementFailure
    where a row version of its own breaks a constraint of the table.
    """
    if table.constrained:
        rows = tuple(rows)
        enforce(table, (row.values for row in rows if _own(row, prefix)))
    by_partition: dict[tuple[Value, ...], list[StoredRow]] = {}
    for row in rows:
        key = tuple(row.values[i] for i in table.partitions)
        by_partition.setdefault(key, []).append(row)
    return tuple(
        data_file(f"{prefix}-{ordinal}", table, tuple(group), cube, recording)
        for ordinal, group in enumerate(by_partition.values())
    )
