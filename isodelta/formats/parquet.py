"""Histories with a known version order, from Parquet.

The schema, one row for each operation, in the order of the log: ``transaction`` (int64, from 1),
``write`` (bool), ``key`` (int64), ``writer`` (int64: whose version was read, 0 for the initial
one; for a write the transaction itself) and, where known, ``snapshot`` (int64: the last
transaction that the transaction's snapshot shows).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from checker.recorded.arrays.history import InvalidHistory, LargeHistory, check_numbers
from isodelta.exits import BadInput

COLUMNS = {"transaction": "int64", "write": "bool", "key": "int64", "writer": "int64"}
SNAPSHOT = "snapshot"


def columns_of(path: Path) -> tuple[str, ...]:
    """The columns of a history in a file; ``BadInput`` where one is missing or of another type."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            return _columns(path, file.schema_arrow)
    except (pa.ArrowException, OSError) as error:
        raise _bad(path, error) from error


def read(path: Path) -> LargeHistory:
    """Reads a history; ``BadInput`` names the file and the column."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(path)
        arrays = {}
        for name in _columns(path, file.schema_arrow):
            # One column at a time: the whole table twice would be most of the memory used.
            column = file.read(columns=[name]).column(name)
            if column.null_count:
                raise BadInput(f"{path}: column {name!r} has {column.null_count} nulls")
            arrays[name] = column.to_numpy()
            del column
    except (pa.ArrowException, OSError) as error:
        raise _bad(path, error) from error
    snapshot = None
    if SNAPSHOT in arrays and len(arrays["transaction"]):
        try:
            check_numbers(arrays["transaction"])
        except InvalidHistory as error:
            raise BadInput(f"{path}: {error}") from error
        snapshot = _of_transactions(path, arrays["transaction"], arrays[SNAPSHOT])
    return LargeHistory(
        arrays["transaction"], arrays["write"], arrays["key"], arrays["writer"], snapshot
    )


def _columns(path: Path, schema: Any) -> tuple[str, ...]:
    wanted = dict(COLUMNS)
    if SNAPSHOT in schema.names:
        wanted[SNAPSHOT] = "int64"
    for name, kind in wanted.items():
        if name not in schema.names:
            raise BadInput(f"{path}: there is no column {name!r} (columns: {schema.names})")
        if str(schema.field(name).type) != kind:
            actual = schema.field(name).type
            raise BadInput(f"{path}: column {name!r} is {actual}, not {kind}")
    return tuple(wanted)


def _bad(path: Path, error: Exception) -> BadInput:
    return BadInput(f"{path}: {' '.join(str(error).split())}")


def _of_transactions(path: Path, transaction: Any, snapshot: Any) -> Any:
    """One snapshot for each transaction; numbers that are left out have none."""
    inside = transaction[1:] == transaction[:-1]
    differs = np.flatnonzero(inside & (snapshot[1:] != snapshot[:-1]))
    if len(differs):
        number = int(transaction[differs[0]])
        raise BadInput(f"{path}: transaction {number} has two snapshots")
    result = np.zeros(int(transaction[-1]) + 1, dtype=np.int64)
    result[transaction] = snapshot
    return result[1:]
