"""The files of a report: JSON, JUnit XML, finding files, pictures, and how they are written."""

from __future__ import annotations

import json
import os
import re
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

from conformance.replay.comparison import Difference, DifferenceClass
from isodelta.files.scenario_writer import scenario_mapping, scenario_yaml
from isodelta.report import (
    Bound,
    ClaimLine,
    Finding,
    FindingClass,
    Report,
    SuitePart,
    Summary,
    write_report,
)
from isodelta.report.data import NOT_RUN, difference_text
from isodelta.report.files import writer as report_writer
from isodelta.report.files.sql_script import sql_script
from isodelta.report.html import duration, headline, report_html
from isodelta.report.pictures.schedule import count
from isodelta.report.views.answers import derived_answer
from isodelta.report.views.finding import finding_view, side_by_side
from isodelta.report.views.tables import bound_table
from model.scenario import Scenario, TableSpec
from tests.isodelta.report.sample import (
    READER_RESULT,
    REFUSED_RESULT,
    hostile_report,
    sample_report,
    steps,
    write_skew,
)

SCENARIO = write_skew("Serializable")


class Tags(HTMLParser):
    """Collects tags with their attributes, and the text outside of style and script."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def parsed(page: str) -> Tags:
    tags = Tags()
    tags.feed(page)
    return tags


def empty_report() -> Report:
    return Report(
        paragraph="Nothing yet.",
        command="isodelta verify",
        profile="delta-spark-4.4",
        engine="delta-spark",
        seed=1,
    )


# Files


def test_all_files_are_written(tmp_path: Path) -> None:
    index = write_report(tmp_path / "report", sample_report())
    assert index == tmp_path / "report" / "index.html"
    assert sorted(p.name for p in index.parent.iterdir()) == [
        "findings",
        "index.html",
        "junit.xml",
        "report.json",
    ]
    assert len(list((index.parent / "findings").iterdir())) == 8


def test_the_summary_of_report_json_has_the_counts_of_the_contract(tmp_path: Path) -> None:
    index = write_report(tmp_path, sample_report())
    report = json.loads((index.parent / "report.json").read_text())
    assert next(iter(report)) == "summary"
    assert report["summary"] == {
        "scenarios": 14,
        "schedules": 1_204_832,
        "replays": 412,
        "differences": 4,
        "unexplained": 1,
        "violations": 7,
        "seconds": 231.4,
        "budget_seconds": 240,
    }
    assert report["complete"] is True
    assert report["seed"] == 7
    assert {f["class"] for f in report["findings"]} == {kind.value for kind in FindingClass}
    assert report["matrix"][0]["current"] == "INSERT"
    assert {"versions", "coverage", "scenarios", "bounds"} <= report.keys()


def test_a_finding_file_loads_back_to_the_scenario(tmp_path: Path) -> None:
    report = sample_report()
    write_report(tmp_path, report)
    for finding in report.findings:
        text = (tmp_path / "findings" / f"{finding.name}.yaml").read_text()
        assert yaml.safe_load(text) == scenario_mapping(finding.scenario)
        command = "replay" if finding.profile is None else "check"
        assert f"isodelta {command} findings/{finding.name}.yaml" in text


def test_a_finding_file_reads_like_one_written_by_hand() -> None:
    text = scenario_yaml(write_skew("WriteSerializable"))
    assert "  columns: {k: int, p: int, v: int}\n" in text
    assert "schedule: [begin A, B, R, commit A]\n" in text
    assert "  A: DELETE FROM t WHERE p = 1\n" in text


def test_hostile_names_survive_the_round_trip_through_yaml() -> None:
    scenario = hostile_report().findings[0].scenario
    assert yaml.safe_load(scenario_yaml(scenario)) == scenario_mapping(scenario)


def test_writing_again_replaces_what_was_there_and_leaves_other_files(tmp_path: Path) -> None:
    report = sample_report()
    report.ended = False
    report.incomplete_because = "interrupted by Ctrl-C"
    write_report(tmp_path, report)
    (tmp_path / "findings" / "my-own.yaml").write_text("name: mine\n")
    assert "interrupted by Ctrl-C" in (tmp_path / "index.html").read_text()
    dropped = report.findings.pop()
    report.ended = True
    write_report(tmp_path, report)
    assert "This report is incomplete" not in (tmp_path / "index.html").read_text()
    assert not (tmp_path / "findings" / f"{dropped.name}.yaml").exists()
    assert (tmp_path / "findings" / "my-own.yaml").exists()


def test_a_failed_write_leaves_the_earlier_report_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_report(tmp_path, sample_report())
    before = {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()}

    def broken(source: str, target: Path) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", broken)
    with pytest.raises(OSError, match="disk full"):
        write_report(tmp_path, empty_report())
    assert {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()} == before


def test_a_foreign_report_json_is_no_obstacle(tmp_path: Path) -> None:
    for content in ("no json", "[]", '{"findings": [{"name": "../../etc"}, {"name": 3}]}'):
        (tmp_path / "report.json").write_text(content)
        write_report(tmp_path, empty_report())
        assert json.loads((tmp_path / "report.json").read_text())["findings"] == []


def test_finding_names_must_be_file_names_and_unique(tmp_path: Path) -> None:
    for name in ("", "../up", "a/b", "Ä", ".hidden", "x\n"):
        with pytest.raises(ValueError, match="cannot name a file"):
            Finding(name, "t", FindingClass.UNEXPLAINED, "Serializable", "s", SCENARIO)
    report = sample_report()
    report.findings.append(report.findings[0])
    with pytest.raises(ValueError, match="two findings are named"):
        write_report(tmp_path, report)


def test_the_writer_does_not_load_the_page_until_it_writes() -> None:
    assert "jinja2" not in vars(report_writer)


# JUnit


def test_junit_has_one_case_per_scenario_and_part_and_fails_with_messages(tmp_path: Path) -> None:
    report = sample_report()
    write_report(tmp_path, report)
    root = ElementTree.parse(tmp_path / "junit.xml").getroot()
    suites = {suite.get("name"): suite for suite in root}
    assert len(suites["scenarios"]) == len(report.scenarios)
    assert {case.get("name") for case in suites["suite"]} == {
        "exhaustive search",
        "conflict table",
        "liquid clustering",
    }
    failure = suites["replays"].find("testcase/failure")
    assert failure is not None
    assert failure.get("message") == "1 outcome is not explained"
    messages = [f.get("message") for f in suites["scenarios"].iter("failure")]
    assert messages == ["expected A: committed, got ConcurrentAppend"]
    assert [e.get("message") for e in suites["scenarios"].iter("error")] == [
        "step 'commit A' did not end within 60 s"
    ]
    # Only the classes that somebody has to act on fail the build.
    assert len(suites["findings"]) == 4
    assert root.get("failures") == "6"
    assert root.get("errors") == "1"
    # One part, and the scenarios that were checked in the model but not replayed.
    unreplayed = [
        scenario
        for scenario in report.scenarios
        if scenario.observed is None and not (scenario.failures or scenario.error)
    ]
    assert len(unreplayed) == 2
    assert root.get("skipped") == str(1 + len(unreplayed))
    assert {
        case.get("name") for case in suites["scenarios"] if case.find("skipped") is not None
    } == {"phantom"}


def test_what_was_left_out_is_named_and_makes_a_report_incomplete(tmp_path: Path) -> None:
    report = sample_report()
    assert report.complete
    report.left_out = ["2 of 3 claims of the documents"]
    report.claims = [
        ClaimLine("N1", "It is so.", ("A",), "experiment", status, "why")
        for status in ("confirmed", NOT_RUN)
    ]
    index = write_report(tmp_path, report)
    written = json.loads((tmp_path / "report.json").read_text())
    assert written["complete"] is False
    assert written["left_out"] == report.left_out
    assert written["incomplete_because"] == "left out: 2 of 3 claims of the documents"
    assert "2 of 3 claims of the documents" in parsed(index.read_text()).text
    root = ElementTree.parse(tmp_path / "junit.xml").getroot()
    claims = root.find("testsuite[@name='claims']")
    assert claims is not None
    assert (claims.get("tests"), claims.get("skipped")) == ("2", "1")
    ended = root.find("testsuite[@name='run']")
    assert ended is not None
    assert ended.get("errors") == "0", "the run itself came to its end"


def test_an_incomplete_run_is_never_green(tmp_path: Path) -> None:
    report = empty_report()
    report.incomplete_because = "the engine died at step 'commit B'"
    write_report(tmp_path, report)
    root = ElementTree.parse(tmp_path / "junit.xml").getroot()
    assert root.get("errors") == "1"
    assert root.find(".//error").get("message") == "the engine died at step 'commit B'"  # type: ignore[union-attr]
    report.ended = True
    write_report(tmp_path, report)
    assert ElementTree.parse(tmp_path / "junit.xml").getroot().get("errors") == "0"


def test_control_characters_do_not_break_the_xml(tmp_path: Path) -> None:
    report = empty_report()
    report.parts = [SuitePart("a\x00b", "failed", message="bad \x1b[31m")]
    write_report(tmp_path, report)
    case = ElementTree.parse(tmp_path / "junit.xml").getroot().find(".//testcase")
    assert case is not None
    assert case.get("name") == "a\ufffdb"


# The page


def test_hostile_text_stays_text() -> None:
    page = report_html(hostile_report())
    tags = parsed(page)
    assert [tag for tag, _ in tags.tags].count("script") == 1
    assert not [tag for tag, _ in tags.tags if tag == "img"]
    assert not [a for _, attributes in tags.tags for a in attributes if a.startswith("on")]
    assert "<script>document.title" in tags.text


def test_the_page_names_no_address_to_load_from() -> None:
    tags = parsed(report_html(sample_report()))
    for tag, attributes in tags.tags:
        for key in ("src", "href", "srcset", "action", "poster"):
            address = attributes.get(key)
            assert not address or address.startswith(("#", "data:,", "findings/")), (tag, address)
        assert "style" not in attributes


def test_each_finding_shows_its_statements() -> None:
    text = parsed(report_html(sample_report())).text
    for statement in SCENARIO.transactions.values():
        # Once in sight, once in the SQL script, once in the scenario file; four findings.
        assert text.count(statement) >= 12


def test_ids_are_unique_and_links_lead_somewhere() -> None:
    tags = parsed(report_html(sample_report()))
    ids = [attributes["id"] for _, attributes in tags.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    for _, attributes in tags.tags:
        href = attributes.get("href") or ""
        if href.startswith("#"):
            assert href[1:] in ids
        for name in (attributes.get("aria-labelledby") or "").split():
            assert name in ids


def test_an_empty_report_says_so_and_claims_nothing() -> None:
    text = parsed(report_html(empty_report())).text
    assert "This report is incomplete: the run is not over yet" in re.sub(r"\s+", " ", text)
    assert "nothing was replayed on a real table" in text
    assert "sets no bound" in text


def test_headline_and_durations() -> None:
    report = empty_report()
    nothing = "Nothing that was run breaks a promised level"
    assert headline(report) == f"{nothing}; nothing was replayed on a real table."
    report.summary = Summary(replays=10)
    assert headline(report) == f"{nothing}; model and engine agree in every step of 10 replays."
    report.summary = Summary(replays=10, differences=1)
    assert headline(report) == f"{nothing}; 1 difference from the model, each with its class."
    assert [duration(s) for s in (0.04, 9.4, 59.4, 59.7, 120, 185)] == [
        "0.0 s",
        "9.4 s",
        "59 s",
        "1 min",
        "2 min",
        "3 min 05 s",
    ]


def test_counts_are_grammatical() -> None:
    assert [count(n, "history") for n in (0, 1, 1200)] == [
        "0 histories",
        "1 history",
        "1,200 histories",
    ]
    assert count(2, "replay") == "2 replays"


# Tables and texts


def test_side_by_side_marks_what_differs() -> None:
    lines = {line.subject: line for line in side_by_side(READER_RESULT, REFUSED_RESULT)}
    assert lines["A"].predicted == "committed, v3, snapshot v1"
    assert lines["A"].observed == "ConcurrentAppend with B, snapshot v1"
    assert lines["R"].predicted == "read (3), snapshot v2"
    assert [name for name, line in lines.items() if line.differs] == [
        "A",
        "final rows",
        "Serializable",
    ]


def test_a_side_that_was_not_run_differs_from_nothing() -> None:
    lines = side_by_side(READER_RESULT, None)
    assert {line.observed for line in lines} == {"not run"}
    assert not any(line.differs for line in lines)


def test_a_finding_judged_by_what_was_observed() -> None:
    report = sample_report()
    view = finding_view(report.findings[0], report.engine)
    assert view.cycle == "A → B → A"
    assert dict(view.readings) == {
        "conflict": "violated",
        "view": "violated",
        "final state": "violated",
    }
    assert [reason.kind for reason in view.reasons] == ["rw", "log"]
    assert view.command.endswith("--engine delta-spark")


def test_the_sql_can_be_pasted() -> None:
    script = sql_script(write_skew("WriteSerializable"))
    statements = [line for line in script.splitlines() if line and not line.startswith("--")]
    assert statements == [
        "CREATE TABLE t (k int, p int, v int) USING delta",
        "PARTITIONED BY (p);",
        "INSERT INTO t VALUES (1, 1, 10), (2, 2, 20);",
        "INSERT INTO t VALUES (7, 1, 0);",
        "SELECT count(*) FROM t;",
        "DELETE FROM t WHERE p = 1;",
    ]
    assert "Open-source Delta\n-- refuses to set it in SQL" in script


def test_sql_of_other_tables_and_properties() -> None:
    script = sql_script(
        Scenario(
            "other tables",
            TableSpec(columns={"odd name": "int"}, properties={"a": "it's"}),
            {"A": "SET x = y;\nSELECT 1"},
            steps("begin A", "commit A"),
            tables={"s": TableSpec(columns={"k": "int"}, cluster_by=("k",))},
        )
    )
    assert "CREATE TABLE s (k int) USING delta\nCLUSTER BY (k);" in script
    assert "CREATE TABLE t (`odd name` int) USING delta\nTBLPROPERTIES ('a' = 'it\\'s');" in script
    assert script.endswith("SET x = y;\nSELECT 1;\n")


def test_answers_count_only_scenarios_with_the_level_in_force() -> None:
    report = sample_report()
    weak = derived_answer(report, "WriteSerializable")
    assert "holds in 7" in weak.predicted
    assert "6 scenarios run at this level would break Serializable" in weak.broken_by
    assert "Model and engine differ in 1 of 6 scenarios." in weak.differ
    assert "7 minimal violations" in weak.broken_by
    assert "No violation in anything" not in weak.broken_by


def test_many_bounds_of_a_level_are_told_together() -> None:
    report = empty_report()
    report.bounds = [
        Bound("Serializable", 3, 32, 1000, found, done, layout, reading, in_force)
        for in_force, found, done in (("Serializable", 0, True), ("WriteSerializable", 7, False))
        for layout in ("partitioned", "unpartitioned")
        for reading in ("conflict", "view")
    ]
    assert derived_answer(report, "Serializable").broken_by == (
        "On tables that promise it the search found no violation "
        "(up to 3 transactions, 2,000 schedules). "
        "On tables that do not promise it the search found 14 minimal violations "
        "(up to 3 transactions, 2,000 schedules, not finished)."
    )
    levels, lines = bound_table(report)
    assert levels == ("Serializable",)
    assert [(line.bound.where, line.results) for line in lines] == [
        ("partitioned, Serializable tables", ("none",)),
        ("unpartitioned, Serializable tables", ("none",)),
        ("partitioned, WriteSerializable tables", ("7 / 7",)),
        ("unpartitioned, WriteSerializable tables", ("7 / 7",)),
    ]
    assert parsed(report_html(report)).text.count("✕ not finished") == 2


def test_bounds_that_name_no_reading_stand_each_for_itself() -> None:
    report = empty_report()
    report.bounds = [Bound("Serializable", 3, 32, 10, n, True, f"part {n}") for n in range(3)]
    levels, lines = bound_table(report)
    assert levels == ("Serializable",)
    assert [line.results for line in lines] == [("none",), ("1",), ("2",)]


def test_a_level_broken_where_it_is_not_promised_is_told_apart() -> None:
    report = sample_report()
    assert not report.findings[0].promised
    answer = derived_answer(report, "Serializable")
    assert "1 finding on tables that promise it: 1 in all three readings." in answer.broken_by
    assert "1 finding on tables that promise only the weaker level: 1 in" in answer.broken_by
    assert "on a WriteSerializable table" in parsed(report_html(report)).text


def test_differences_of_a_replay_are_told_in_words() -> None:
    difference = Difference(
        "A", "outcome", "committed", "ConcurrentAppend", DifferenceClass.UNKNOWN
    )
    assert difference_text(difference) == (
        "A, outcome: predicted committed, observed ConcurrentAppend (not decided)"
    )


def test_nothing_replayed_is_not_reported_as_agreement() -> None:
    answer = derived_answer(empty_report(), "Serializable")
    assert "this is unknown" in answer.differ
    assert "agree" not in answer.differ


def test_a_bound_promises_no_more_than_was_searched() -> None:
    assert Bound("Serializable", 3, 32, 1000, 0, True).sentence == (
        "No violation of Serializable up to 3 transactions over 32 statements, 1,000 schedules "
        "(all of them)."
    )
    assert "not finished" in Bound("Serializable", 3, 32, 1000, 0, False).sentence
