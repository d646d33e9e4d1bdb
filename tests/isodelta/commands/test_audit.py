"""``isodelta audit``: what it prints, writes and returns."""

from __future__ import annotations

import json
from html import unescape
from pathlib import Path

import pytest
import yaml

from isodelta import cli
from isodelta.exits import BAD, FOUND, OK
from isodelta.files.workloads import load_workload
from tests.command_line import objects
from tests.log_files import add, append, create, delete, remove, touch_files, write_log

COMMITS = (
    create(add("a", p=1), add("b", p=2)),
    append(0, add("c", p=1)),
    delete(0, "(p#3 = 1)", remove("a")),
)


def test_the_objects_of_a_violation(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = touch_files(write_log(tmp_path, *COMMITS))
    assert cli.run(["audit", str(folder), "--json"]) == FOUND
    finding, last = objects(capsys.readouterr().out)
    assert (finding["finding"], finding["versions"]) == ("level-violation", [1, 2])
    assert (finding["observed"], finding["levels"]) == (True, ["Serializable"])
    assert "version 2 (DELETE) read p = 1 before version 1 (WRITE) added c" in finding["because"]
    summary = last["summary"]
    assert summary["levels"] == {"Serializable": "violated", "WriteSerializable": "holds"}
    counts = [summary[name] for name in ("commits", "overlaps", "segments", "findings")]
    assert counts == [3, 1, 1, 1]
    assert isinstance(summary["seconds"], float)


def test_a_table_without_findings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = touch_files(write_log(tmp_path, *COMMITS[:2]))
    assert cli.run(["audit", str(folder)]) == OK
    printed = capsys.readouterr().out
    assert "2 commits, no commits overlap as recorded; no findings" in printed
    assert "Serializable: holds" in printed


def test_versions_and_times(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = str(touch_files(write_log(tmp_path, *COMMITS)))
    assert cli.run(["audit", folder, "--to", "1"]) == OK
    assert cli.run(["audit", folder, "--from", "1", "--to", "2"]) == FOUND
    assert cli.run(["audit", folder, "--since", "2020-01-01"]) == OK
    assert cli.run(["audit", folder, "--since", "1970-01-01T00:00:01Z"]) == FOUND
    capsys.readouterr()
    assert cli.run(["audit", folder, "--from", "2", "--to", "1"]) == BAD
    assert cli.run(["audit", folder, "--since", "yesterday"]) == BAD
    assert cli.run(["audit", folder, "--from", "3"]) == BAD
    assert len(capsys.readouterr().err.splitlines()) == 3


def test_what_is_no_table_is_refused_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run(["audit", str(tmp_path), "--json"]) == BAD
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.splitlines() == [
        f"{tmp_path}: there is no Delta log here (_delta_log has no commit)"
    ]


def test_the_jobs_are_a_workload(tmp_path: Path) -> None:
    folder = touch_files(write_log(tmp_path / "table", *COMMITS))
    file = tmp_path / "jobs.yaml"
    assert cli.run(["audit", str(folder), "--jobs", str(file)]) == FOUND
    assert yaml.safe_load(file.read_text())["jobs"] == {
        "insert": "INSERT INTO t VALUES (:k, :p)",
        "delete": "DELETE FROM t WHERE p = :p",
    }
    assert load_workload(file).name == "jobs of table"


def test_the_report_has_findings_overlaps_and_pairs(tmp_path: Path) -> None:
    folder = touch_files(write_log(tmp_path / "table", *COMMITS))
    report = tmp_path / "report"
    assert cli.run(["audit", str(folder), "--report", str(report)]) == FOUND
    whole = json.loads((report / "report.json").read_text())
    assert [each["finding"] for each in whole["findings"]] == ["level-violation"]
    page = unescape((report / "index.html").read_text())
    assert "Serializable violated" in page
    assert "version 2 (DELETE) read version 0 and missed 1 commit" in page
    assert '<th scope="row">DELETE</th>' in page
