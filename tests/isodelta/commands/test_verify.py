"""The suite from start to end, with the model, sound or with a bug, in the engine's place."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import wait
from dataclasses import replace
from pathlib import Path

import pytest

from checker.search.statement_kinds import CELL_KINDS, KINDS
from conformance.engine import Engine, EngineError
from conformance.model_engine import ModelEngine, ModelReplay
from isodelta.commands.verify.collection import SUITES
from isodelta.commands.verify.conflict_table import run_conflict_table
from isodelta.commands.verify.context import Suite
from isodelta.commands.verify.progress import Silent
from isodelta.commands.verify.results import SuiteRun
from isodelta.commands.verify.run import SUITE_REPLAYS, Order, run_suite
from isodelta.commands.verify.search import SearchInBackground
from isodelta.files.collection import collection_files, suite_files
from isodelta.report import FindingClass, Report
from model.outcomes import SUCCEEDED
from model.profiles import DEFAULT
from model.rules.delta_spark import ADDED_FILES
from model.scenario import Scenario

pytestmark = pytest.mark.slow

CLAIMS = ("N7", "N8", "N27")
"""One that a search decides, one that replays decide, and one that is out of scope."""

BUDGET = 300.0
"""Far more than is needed: what ends a run is that it is through, not the clock."""


def order(folder: Path) -> Order:
    return Order(
        profile=DEFAULT,
        engine="model",
        seed=1,
        budget=BUDGET,
        folder=folder,
        scenario_files=collection_files(),
        statement_files=[],
        suite_files=suite_files(),
        command="isodelta verify",
        versions={},
        transactions=2,
        random_replays=40,
        kinds=CELL_KINDS,
        claims=CLAIMS,
    )


def run(folder: Path, start: Callable[[], Engine]) -> SuiteRun:
    return run_suite(order(folder), start)


def summary(folder: Path) -> Mapping[str, float]:
    return json.loads((folder / "report.json").read_text())["summary"]


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> SuiteRun:
    suite = run(tmp_path_factory.mktemp("sound"), ModelEngine)
    assert suite.engine_failed is None
    return suite


def test_an_engine_that_follows_the_rules_never_differs(sound: SuiteRun) -> None:
    folder, report = sound.page.parent, sound.report
    assert summary(folder)["replays"] > 100
    assert summary(folder)["differences"] == summary(folder)["unexplained"] == 0
    assert report.ended
    suites = len(report.scenarios) - sum(1 for result in report.scenarios if result.observed)
    (left_out,) = report.left_out
    assert left_out.startswith(f"{suites} of "), "only the sample of the suites leaves some out"
    assert not report.complete


def test_the_holes_of_the_rules_are_found(
    sound: SuiteRun,
) -> None:
    folder, report = sound.page.parent, sound.report
    broken = {finding.level for finding in report.findings if finding.promised}
    assert {"Serializable", "WriteSerializable"} <= broken
    assert summary(folder)["violations"] > 0
    assert not sound.good


def test_every_finding_is_a_scenario_file(sound: SuiteRun) -> None:
    folder, report = sound.page.parent, sound.report
    written = {path.stem for path in (folder / "findings").glob("*.yaml")}
    assert written == {finding.name for finding in report.findings}


def test_every_scenario_of_the_collection_is_replayed(sound: SuiteRun) -> None:
    report = sound.report
    files = {path.name for path in collection_files()}
    collection = [result for result in report.scenarios if result.file in files]
    assert len(collection) >= 25
    assert all(result.observed and not result.failures for result in collection)


def test_of_what_the_implementations_suites_expect_a_sample_is_replayed(
    sound: SuiteRun,
) -> None:
    report = sound.report
    (part,) = (part for part in report.parts if part.name == SUITES)
    assert part.status == "passed"
    assert part.counts["scenarios"] > 70
    assert part.counts["replayed"] == SUITE_REPLAYS


def test_the_conflict_table_has_every_ordered_pair_from_all_three_sources(
    sound: SuiteRun,
) -> None:
    report = sound.report
    assert len(report.matrix) == 6 * 6 * 2 * 2
    assert all(cell.document and cell.model and cell.engine for cell in report.matrix)


def test_the_ledger_has_its_claims_in_order_with_evidence(
    sound: SuiteRun,
) -> None:
    report = sound.report
    assert [line.name for line in report.claims] == list(CLAIMS)
    assert [line.status for line in report.claims] == ["confirmed", "confirmed", "out of scope"]
    assert report.claims[1].evidence


def test_without_time_claims_are_shown_as_not_run_and_other_kinds_are_left_out(
    tmp_path: Path,
) -> None:
    asked = replace(order(tmp_path), budget=0.0, kinds=KINDS)
    report = run_suite(asked, ModelEngine).report
    assert {line.status for line in report.claims} == {"not run"}
    assert report.scenarios == []
    assert len(report.matrix) == len(CELL_KINDS) ** 2 * 2 * 2
    assert all(cell.model and cell.engine is None for cell in report.matrix)


def test_an_engine_without_a_rule_breaks_its_level(tmp_path: Path) -> None:
    suite = run(tmp_path, lambda: ModelEngine(DEFAULT.without("added files")))
    assert not suite.good
    assert summary(tmp_path)["differences"] > 0
    assert any(f.kind.value == "engine breaks the level it claims" for f in suite.report.findings)


class DyingEngine(ModelEngine):
    """Dies at its fifth scenario."""

    def __init__(self) -> None:
        super().__init__()
        self.left = 5
        self.lock = threading.Lock()

    def open(self, scenario: Scenario, level: str | None = None) -> ModelReplay:
        with self.lock:
            self.left -= 1
        if self.left <= 0:
            raise EngineError("the JVM is gone", scenario=scenario.name, step="begin A")
        return super().open(scenario, level)


def test_a_dead_engine_leaves_a_report_of_what_was_found_so_far(tmp_path: Path) -> None:
    suite = run(tmp_path, DyingEngine)
    assert suite.engine_failed is not None
    assert "the JVM is gone" in suite.engine_failed
    assert "begin A" in suite.engine_failed
    assert not suite.report.ended
    assert summary(tmp_path)["violations"] > 0, "the model's part goes on"
    assert "the JVM is gone" in (tmp_path / "index.html").read_text()


def no_engine() -> Engine:
    raise EngineError("no Java 17 or newer was found")


def test_without_an_engine_the_model_part_runs_and_says_so(tmp_path: Path) -> None:
    suite = run(tmp_path, no_engine)
    assert suite.engine_failed == "no Java 17 or newer was found"
    assert summary(tmp_path)["replays"] == 0
    assert summary(tmp_path)["violations"] > 0


class InterruptedEngine(ModelEngine):
    """Ctrl-C arrives while it starts."""

    def __init__(self) -> None:
        raise KeyboardInterrupt


def test_ctrl_c_leaves_a_report_that_says_so(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, InterruptedEngine)
    assert "interrupted" in (tmp_path / "index.html").read_text()


def test_ctrl_c_keeps_what_the_search_has_found(tmp_path: Path, monkeypatch) -> None:
    """The search is waited for as long as it takes to find something, and then interrupted."""

    def interrupted(searching: SearchInBackground) -> None:
        wait(searching._futures[:2])
        raise KeyboardInterrupt

    monkeypatch.setattr(SearchInBackground, "results", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, ModelEngine)
    assert summary(tmp_path)["schedules"] > 0
    assert summary(tmp_path)["violations"] > 0


def test_an_engine_that_refuses_what_model_and_documents_allow_is_reported(tmp_path: Path) -> None:
    """The finding shows the replayed pair: the model's table has no witness of such a conflict."""
    refuses_all = replace(ADDED_FILES, check=lambda attempt, winner: "it refuses every commit")
    report = Report("", "isodelta verify", DEFAULT.name, "model", 1, {})
    engine = ModelEngine(DEFAULT.with_rule(refuses_all))
    suite = Suite(report, tmp_path, DEFAULT, 1, BUDGET, Silent(), engine)
    run_conflict_table(suite, suite.deadline())
    differing = [f for f in report.findings if f.kind is FindingClass.DOCUMENT_DIFFERS]
    cells = [cell for cell in report.matrix if (cell.document, cell.engine) == ("cannot", "can")]
    assert len(differing) == len(cells) > 0
    assert {cell.model for cell in cells} == {"cannot"}
    for finding in differing:
        assert finding.predicted is not None
        assert finding.observed is not None
        assert finding.predicted.transactions["A"].outcome in SUCCEEDED
        assert finding.observed.transactions["A"].outcome == "ConcurrentAppend"
