"""The reader of a table's files: values at the edges of their types."""

from __future__ import annotations

import datetime
import json
from pathlib import Path

import pyarrow
import pyarrow.parquet as parquet
import pytest

from conformance.delta_log.log_reader import LogReader

MOMENTS = [
    datetime.datetime(9999, 12, 31, 23, 59, 59, 999999),
    datetime.datetime(2262, 4, 12),
    datetime.datetime(1600, 1, 1),
    None,
]


@pytest.mark.parametrize("int96", [False, True])
def test_timestamps_beyond_the_range_of_nanoseconds_are_read(tmp_path: Path, int96: bool) -> None:
    rows = pyarrow.table({"ts": pyarrow.array(MOMENTS, pyarrow.timestamp("us", "UTC"))})
    parquet.write_table(rows, tmp_path / "a.parquet", use_deprecated_int96_timestamps=int96)
    schema = {"fields": [{"name": "ts", "type": "timestamp", "nullable": True, "metadata": {}}]}
    metadata = {"schemaString": json.dumps({"type": "struct", **schema}), "partitionColumns": []}
    actions = [{"metaData": metadata}, {"add": {"path": "a.parquet", "partitionValues": {}}}]
    (tmp_path / "_delta_log").mkdir()
    log = tmp_path / "_delta_log" / f"{0:020d}.json"
    log.write_text("\n".join(map(json.dumps, actions)))
    assert LogReader(tmp_path).rows() == tuple((moment,) for moment in MOMENTS)
