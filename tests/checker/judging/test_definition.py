"""The definition decider by itself: who has a place in an order, and what an order must explain."""

from __future__ import annotations

from dataclasses import replace

from checker.judging.definition import judge_final_state, judge_view, multiset
from model.errors import StatementFailure
from model.history import PredicateRead, Row
from tests.notation import history

WRITERS = ("A@0>1: w(x=5)", "B@0>2: w(y=6)")


def test_a_reader_has_a_place_in_the_reads_of_levels_that_count_readers():
    whole = history("x=1 y=2", *WRITERS, "R@1: p(any)")
    unknown = replace(whole["R"], rerun=None)
    judged = replace(whole, transactions=(whole["A"], whole["B"], unknown))
    views = {level: judge_view(judged, level) for level in ("WriteSerializable", "Serializable")}
    assert views["WriteSerializable"].serial_order == ("A", "B")
    assert views["Serializable"].verdict == "unknown"
    assert judge_final_state(judged, "Serializable").serial_order == ("A", "B")


def test_a_condition_that_fails_in_the_snapshot_leaves_the_reads_unknown():
    def fails(row: Row) -> bool:
        raise StatementFailure("DIVIDE_BY_ZERO", "1 / 0")

    whole = history("x=0", "A@0>1: p(any) w(x=5)")
    reading = replace(whole["A"], predicate_reads=(PredicateRead("t", "", fails),))
    view = judge_view(replace(whole, transactions=(reading,)), "WriteSerializable")
    assert view.verdict == "unknown"
    assert "a condition fails on a row of the snapshot" in (view.why or "")


def test_eight_transactions_are_permuted():
    lines = [f"{name}@{place}>{place + 1}: w(x={place})" for place, name in enumerate("ABCDEFGH")]
    order = judge_view(history("x=9", *lines), "WriteSerializable").serial_order
    assert order == tuple("ABCDEFGH")


def test_numbers_are_compared_by_value_and_nan_equals_itself():
    assert multiset([(1.0,)]) != multiset([(2.0,)])
    assert multiset([(float("nan"),)]) == multiset([(float("nan"),)])


def test_the_reason_says_what_no_order_gives():
    skew = history("x=1 y=1", "A@0>1: p(v > 0) w(x=0)", "B@0>2: p(v > 0) w(y=0)")
    assert "gives these reads and rows" in (judge_view(skew, "WriteSerializable").why or "")
    other = replace(skew, final=(("x", 7),))
    assert "leaves these rows" in (judge_final_state(other, "WriteSerializable").why or "")


def test_a_statement_that_wrote_no_version_writes_nothing_in_its_place():
    view = judge_view(history("x=0", "N@0: w(x=1)"), "Serializable")
    assert view.verdict == "violated"
    assert "N writes, where it wrote no version" in (view.why or "")


def test_a_row_deleted_before_a_snapshot_was_not_read():
    view = judge_view(history("x=1 y=2", "A@0>1: d(x)", "R@1: p(any)"), "Serializable")
    assert view.serial_order == ("A", "R")
