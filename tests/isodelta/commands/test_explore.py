"""``isodelta explore``: findings, the summary behind them, and how far it went."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from itertools import islice
from types import SimpleNamespace
from typing import Any

import pytest

from checker.judging.verdict import Verdict
from checker.search import exhaustive
from conformance.replay import campaign
from conformance.replay.comparison import Difference, DifferenceClass
from isodelta import cli
from isodelta.commands.explore import search as exploration
from isodelta.exits import FOUND, INTERRUPTED, OK
from isodelta.runs import replaying
from model.scenario import Scenario
from tests.command_line import Write, objects


def test_explore_reports_findings_and_then_a_summary(
    write: Write, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert cli.run(["explore", "--transactions", "2", "--json"]) == OK
    captured = capfdbinary.readouterr()
    assert captured.err == b""
    *findings, last = objects(captured.out.decode())
    assert list(last) == ["summary"]
    summary = last["summary"]
    assert summary["complete"] is True
    assert summary["violations"] == len(findings) > 0
    assert summary["broken_promises"] == 0
    assert summary["readings"] == {
        name: sum(finding["readings"][name] == "violated" for finding in findings)
        for name in ("conflict", "view", "final_state")
    }
    for finding in findings:
        assert finding["finding"] == "level-violation"
        assert finding["promised"] is False
        assert finding["level"] == "Serializable"
        judged = finding["levels"]["Serializable"]
        assert judged["verdict"] == "violated"
        readings = ("verdict", "view", "final_state")
        assert list(finding["readings"].values()) == [judged[name] for name in readings]
        assert finding["levels"]["WriteSerializable"]["verdict"] == "holds"
        assert finding["transactions"] == len(finding["scenario"]["transactions"]) == 2
    # A finding's scenario is a scenario file: JSON is YAML.
    assert cli.run(["check", write(json.dumps(findings[0]["scenario"])), "--json"]) == OK


def test_explore_finds_nothing_at_serializable(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    arguments = ["explore", "--transactions", "2", "--level", "Serializable", "--json"]
    assert cli.run(arguments) == OK
    (last,) = objects(capfdbinary.readouterr().out.decode())
    assert last["summary"]["violations"] == 0
    assert last["summary"]["complete"] is True


def test_explore_for_people_says_how_far_it_went(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["explore", "--transactions", "2"]) == OK
    output = capsys.readouterr().out
    words = " ".join(output.split())
    assert "Violations that the documents allow at the table's level: " in words
    assert "in all three readings" in words
    assert "schedules of up to 2 transactions (all of them)" in " ".join(output.split())
    assert all(len(line) <= 80 for line in output.splitlines())


def test_ctrl_c_keeps_what_explore_has_found(
    monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    searched: list[str] = []
    run = exploration.Search.run

    def interrupted(search: exploration.Search, level: str, *args: Any, **options: Any) -> Any:
        searched.append(level)
        if len(searched) > 1:
            raise KeyboardInterrupt
        return run(search, level, *args, **options)

    monkeypatch.setattr(exploration.Search, "run", interrupted)
    arguments = ["explore", "--transactions", "2", "--level", "WriteSerializable", "--json"]
    assert cli.run(arguments) == INTERRUPTED
    captured = capfdbinary.readouterr()
    assert captured.err == b"isodelta: interrupted\n"
    *findings, last = objects(captured.out.decode())
    assert findings
    assert last["summary"]["complete"] is False
    assert last["summary"]["violations"] == len(findings)


def test_ctrl_c_in_the_midst_of_a_search_keeps_what_it_has_found(
    monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    judged = exhaustive._Walk.judge
    histories = 0

    def interrupted(walk: exhaustive._Walk, *args: Any) -> None:
        nonlocal histories
        histories += 1
        if histories > 2000:
            raise KeyboardInterrupt
        judged(walk, *args)

    monkeypatch.setattr(exhaustive._Walk, "judge", interrupted)
    arguments = ["explore", "--transactions", "2", "--level", "WriteSerializable", "--json"]
    assert cli.run(arguments) == INTERRUPTED
    *findings, last = objects(capfdbinary.readouterr().out.decode())
    assert findings
    assert last["summary"]["histories"] == 2000
    assert last["summary"]["violations"] == len(findings)


@pytest.mark.slow
def test_explore_samples_what_the_budget_leaves_out(
    monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    def out_of_time(search: exploration.Search, *args: Any, **options: Any) -> Any:
        return run(search, *args, **{**options, "budget": 0.0})

    run = exploration.Search.run
    monkeypatch.setattr(exploration.Search, "run", out_of_time)
    arguments = ["explore", "--transactions", "3", "--budget", "2s", "--seed", "1", "--json"]
    assert cli.run(arguments) in (OK, FOUND)
    *_, last = objects(capfdbinary.readouterr().out.decode())
    assert last["summary"]["complete"] is False
    assert last["summary"]["histories"] > 0


def test_explore_makes_a_difference_from_the_engine_small(
    monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """An engine that does the model's bidding, but for every UPDATE."""

    class Compared:
        def __init__(self, scenario: Scenario) -> None:
            self.scenario = scenario
            self.observation = SimpleNamespace(level="Serializable")
            self.agrees = not any(
                sql.startswith("UPDATE") for sql in scenario.transactions.values()
            )
            wrong = Difference("table", "final rows", "", "", DifferenceClass.MODEL_IS_WRONG)
            self.differences = () if self.agrees else (wrong,)
            self.verdicts: dict[str, Verdict] = {}

    def replay(engine: object, job: campaign.Job, profile: object) -> SimpleNamespace:
        return SimpleNamespace(job=job, comparison=Compared(job.scenario))

    def run_campaign(
        engine: object, jobs: Iterable[campaign.Job], profile: object, **options: object
    ) -> Iterator[SimpleNamespace]:
        for job in islice(jobs, 30):
            done = replay(engine, job, profile)
            yield done
            if not done.comparison.agrees:
                return

    monkeypatch.setattr(replaying, "started_engine", lambda name: nullcontext(name))
    monkeypatch.setattr(campaign, "replay", replay)
    monkeypatch.setattr(campaign, "run_campaign", run_campaign)
    written = SimpleNamespace(to_json=lambda: {"levels": {}, "differences": ["x"]})
    monkeypatch.setattr(replaying, "replay_result", lambda comparison, profile: written)
    arguments = ["explore", "--transactions", "2", "--level", "Serializable", "--json"]
    assert cli.run([*arguments, "--engine", "delta-spark"]) == FOUND
    difference, last = objects(capfdbinary.readouterr().out.decode())
    assert difference["finding"] == "difference"
    assert difference["level"] == "Serializable"
    (sql,) = difference["scenario"]["transactions"].values()
    assert sql.startswith("UPDATE t SET")
    assert last["summary"]["differences"] == 1
    assert last["summary"]["replays"] >= 1
