"""``isodelta explain``: from an exception, with and without the table and the job."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from deltalake import DeltaTable, write_deltalake
from deltalake.exceptions import CommitFailedError

from conformance.spark.engine import SparkEngine
from isodelta import cli
from isodelta.exits import BAD, OK
from isodelta.files.scenarios import load_scenarios
from isodelta.runs.running import parse_scenarios
from model.outcomes import CONFLICT_NAMES
from model.preparation import run_scenario
from model.profiles import DEFAULT, profile

KEYS = {
    "conflict", "engine", "error", "rule", "winner", "commit", "place", "file", "necessary",
    "because", "assumed", "remedies", "retry", "retry_because", "claims", "scenario",
}  # fmt: skip

APPEND = (
    "[DELTA_CONCURRENT_APPEND.WITH_PARTITION_HINT] Transaction conflict detected. a concurrent "
    "WRITE added data to table t committed at version 1. The concurrent operation modified data "
    "in the partition [p=1] that should have been read by this operation."
)


def explained(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str, *options: str
) -> dict[str, Any]:
    file = tmp_path / "exception.txt"
    file.write_text(text, encoding="utf-8")
    assert cli.run(["explain", str(file), "--json", *options]) == OK
    (line,) = capsys.readouterr().out.splitlines()
    answer: dict[str, Any] = json.loads(line)
    assert set(answer) == KEYS
    return answer


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A table with a row in partition 1, to which another row was appended."""
    folder = tmp_path / "table"
    for k in (1, 2):
        rows = pyarrow.table({"k": pyarrow.array([k], "int32"), "p": pyarrow.array([1], "int32")})
        write_deltalake(folder, rows, mode="append", partition_by=["p"])
    return folder


def job(tmp_path: Path, sql: str) -> str:
    file = tmp_path / "job.sql"
    file.write_text(sql, encoding="utf-8")
    return str(file)


def test_from_the_exception_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = explained(capsys, tmp_path, APPEND)
    assert (answer["conflict"], answer["engine"]) == ("ConcurrentAppend", "delta-spark")
    assert (answer["winner"], answer["place"]) == (1, "[p=1]")
    assert answer["necessary"] == {"Serializable": "unknown", "WriteSerializable": "unknown"}
    assert "the refused statement was one of DELETE, MERGE, UPDATE" in answer["assumed"]
    assert (answer["retry"], answer["claims"][0]) == ("safe", "N86")


