"""Findings grouped by cause: the cause of a history, its title, and the first screen."""

from __future__ import annotations

from dataclasses import replace

import pytest

from isodelta.files.collection import collected
from isodelta.report import Bound, Finding, FindingClass, MatrixCell, Report
from isodelta.report.causes import (
    BLIND_APPEND,
    LOG_ORDER,
    OTHER,
    READERS,
    UNNOTED_SUBQUERY,
    Bearing,
    cause_of,
)
from isodelta.report.views.causes import cause_groups
from isodelta.report.views.grid import grid_cell
from isodelta.report.views.overview import headline, overview
from isodelta.report.views.titles import history_title, statement_words
from isodelta.runs.judging import check_scenario
from model.levels import SERIALIZABLE, WRITE_SERIALIZABLE
from model.scenario import Scenario
from tests.isodelta.report.sample import PROFILE, write_skew

SUBQUERY = "write skew through a subquery in SET"
APPEND = "a blind append breaks WriteSerializable"


def finding(scenario: Scenario, level: str, name: str = "f") -> Finding:
    result = replace(check_scenario(scenario).result, failures=())
    kind = FindingClass.LEVEL_VIOLATION
    return Finding(name, scenario.name, kind, level, "sample", scenario, result)


def report(*findings: Finding) -> Report:
    return Report("p", "c", PROFILE, "model", 0, findings=list(findings))


def test_a_read_that_no_footprint_has_is_the_cause_at_either_level() -> None:
    for level in (SERIALIZABLE, WRITE_SERIALIZABLE):
        scenario = collected(SUBQUERY).at_level(level)
        assert cause_of(finding(scenario, level), PROFILE) is UNNOTED_SUBQUERY


def test_a_blind_append_that_another_transaction_has_seen_is_the_cause() -> None:
    assert cause_of(finding(collected(APPEND), WRITE_SERIALIZABLE), PROFILE) is BLIND_APPEND


def test_what_the_table_does_not_promise_has_causes_of_its_own() -> None:
    weak = write_skew(WRITE_SERIALIZABLE)
    assert cause_of(finding(weak, SERIALIZABLE), PROFILE) in (LOG_ORDER, READERS)
    unread = replace(
        weak,
        transactions={name: sql for name, sql in weak.transactions.items() if name != "R"},
        schedule=tuple(step for step in weak.schedule if step.transaction != "R"),
        expect=replace(weak.expect, outcomes={}),
    )
    assert cause_of(finding(unread, SERIALIZABLE), PROFILE) is LOG_ORDER
    assert LOG_ORDER.bearing is Bearing.NOT_PROMISED


def test_rules_that_cannot_run_a_history_give_it_no_cause() -> None:
    assert cause_of(finding(collected(SUBQUERY), SERIALIZABLE), "no such rules") is OTHER


def test_the_same_history_on_two_tables_is_shown_once_with_a_variant() -> None:
    groups = cause_groups(
        report(
            finding(collected(SUBQUERY), SERIALIZABLE, "one"),
            finding(collected(SUBQUERY).at_level(WRITE_SERIALIZABLE), WRITE_SERIALIZABLE, "two"),
            finding(collected(APPEND), WRITE_SERIALIZABLE, "three"),
        )
    )
    assert [(g.cause.key, len(g.histories)) for g in groups] == [
        ("subquery-in-set", 1),
        ("blind-append-seen-by-another", 1),
    ]
    (history,) = groups[0].histories
    assert [variant.name for variant in history.variants] == ["two"]
    assert history.harm == "wrong rows stored"


def test_the_first_screen_counts_causes_and_promises_no_more_than_was_searched() -> None:
    shown = report(finding(collected(SUBQUERY), SERIALIZABLE))
    shown.bounds = [
        Bound(SERIALIZABLE, 3, 34, 1000, 0, True, "partitioned", "conflict", SERIALIZABLE),
        Bound(WRITE_SERIALIZABLE, 1, 34, 10, 0, True, "", "conflict", WRITE_SERIALIZABLE),
    ]
    groups = cause_groups(shown)
    assert headline(shown, groups) == (
        "1 cause breaks a promised level; nothing was replayed on a real table."
    )
    answers = {answer.question: answer.lines for answer in overview(shown, groups)}
    holds = {line.term: line.text for line in answers["What holds"]}
    assert "up to 3 transactions" in holds[SERIALIZABLE]
    assert holds[WRITE_SERIALIZABLE].startswith("not decided")
    (breaks,) = answers["What breaks"]
    assert breaks.target == "cause-subquery-in-set"
    assert answers["Since when"][0].text.startswith("None of them was replayed")


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("INSERT INTO t VALUES (1)", "append of values"),
        ("INSERT INTO t SELECT * FROM s", "append from another table"),
        ("INSERT INTO t SELECT * FROM t WHERE p = 1", "INSERT ... SELECT where p = 1"),
        ("DELETE FROM t", "DELETE of every row"),
        ("DELETE FROM t WHERE p = 1;", "DELETE where p = 1"),
        (
            "UPDATE t SET v = (SELECT sum(v) FROM t WHERE p = 2) WHERE p = 1",
            "UPDATE with a subquery in SET where p = 1",
        ),
        ("OPTIMIZE t", "OPTIMIZE"),
        ("SELECT count(*) FROM t", "reader"),
    ],
)
def test_a_statement_in_words(sql: str, words: str) -> None:
    assert statement_words(sql) == words


def test_a_history_is_titled_by_the_statements_that_meet() -> None:
    title = history_title(write_skew(SERIALIZABLE))
    assert title == "DELETE where p = 1, append of values and reader"


@pytest.mark.parametrize(
    ("model", "engine", "needed", "state"),
    [
        ("can", None, "yes", "needed"),
        ("can", None, "no", "cautious"),
        ("cannot", None, "no", "free"),
        ("can", "cannot", "yes", "unsound"),
        ("not asked", None, "not asked", "unasked"),
    ],
)
def test_a_cell_of_the_grid_goes_by_the_engine_or_else_the_model(
    model: str, engine: str | None, needed: str, state: str
) -> None:
    cell = MatrixCell("DELETE", "INSERT", "l", SERIALIZABLE, "can", model, engine, needed)
    assert grid_cell(cell).state == state
