"""The clock of a scenario: the values of its functions, by statement."""

from __future__ import annotations

import datetime

import pytest

from isodelta.files.clock import START, at_time
from isodelta.files.scenarios import BadScenarios, read_text
from isodelta.runs.judging import check

SCENARIO = """
name: a clock
%s
table:
  columns: {k: int, d: date, ts: timestamp}
  setup: ["INSERT INTO t VALUES (1, current_date(), now())"]
transactions:
  A: INSERT INTO t VALUES (2, current_date() - INTERVAL 1 DAY, current_timestamp)
  B: DELETE FROM t WHERE ts < now() - INTERVAL 1 HOUR
  R: SELECT k FROM t
schedule: [A, begin B, commit B, R]
"""


def statements(clock: str = "") -> dict[str, str]:
    (loaded,) = read_text(SCENARIO % clock)
    return dict(loaded.scenario.transactions)


def test_transactions_begin_a_minute_after_each_other() -> None:
    found = statements()
    assert "DATE '2026-01-01' - INTERVAL 1 DAY" in found["A"]
    assert "TIMESTAMP '2026-01-01 00:01:00'" in found["A"]
    assert "TIMESTAMP '2026-01-01 00:02:00' - INTERVAL" in found["B"]


@pytest.mark.parametrize(
    ("clock", "rows"),
    [
        ("", 2),
        ("clock: {B: '2026-01-01 01:00:30'}", 1),
        ("clock: {B: '2026-01-02 00:00:00'}", 0),
        ("clock: '2030-01-01 10:00:00'", 2),
    ],
)
def test_the_rows_that_a_clock_selects(clock: str, rows: int) -> None:
    (loaded,) = read_text(SCENARIO % clock)
    checked = check(loaded)
    assert checked.ok
    assert len(checked.result.rows) == rows


def test_the_statements_are_shown_as_they_were_written() -> None:
    (loaded,) = read_text(SCENARIO % "")
    assert "now()" in loaded.statements["B"]


@pytest.mark.parametrize(
    ("clock", "expected"),
    [
        ("clock: soon", "x.yaml:3: clock: 'soon' is not a time such as"),
        ("clock: {B: 5}", "x.yaml:3: clock.B: 5 is not a time such as"),
        ("clock: {b: '2026-01-01'}", "x.yaml:3: clock.b: there is no transaction 'b'"),
    ],
)
def test_a_wrong_clock_is_said_in_one_line(clock: str, expected: str) -> None:
    with pytest.raises(BadScenarios) as caught:
        read_text(SCENARIO % clock, file="x.yaml")
    assert str(caught.value.problems[0]).startswith(expected)


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT CURRENT_TIMESTAMP ( )", "SELECT TIMESTAMP '2026-01-01 00:00:00'"),
        ("SELECT curdate(), now", "SELECT DATE '2026-01-01', now"),
        ("SELECT unix_timestamp(), unix_timestamp(ts)", "SELECT 1767225600L, unix_timestamp(ts)"),
        ("SELECT 'now()', `current_date`, t.current_date", None),
        ("SELECT 1 AS current_date", None),
        ("SELECT k, v", None),
    ],
)
def test_only_the_functions_are_replaced(sql: str, expected: str | None) -> None:
    assert at_time(sql, START) == (expected or sql)


def test_a_column_may_have_the_name_of_a_function() -> None:
    sql = "SELECT current_date, current_date()"
    moment = datetime.datetime(2026, 1, 1)
    assert at_time(sql, moment, frozenset({"current_date"})) == (
        "SELECT current_date, DATE '2026-01-01'"
    )
