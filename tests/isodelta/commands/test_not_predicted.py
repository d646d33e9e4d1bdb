"""Scenarios with parts that the model cannot evaluate: checked, and replayed on an engine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from conformance.engine import Engine
from conformance.model_engine import ModelEngine
from isodelta import cli
from isodelta.exits import BAD, FOUND, OK
from isodelta.runs import engines
from model.errors import NotPredicted
from tests.command_line import Write

SCENARIO = """
name: a part that is not modelled
table:
  columns: {k: int, v: int, ts: timestamp, a: array<int>}
  setup: ["INSERT INTO t VALUES (1, 10, NULL, NULL), (2, 20, NULL, NULL)"]
transactions:
  A: %s
  B: INSERT INTO t VALUES (7, 1, NULL, NULL)
schedule: [begin A, B, commit A]
"""

DECIDED = [
    "DELETE FROM t WHERE hash(k) = 5 AND v = 5",
    "UPDATE t SET ts = from_json('x', 'y') WHERE k = 1",
    "INSERT INTO t VALUES (3, 1, NULL, array(1, 2))",
    "INSERT INTO t VALUES (3, hash(1), NULL, NULL)",
]
OPEN = [
    ("DELETE FROM t WHERE hash(k) = 5", "HASH(k) = 5"),
    ("UPDATE t SET v = 1 WHERE hash(v) > 0", "HASH(v) > 0"),
    ("INSERT INTO t SELECT * FROM t WHERE hash(k) = 1", "HASH(k) = 1"),
    ("INSERT INTO t SELECT * FROM t LIMIT 1", "SELECT * FROM t LIMIT 1"),
    ("MERGE INTO t USING t s ON t.k = hash(s.k) WHEN MATCHED THEN DELETE", "t.k = HASH(s.k)"),
]


def checked(text: str, write: Write, capsys: pytest.CaptureFixture[str]) -> tuple[int, Any]:
    code = cli.run(["check", write(SCENARIO % text), "--json"])
    return code, json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("text", DECIDED)
def test_a_verdict_that_does_not_depend_on_an_unknown_value_is_given(
    text: str, write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    code, found = checked(text, write, capsys)
    assert code == OK
    assert {level["verdict"] for level in found["levels"].values()} == {"holds"}


@pytest.mark.parametrize(("text", "part"), OPEN)
def test_one_that_depends_on_it_is_unknown_and_names_the_part(
    text: str, part: str, write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    code, found = checked(text, write, capsys)
    assert code == FOUND
    for level in found["levels"].values():
        assert level["verdict"] == "unknown"
        assert repr(part) in level["why"]
    assert "rows" not in found


def test_a_scenario_may_expect_that_it_is_unknown(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    text = SCENARIO % OPEN[0][0] + "expect: {levels: {Serializable: unknown}}\n"
    assert cli.run(["check", write(text)]) == OK
    assert "Not predicted: 'HASH(k) = 5'" in capsys.readouterr().out


def test_a_misspelt_statement_is_still_a_mistake(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run(["check", write(SCENARIO % "DELET FROM t")]) == BAD
    assert "did you mean DELETE?" in capsys.readouterr().err


def test_a_replay_shows_what_is_not_predicted(
    write: Write,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    from conformance.replay import campaign

    def start(name: str) -> Engine:
        return ModelEngine()

    def fail(*arguments: object) -> None:
        raise NotPredicted("hash(k) = 5", "a test")

    monkeypatch.setattr(engines, "start", start)
    monkeypatch.setattr(campaign, "compare", fail)
    file = write(SCENARIO % "DELETE FROM t WHERE v = 5")
    assert cli.run(["replay", file, "--json", "--report", str(tmp_path / "report")]) == OK
    found = json.loads(capsys.readouterr().out)
    assert found["not_predicted"] == "'hash(k) = 5': a test"
    assert found["transactions"]["B"]["outcome"] == "committed"
    assert found["differences"] == []
    assert cli.run(["replay", file]) == OK
    assert "Not predicted: 'hash(k) = 5': a test" in capsys.readouterr().out
