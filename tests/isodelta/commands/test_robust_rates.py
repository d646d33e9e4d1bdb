"""``isodelta robust --rates``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from isodelta import cli
from isodelta.exits import BAD, BadInput
from isodelta.files.rates import _rates_in
from isodelta.files.workloads import parse_workload
from tests.command_line import objects

WORKLOAD = """\
name: corrections
table:
  columns: {id: int, v: int}
  setup: ["INSERT INTO t VALUES (1, 1)"]
jobs:
  correct: UPDATE t SET v = 0 WHERE id = :id
"""
RATES = "jobs: {correct: {per_day: 100, seconds: 60}}\nsame: {id: 0.5}\n"


def run(folder: Path, rates: str, *more: str, workload: str = WORKLOAD) -> int:
    (folder / "w.yaml").write_text(workload)
    (folder / "r.yaml").write_text(rates)
    given = ["--rates", str(folder / "r.yaml")] if rates else []
    return cli.run(["robust", str(folder / "w.yaml"), *given, *more])


def test_the_estimate_is_in_the_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, RATES, "--json", "--seed", "5") == 0
    (answer,) = objects(capsys.readouterr().out)
    rates = answer["rates"]
    assert (rates["seed"], rates["same"]) == (5, {"id": 0.5})
    first = rates["variants"][0]
    assert first["variant"] == "WriteSerializable"
    figure = first["aborts_per_day"]
    assert figure["low"] <= figure["mean"] <= figure["high"]
    assert any("upper estimate" in line for line in rates["assumptions"])


def test_the_estimate_is_in_words_and_on_the_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    inside = f"{WORKLOAD}rates:\n  {RATES.replace(chr(10), chr(10) + '  ')}"
    page = tmp_path / "page"
    assert run(tmp_path, "", "--report", str(page), workload=inside) == 0
    assert "How often a run aborts, per day" in capsys.readouterr().out
    assert "aborts" in (page / "index.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("rates", "expected"),
    [
        ("jobs: {corect: {per_day: 1, seconds: 1}}", "there is no job 'corect'"),
        ("jobs: {correct: {seconds: 1}}", "r.yaml:1: jobs.correct: give either per_day or every"),
        ("jobs: {correct: {every: soon, seconds: 1}}", "'soon' is not a time such as"),
        ("jobs: {correct: {per_day: 1}}", "the key 'seconds' is missing"),
        ("jobs: {correct: {per_day: 1, seconds: 1}}\nsame: {id: 2}", "r.yaml:2: same.id: "),
        ("jobs: {}", "r.yaml:1: jobs: "),
    ],
)
def test_wrong_rates_are_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], rates: str, expected: str
) -> None:
    assert run(tmp_path, rates) == BAD
    assert expected in capsys.readouterr().err


def test_history_needs_a_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "w.yaml").write_text(WORKLOAD)
    assert cli.run(["robust", str(tmp_path / "w.yaml"), "--rates", "history"]) == BAD
    assert "--rates history needs --delta" in capsys.readouterr().err


def test_a_history_gives_rates() -> None:
    jobs = parse_workload(WORKLOAD).jobs
    entries = [
        {"timestamp": 3_600_000 * n, "operation": "UPDATE", "operationMetrics": {}}
        for n in range(25)
    ]
    entries[3]["operationMetrics"] = {"executionTimeMs": "4000"}
    rates = _rates_in(json.loads(json.dumps(entries)), "x", jobs)
    assert rates.jobs["correct"].per_day == 25
    assert rates.jobs["correct"].seconds == 4
    with pytest.raises(BadInput, match="too short"):
        _rates_in(entries[:1], "x", jobs)