@pytest.mark.parametrize(
    ("sql", "serializable"),
    [
        ("DELETE FROM shop.t WHERE p = 1", "yes"),
        ("SET a = b; DELETE FROM shop.t WHERE p = 1 AND k = 1;", "no"),
        ("UPDATE delta.`/shop/t` AS x SET k = 5 WHERE x.p = 1 AND x.k >= 1", "yes"),
    ],
)
def test_with_the_table_and_the_job(
    sql: str, serializable: str, table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ("--delta", str(table), "--sql", job(tmp_path, sql))
    answer = explained(capsys, tmp_path, APPEND, *options)
    assert answer["necessary"] == {"Serializable": serializable, "WriteSerializable": "no"}
    assert answer["remedies"][0].startswith("at WriteSerializable both commit")
    assert answer["scenario"]["table"]["setup"] == ["INSERT INTO t VALUES (1, 1)"]


def test_the_scenario_is_replayable(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "scenario.yaml"
    sql = job(tmp_path, "DELETE FROM t WHERE p = 1")
    options = ("--delta", str(table), "--sql", sql, "--export", str(file))
    explained(capsys, tmp_path, APPEND, *options)
    (scenario,) = load_scenarios(file)
    assert run_scenario(scenario, DEFAULT).ended["job"].outcome == "ConcurrentAppend"


def test_a_winner_that_the_log_does_not_have_is_said(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = APPEND.replace("version 1", "version 9")
    answer = explained(capsys, tmp_path, text, "--delta", str(table))
    assert any("has no commit that fits" in line for line in answer["assumed"])


def test_words_for_people(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Piped:
        buffer = io.BytesIO(APPEND.encode())

    monkeypatch.setattr("sys.stdin", Piped())
    assert cli.run(["explain"]) == OK
    printed = capsys.readouterr().out
    assert "ConcurrentAppend (delta-spark)" in printed
    assert "Retry: safe" in printed
    assert parse_scenarios(printed[printed.index("name: ") :])


def test_bad_input(tmp_path: Path, table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "exception.txt"
    file.write_text("all is well")
    assert cli.run(["explain", str(file)]) == BAD
    assert cli.run(["explain", str(tmp_path / "absent")]) == BAD
    file.write_text(APPEND)
    assert cli.run(["explain", str(file), "--delta", str(tmp_path)]) == BAD
    assert cli.run(["explain", str(file), "--sql", job(tmp_path, "SELECT 1")]) == BAD
    assert cli.run(["explain", str(file), "--sql", job(tmp_path, "DELETE FROM (")]) == BAD
    assert len(capsys.readouterr().err.splitlines()) == 5


def test_exceptions_of_delta_rs(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each is made here: the texts are those of the release that is installed."""
    rows = pyarrow.table({"k": pyarrow.array([3], "int32"), "p": pyarrow.array([1], "int32")})
    made: dict[str, str] = {}

    def conflict(expected: str, handle: DeltaTable, commit: Any) -> None:
        with pytest.raises(CommitFailedError) as raised:
            commit(handle)
        made[expected] = str(raised.value)

    old = DeltaTable(table)
    write_deltalake(table, rows, mode="append")
    conflict("ConcurrentAppend", old, lambda handle: handle.delete("p = 1"))
    old = DeltaTable(table)
    DeltaTable(table).delete("k = 3")
    conflict(
        "ConcurrentDeleteRead", old, lambda handle: write_deltalake(handle, rows, mode="append")
    )
    old = DeltaTable(table)
    DeltaTable(table).alter.set_table_properties({"delta.appendOnly": "false"})
    conflict("MetadataChanged", old, lambda handle: handle.delete("p = 1"))
    assert len(made) == 3
    for expected, text in made.items():
        answer = explained(capsys, tmp_path, text)
        assert (answer["conflict"], answer["engine"]) == (expected, "delta-rs")
        scenario = json.dumps(answer["scenario"])
        (read,) = parse_scenarios(scenario)
        outcome = run_scenario(read, profile("delta-rs-1.6")).ended["job"].outcome
        assert outcome == expected


ON_SPARK = {
    "ConcurrentAppend": ("DELETE FROM t WHERE p = 1", "INSERT INTO t VALUES (3, 1)", 3),
    "ConcurrentDeleteRead": ("OPTIMIZE t", "DELETE FROM t WHERE k = 1", 3),
    "MetadataChanged": (
        "DELETE FROM t WHERE p = 1",
        "ALTER TABLE t SET TBLPROPERTIES ('a' = 'b')",
        3,
    ),
    "ProtocolChanged": (
        *("ALTER TABLE t SET TBLPROPERTIES ('delta.feature.deletionVectors' = 'supported')",) * 2,
        3,
    ),
    "ConcurrentTransaction": (
        *(
            "SET spark.databricks.delta.write.txnAppId = a; "
            "SET spark.databricks.delta.write.txnVersion = 1; INSERT INTO t VALUES (7, 7)",
        )
        * 2,
        3,
    ),
}


@pytest.mark.spark
def test_exceptions_of_spark(
    spark_engine: SparkEngine, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert set(ON_SPARK) < set(CONFLICT_NAMES)
    for expected, (sql, winner, version) in ON_SPARK.items():
        (scenario,) = parse_scenarios(
            json.dumps(
                {
                    "name": expected,
                    "table": {
                        "columns": {"k": "int", "p": "int"},
                        "partition_by": ["p"],
                        "setup": ["INSERT INTO t VALUES (1, 1)", "INSERT INTO t VALUES (2, 1)"],
                    },
                    "transactions": {"A": sql, "B": winner},
                    "schedule": ["begin A", "B", "commit A"],
                }
            )
        )
        replay = spark_engine.open(scenario)
        try:
            replay.begin("A")
            replay.begin("B")
            replay.commit("B")
            refused = replay.commit("A")
            answer = explained(
                capsys, tmp_path, str(refused.message), "--delta", str(replay.folder / "t")
            )
        finally:
            replay.close()
        assert (refused.outcome, answer["conflict"]) == (expected, expected)
        assert (answer["engine"], answer["winner"]) == ("delta-spark", version)
        assert answer["scenario"] is not None
