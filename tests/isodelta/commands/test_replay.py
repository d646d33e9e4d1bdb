"""``isodelta replay``: its report folder, with the model, sound or with a bug, as the engine."""

from __future__ import annotations

import json
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from conformance.engine import Engine, EngineError
from conformance.model_engine import ModelEngine, ModelReplay
from isodelta import cli
from isodelta.exits import BAD, ENGINE, FOUND, OK
from isodelta.runs import engines
from model.profiles import DEFAULT
from model.scenario import Scenario
from tests.command_line import EXAMPLE, HOLE, SCENARIOS, Write

Start = Callable[[Callable[[], Engine]], None]


@pytest.fixture
def engine_is(monkeypatch: pytest.MonkeyPatch) -> Start:
    """Puts an engine in the place of the real one."""

    def put(start: Callable[[], Engine]) -> None:
        monkeypatch.setattr(engines, "start", lambda name: start())

    return put


def reported(folder: Path) -> dict[str, Any]:
    report: dict[str, Any] = json.loads((folder / "report.json").read_text())
    return report


def test_the_report_has_what_was_observed_beside_what_was_predicted(
    engine_is: Start, write: Write, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    engine_is(ModelEngine)
    folder = tmp_path / "report"
    files = [write(EXAMPLE), str(SCENARIOS / "write_serializable_hole.yaml")]
    assert cli.run(["replay", *files, "--json", "--report", str(folder)]) == OK
    printed = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    report = reported(folder)
    assert [scenario["observed"] for scenario in report["scenarios"]] == printed
    assert cli.run(["check", *files, "--json"]) == OK
    checked = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [scenario["predicted"] for scenario in report["scenarios"]] == checked
    counts = report["summary"]
    assert (counts["scenarios"], counts["replays"]) == (len(printed), len(printed))
    assert (counts["differences"], counts["unexplained"]) == (0, 0)
    assert (report["engine"], report["complete"]) == ("delta-spark", True)
    assert report["versions"]["profile"] == DEFAULT.name
    page = unescape((folder / "index.html").read_text())
    assert "model and engine agree in every step" in page
    assert all(result["scenario"] in page for result in printed)


def test_a_violation_that_the_engine_lets_through_is_a_finding(
    engine_is: Start, write: Write, tmp_path: Path
) -> None:
    engine_is(ModelEngine)
    folder = tmp_path / "report"
    expecting = HOLE + "expect: {levels: {WriteSerializable: violated}}\n"
    assert cli.run(["replay", write(expecting), "--report", str(folder)]) == OK
    (finding,) = reported(folder)["findings"]
    assert (finding["class"], finding["level"]) == ("level violation", "WriteSerializable")
    assert finding["observed"]["levels"]["WriteSerializable"]["verdict"] == "violated"
    assert reported(folder)["scenarios"][0]["finding"] == finding["name"] == "a-broken-promise"
    assert reported(folder)["summary"]["violations"] == 1
    again = folder / "findings" / "a-broken-promise.yaml"
    assert cli.run(["replay", str(again), "--report", str(tmp_path / "again")]) == OK
    (same,) = reported(tmp_path / "again")["findings"]
    assert same["observed"] == finding["observed"]


def test_a_difference_is_a_finding_with_its_class(
    engine_is: Start, write: Write, tmp_path: Path
) -> None:
    engine_is(lambda: ModelEngine(DEFAULT.without("added files")))
    folder = tmp_path / "report"
    asked = EXAMPLE.replace("WriteSerializable", "Serializable")
    assert cli.run(["replay", write(asked), "--report", str(folder)]) == FOUND
    report = reported(folder)
    (finding,), (scenario,) = report["findings"], report["scenarios"]
    assert (finding["class"], finding["level"]) == (
        "engine breaks the level it claims",
        "Serializable",
    )
    assert scenario["finding"] == finding["name"]
    assert report["summary"]["differences"] == len(finding["observed"]["differences"]) > 0
    assert report["summary"]["unexplained"] == 0
    page = unescape((folder / "index.html").read_text())
    assert "A: outcome predicted ConcurrentAppend, observed committed" in page


def test_what_an_author_expected_otherwise_is_in_the_report(
    engine_is: Start, write: Write, tmp_path: Path
) -> None:
    engine_is(ModelEngine)
    wrong = EXAMPLE + "expect: {outcomes: {B: ConcurrentAppend}}\n"
    assert cli.run(["replay", write(wrong), "--report", str(tmp_path / "report")]) == FOUND
    (scenario,) = reported(tmp_path / "report")["scenarios"]
    assert scenario["failures"] == ["B: expected ConcurrentAppend, got committed"]


class DyingEngine(ModelEngine):
    """Dies at its second scenario."""

    opened = 0

    def open(self, scenario: Scenario, level: str | None = None) -> ModelReplay:
        self.opened += 1
        if self.opened > 1:
            raise EngineError("it is gone", scenario=scenario.name)
        return super().open(scenario, level)


def test_an_engine_that_dies_leaves_a_report_of_what_it_did(
    engine_is: Start, write: Write, tmp_path: Path
) -> None:
    engine_is(DyingEngine)
    folder = tmp_path / "report"
    files = [write(EXAMPLE), str(SCENARIOS / "write_serializable_hole.yaml")]
    assert cli.run(["replay", *files, "--report", str(folder)]) == ENGINE
    report = reported(folder)
    assert [scenario["name"] for scenario in report["scenarios"]] == ["a delete meets an append"]
    assert not report["complete"]
    assert "it is gone" in report["incomplete_because"]


def test_a_scenario_that_breaks_down_does_not_cost_the_others(
    engine_is: Start, write: Write, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    class Stumbling(ModelEngine):
        def open(self, scenario: Scenario, level: str | None = None) -> ModelReplay:
            if scenario.name == "a delete meets an append":
                raise EngineError("it stumbled", scenario=scenario.name)
            return super().open(scenario, level)

    engine_is(Stumbling)
    files = [write(EXAMPLE), str(SCENARIOS / "write_serializable_hole.yaml")]
    folder = tmp_path / "report"
    assert cli.run(["replay", *files, "--json", "--report", str(folder)]) == ENGINE
    first, *others = map(json.loads, capsys.readouterr().out.splitlines())
    assert "it stumbled" in first["error"]
    assert [other["agrees"] for other in others] == [True] * 3
    assert len(reported(folder)["scenarios"]) == 3
    assert cli.run(["replay", *files]) == ENGINE
    assert "The replay broke down" in capsys.readouterr().out


def test_a_report_that_cannot_be_written_is_bad_usage(
    engine_is: Start, write: Write, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    engine_is(ModelEngine)
    (tmp_path / "file").write_text("")
    assert cli.run(["replay", write(EXAMPLE), "--report", str(tmp_path / "file" / "in")]) == BAD
    assert "cannot be written" in capsys.readouterr().err


def test_the_command_of_a_finding_has_the_profile_that_was_asked_for(
    engine_is: Start, write: Write, tmp_path: Path
) -> None:
    """Under the repaired rules the model refuses what the engine lets through."""
    engine_is(ModelEngine)
    folder, profile = tmp_path / "report", "delta-spark-4.4-repaired"
    assert cli.run(["replay", write(HOLE), "--profile", profile, "--report", str(folder)]) == FOUND
    (finding,) = reported(folder)["findings"]
    assert finding["command"] == (
        f"isodelta replay findings/{finding['name']}.yaml --engine delta-spark --profile {profile}"
    )
