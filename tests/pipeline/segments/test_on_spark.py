"""Histories judged by segments on Spark itself: its shuffles give each task what is due."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from checker.recorded.arrays.generator import generate
from checker.recorded.arrays.history import LargeHistory
from conformance.spark.engine import SparkEngine
from isodelta import cli, spark
from isodelta.commands.history.results import judge_file
from isodelta.exits import BAD, FOUND
from tests.pipeline.segments.test_segments import told


def with_trouble() -> LargeHistory:
    """A lost update in its middle, no snapshots, and a reader of a version that was replaced."""
    made = generate(5, 400, 60, "lost update")
    return LargeHistory(made.transaction, made.write, made.key, made.writer)


def test_a_parquet_history_on_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], spark_engine: SparkEngine
) -> None:
    """Two files in a folder are one history; its file alone says the same in memory."""
    made = pa.table(generate(5, 400, 60, "write skew").columns())
    whole = tmp_path / "whole.parquet"
    pq.write_table(made, whole)
    folder = tmp_path / "parts"
    folder.mkdir()
    pq.write_table(made.slice(0, 1001), folder / "part 1 [x].parquet", row_group_size=300)
    pq.write_table(made.slice(1001), folder / "part 2.parquet", row_group_size=300)
    told_by = []
    for arguments in (["--spark", str(folder)], [str(whole)]):
        assert cli.run(["history", "--json", *arguments]) == FOUND
        told_by.append({**json.loads(capsys.readouterr().out), "history": "", "seconds": 0})
    assert told_by[0] == told_by[1]
    bad = tmp_path / "bad.parquet"
    pq.write_table(made.set_column(0, "transaction", pa.array([1] * made.num_rows)), bad)
    assert cli.run(["history", str(bad)]) == BAD
    words = capsys.readouterr().err
    assert cli.run(["history", str(bad), "--spark"]) == BAD
    assert capsys.readouterr().err == words


def test_any_dataframe_in_python(tmp_path: Path, spark_engine: SparkEngine) -> None:
    """Rows in any order and without places; segments too large for a task are judged here."""
    made = pa.table(with_trouble().columns())
    path = tmp_path / "history.parquet"
    pq.write_table(made, path)
    places = list(range(made.num_rows))
    Random(1).shuffle(places)
    frame = spark_engine.process.session.createDataFrame(made.take(pa.array(places)))
    expected = told(judge_file(path, None, None, 60))
    result = told(spark.judge(frame, str(path), most_operations=1))
    # Within a transaction the order of its operations is not known.
    for judged in (result, expected):
        for level in judged["levels"].values():
            for transcript in level.get("operations", ()):
                transcript["operations"].sort()
    assert result == expected


def test_what_is_no_parquet_is_refused_before_spark_starts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = tmp_path / "history.txt"
    text.write_text("w(1,10,0,0)\n")
    assert cli.run(["history", str(text), "--spark"]) == BAD
    assert "--spark judges Parquet histories, and this one is text" in capsys.readouterr().err
    assert cli.run(["history", str(text), "--spark", "--format", "text"]) == BAD
    (tmp_path / "empty").mkdir()
    assert cli.run(["history", str(tmp_path / "empty"), "--spark"]) == BAD
    assert "no Parquet file in this folder" in capsys.readouterr().err
