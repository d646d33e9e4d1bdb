"""A release in a process of its own: the same answers, and one line where it breaks."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.delta_rs.engine import DeltaRsEngine
from conformance.engine import BadStatement, EngineError
from conformance.releases import client
from conformance.releases.catalogue import Release, release
from conformance.releases.client import ReleasedEngine
from conformance.releases.environment import packages_of
from conformance.releases.table import Cell, ReleaseRow, changes, run_release
from conformance.replay import campaign
from conformance.replay.campaign import Job
from isodelta.files.scenarios import load_scenarios
from model.profiles import profile
from model.scenario import Scenario
from tests.command_line import ROOT

RULES = profile("delta-rs-1.6")
FINDINGS = ROOT / "docs" / "findings" / "delta_rs.yaml"


def finding(name: str) -> Scenario:
    (chosen,) = [s for s in load_scenarios(FINDINGS, profile=RULES) if s.name == name]
    return chosen


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Release:
    """A release whose packages are those of this environment."""
    monkeypatch.setattr(client, "packages_of", lambda _: tmp_path)
    return Release("delta-rs", "0.0.1", ())


@pytest.fixture
def engine(here: Release) -> Iterator[ReleasedEngine]:
    running = ReleasedEngine(here)
    yield running
    running.close()


def test_a_replay_there_is_a_replay_here(engine: ReleasedEngine) -> None:
    job = Job(finding("a delete of all rows misses an insert"), "Serializable")
    mine = DeltaRsEngine()
    try:
        local, remote = (campaign.replay(one, job, RULES).comparison for one in (mine, engine))
    finally:
        mine.close()
    assert remote.observation.outcomes == local.observation.outcomes
    assert remote.observation.rows == local.observation.rows
    assert engine.name == "delta-rs@0.0.1"
    assert engine.versions()["deltalake"]


def test_errors_keep_their_kind(engine: ReleasedEngine) -> None:
    story = finding("two compactions duplicate every row")
    with pytest.raises(EngineError, match="committed before its begin"):
        engine.open(story).commit("A")
    wrong = replace(story, table=replace(story.table, setup=("INSERT INTO t VALUES ('x', 1)",)))
    with pytest.raises(BadStatement, match="set-up"):
        engine.open(wrong)


def test_a_process_that_dies_is_one_line(engine: ReleasedEngine) -> None:
    story = engine.open(finding("two compactions duplicate every row"))
    os.kill(engine._process.pid, signal.SIGKILL)
    with pytest.raises(EngineError, match=r"the process of delta-rs@0.0.1 has died") as caught:
        story.begin("A")
    assert "\n" not in str(caught.value)
    assert not engine.usable()


def test_broken_packages_are_one_line(here: Release, tmp_path: Path) -> None:
    (tmp_path / "deltalake").mkdir()
    (tmp_path / "deltalake" / "__init__.py").write_text("raise ImportError('half of it')")
    with pytest.raises(EngineError, match=r"delta-rs@0.0.1 did not start: .*half of it"):
        ReleasedEngine(here)


def test_nothing_is_left_behind(here: Release) -> None:
    running = ReleasedEngine(here)
    folder = running._folder
    running.close()
    assert not folder.exists()
    assert running._process.poll() is not None


@pytest.mark.slow
def test_two_neighbours_differ_over_compactions() -> None:
    """The step from 1.5 to 1.6: two compactions of the same files commit both."""
    older, newer = release("delta-rs@1.5.1"), release("delta-rs@1.6.6")
    try:
        for one in (older, newer):
            packages_of(one)
    except EngineError as error:
        pytest.skip(str(error))
    names = ("two compactions duplicate every row", "an insert conflicts with a delete")
    cells = [Cell("finding", finding(name), "Serializable") for name in names]
    rows = [ReleaseRow(one, run_release(one, cells, RULES), 0.0) for one in (older, newer)]
    (change,) = changes(rows, cells)
    assert change.cell.name == "two compactions duplicate every row"
    assert dict(change.before.outcomes) == {"A": "committed", "B": "ConcurrentDeleteDelete"}
    assert change.after.verdict == "violated"
