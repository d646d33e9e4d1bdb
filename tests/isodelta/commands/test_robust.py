"""isodelta robust: files, messages, exit codes, and what it prints."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from checker.robustness.answer import robustness
from isodelta.cli import run
from isodelta.files import workload_schema
from isodelta.files.scenario_writer import mapping_yaml
from isodelta.files.scenarios import BadScenarios, read_text
from isodelta.files.workloads import parse_workload

ROOT = Path(__file__).parents[3]
WORKLOADS = ROOT / "scenarios" / "workloads"

GOOD = """
name: appends
table: {columns: {k: int, v: int}, properties: {delta.isolationLevel: WriteSerializable}}
jobs:
  stream: INSERT INTO t VALUES (:k, :v)
"""

VACUUM = """
  v: >-
    SET spark.databricks.delta.retentionDurationCheck.enabled = false; VACUUM t RETAIN 0 HOURS
"""


def asked(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, list[dict[str, Any]]]:
    code = run(["robust", *arguments, "--json"])
    captured = capsys.readouterr()
    return code, [json.loads(line) for line in captured.out.splitlines()]


def test_a_robust_workload_ends_with_0(capsys: pytest.CaptureFixture[str]) -> None:
    code, (result,) = asked(capsys, str(WORKLOADS / "erase_beside_a_stream.yaml"))
    assert code == 0
    assert result["verdict"] == "robust"
    assert result["level"] == "WriteSerializable"
    assert result["scenario"] is None
    assert set(result["readings"].values()) == {"holds"}
    assert result["remedies"] == []
    assert {"current": "erase", "winner": "erase"}.items() <= result["aborts"][0].items()
    assert result["log_order"]["verdict"] == "not robust"


@pytest.mark.slow
def test_one_that_is_not_ends_with_1_and_a_scenario(capsys: pytest.CaptureFixture[str]) -> None:
    code, (result,) = asked(capsys, str(WORKLOADS / "on_call_fix.yaml"))
    assert code == 1
    assert result["verdict"] == "not robust"
    assert result["because"]
    assert result["readings"] == {
        "conflict": "violated",
        "view": "violated",
        "final_state": "holds",
    }
    assert "of up to 4 transactions" in result["weaker"]
    (loaded,) = read_text(mapping_yaml(result["scenario"]))
    assert loaded.scenario.expect.levels["PL-3"] == "violated"
    assert result["remedies"]
    assert all(remedy["remedy"] for remedy in result["remedies"])
    assert set(result["aborts"][0]) >= {"current", "winner", "conflict"}


def test_several_workloads_give_an_object_each(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.yaml").write_text(GOOD.replace("appends", name))
    code, results = asked(capsys, str(tmp_path / "one.yaml"), str(tmp_path / "two.yaml"))
    assert code == 0
    assert [result["workload"] for result in results] == ["one", "two"]


def test_an_answer_that_the_file_does_not_expect_is_a_failure(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "wrong.yaml"
    file.write_text(GOOD + "expect: {verdict: not robust}\n")
    code, (result,) = asked(capsys, str(file))
    assert code == 1
    assert result["failures"] == ["expected verdict: not robust, but it is robust"]


def test_each_statement_of_a_job_is_a_transaction_of_its_own(
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = str(WORKLOADS / "nightly_reload.yaml")
    code, (result,) = asked(capsys, file)
    assert code == 0
    assert set(result["tried"]) == {"stream", "reload 1", "reload 2", "compact"}
    assert run(["robust", file]) == 0
    text = capsys.readouterr().out
    assert "WriteSerializable is enough for stream" in text
    assert "Each statement of reload is a transaction of its own" in text


def test_what_people_read_fits_on_a_screen(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["robust", str(WORKLOADS / "dashboard.yaml")]) == 1
    text = capsys.readouterr().out
    assert "updates: no, WriteSerializable is not enough for" in text
    assert "dashboard comes before reprice" in text
    assert "For the writing jobs alone: yes" in text
    assert "Each of these makes the jobs robust" in text
    assert len(text.splitlines()) < 50
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.slow
def test_a_report_has_the_history_as_a_finding(tmp_path: Path) -> None:
    file, folder = str(WORKLOADS / "on_call_fix.yaml"), tmp_path / "report"
    assert run(["robust", file, "--report", str(folder)]) == 1
    assert (folder / "index.html").exists()
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    assert report["summary"]["violations"] >= 1
    findings = sorted((folder / "findings").glob("*.yaml"))
    assert any("stream" in path.name for path in findings)
    for path in findings:
        assert read_text(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (("jobs:", "job:"), "unknown key 'job', did you mean jobs?"),
        (("stream: INSERT INTO t VALUES (:k, :v)", "{}"), ":4: jobs: is empty"),
        ((":v)", ":v, :x)"), ":5: jobs.stream"),
        (("INSERT INTO t", "INSERTT INTO t"), "did you mean INSERT?"),
        (("INSERT INTO t", "INSERT INTO u"), ":5: jobs.stream"),
        (("VALUES (:k, :v)", "VALUES (:k, coalesce(:x, 1))"), "the type of :x cannot be told"),
        (("INSERT INTO t VALUES (:k, :v)", "ALTER TABLE t ADD COLUMN w int"), "cannot be a job"),
        ((":v)", ":v)\n  r: RESTORE TABLE t TO VERSION AS OF 0\n" + VACUUM), ":6: jobs.r: RESTORE"),
        (("delta.isolationLevel", "delta.isolation"), "table.properties.delta.isolation"),
        (("WriteSerializable", "Snapshot"), "has no isolation level 'Snapshot'"),
        (("k: int", "k: integre"), "unknown column type 'integre'"),
        (("name: appends", "name: ''"), ":2: name: is empty"),
        (("stream: INSERT INTO t VALUES (:k, :v)", "stream: 5"), "a SQL statement, or a list"),
        (("stream: INSERT INTO t VALUES (:k, :v)", "stream: []"), "jobs.stream: is empty"),
        (("stream: INSERT INTO t VALUES (:k, :v)", "s: [OPTIMIZE t, INSRT t]"), "jobs.s entry 2"),
        (("jobs:", "parameters: {x: int}\njobs:"), "parameters.x: no job has a parameter :x"),
        (("jobs:", "parameters: {k: whole number}\njobs:"), "parameters.k: unknown column type"),
        (("(:k, :v)", "(?, ?)"), "a parameter is written :name, not with ?"),
        (
            (
                ":v)",
                ":v)\n  m: MERGE WITH SCHEMA EVOLUTION INTO t USING (SELECT :k AS k, 1 AS z) s "
                "ON t.k = s.k WHEN MATCHED THEN UPDATE SET *",
            ),
            ":6: jobs.m: a statement that changes the table's definition cannot be a job",
        ),
        (("v: int", "v: decimal(9,2)"), "quote a type with a comma: 'decimal(10,2)'"),
    ],
)
def test_what_is_wrong_is_one_line_with_file_line_and_key(
    change: tuple[str, str], expected: str
) -> None:
    with pytest.raises(BadScenarios) as error:
        parse_workload(GOOD.replace(*change), file="jobs.yaml")
    (problem, *_) = error.value.problems
    assert str(problem).startswith("jobs.yaml:")
    assert expected in str(problem)
    assert "\n" not in str(problem)


def test_bad_input_ends_with_2(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "bad.yaml"
    file.write_text(GOOD.replace(":v", "'x'"))
    assert run(["robust", str(file)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(f"{file}:5: jobs.stream: ")
    assert run(["robust", str(tmp_path / "none.yaml")]) == 2
    assert run(["robust"]) == 2


def test_the_schema_in_the_documents_is_up_to_date() -> None:
    path = ROOT / "docs" / "workload.schema.json"
    assert path.read_text(encoding="utf-8") == workload_schema.schema_text(), (
        "run: python -m isodelta.files.workload_schema > docs/workload.schema.json"
    )


@pytest.mark.slow
def test_the_table_in_the_documents_is_what_the_command_prints(
    capsys: pytest.CaptureFixture[str],
) -> None:
    files = [str(path) for path in sorted(WORKLOADS.glob("*.yaml"))]
    assert run(["robust", *files, "--markdown"]) == 1
    assert capsys.readouterr().out in (ROOT / "docs" / "robust.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("declared", "meant"),
    [
        ("append", "INSERT INTO t (`k`, `v`) VALUES (:new_k, :new_v)"),
        ("mode overwrite", "INSERT OVERWRITE t (`k`, `v`) VALUES (:new_k, :new_v)"),
        (
            "overwrite replaceWhere k = :k",
            "INSERT INTO t REPLACE WHERE k = :k VALUES (:new_k, :new_v)",
        ),
        ("'foreachBatch: DELETE FROM t WHERE k = :k'", "DELETE FROM t WHERE k = :k"),
    ],
)
def test_a_job_may_be_declared_by_what_it_does(declared: str, meant: str) -> None:
    text = GOOD.replace("INSERT INTO t VALUES (:k, :v)", declared)
    assert parse_workload(text).jobs.templates["stream"].text == meant


NULLS = """
name: nulls
table:
  columns: {k: int, live: boolean}
  properties: {delta.isolationLevel: WriteSerializable}
  setup: ["INSERT INTO t VALUES (1, NULL), (2, true)"]
tables:
  s: {columns: {k: int, live: boolean}, setup: ["INSERT INTO s VALUES (1, NULL), (NULL, false)"]}
jobs:
  stream: INSERT INTO t SELECT k, live FROM s WHERE CONDITION
  drop: MERGE INTO t USING s ON t.k = s.k AND CONDITION2 WHEN MATCHED THEN DELETE
"""


@pytest.mark.parametrize("condition", ["live", "live = :live", "live IS NULL", "live <=> NULL"])
def test_a_null_in_a_boolean_column_beside_a_table_that_jobs_read(condition: str) -> None:
    text = NULLS.replace("CONDITION2", "s." + condition).replace("CONDITION", condition)
    assert robustness(parse_workload(text).jobs).serial.verdict in ("robust", "not robust")
