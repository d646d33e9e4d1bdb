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


def test_a_history_without_a_known_order_is_judged_by_components(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], spark_engine: SparkEngine
) -> None:
    """Three pairs of sessions with keys of their own; one pair has a lost update."""
    lines = []
    for number in range(3):
        key, first, second = number, 10 * number + 1, 10 * number + 2
        seen = 0 if number == 1 else first
        lines += [
            f"r({key},0,{2 * number},{2 * number})",
            f"w({key},{first},{2 * number},{2 * number})",
        ]
        lines += [f"r({key},{seen},{2 * number + 1},{2 * number + 1})"]
        lines += [f"w({key},{second},{2 * number + 1},{2 * number + 1})"]
    text = tmp_path / "history.txt"
    text.write_text("".join(f"{line}\n" for line in lines))
    verdicts = []
    for options in ((), ("--spark",)):
        assert cli.run(["history", str(text), "--json", *options]) == FOUND
        levels = json.loads(capsys.readouterr().out)["levels"]
        verdicts.append(
            {name: (level["verdict"], level["cycle"]) for name, level in levels.items()}
        )
    assert verdicts[0] == verdicts[1]
    assert verdicts[0]["Serializable"][0] == "violated"


def test_an_empty_folder_is_refused_before_spark_starts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run(["history", str(tmp_path), "--spark"]) == BAD
    assert "there is no history in this folder" in capsys.readouterr().err
