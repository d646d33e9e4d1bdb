"""Edges in words."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal

import pytest

from checker.judging.dependencies import dependencies
from checker.judging.explanation import because, literal, row
from model.history import History, PredicateRead, RowChange
from model.levels import EdgeKind
from tests.notation import history


def words(judged: History, source: str, target: str, kind: EdgeKind) -> str:
    for edge in dependencies(judged).edges():
        if (edge.source.name, edge.target.name, edge.kind) == (source, target, kind):
            return because(edge)
    raise AssertionError(f"no edge {source} {kind} {target}")


@pytest.mark.parametrize(
    ("lines", "edge", "text"),
    [
        (
            ("A@0: p(v > 4)", "B@0>1: w(y=7)"),
            ("A", "B", EdgeKind.RW_PREDICATE),
            "A read v > 4 before B added ('y', 7)",
        ),
        (
            ("A@0: p(any)", "B@0>1: d(x)"),
            ("A", "B", EdgeKind.RW_PREDICATE),
            "A read all of t before B deleted ('x', 1)",
        ),
        (
            ("A@0>1: w(x=5)", "B@1: p(v > 4)"),
            ("A", "B", EdgeKind.WR_PREDICATE),
            "B read v > 4 after A changed ('x', 1) to ('x', 5)",
        ),
        (
            ("A@0: r(x)", "B@0>1: w(x=2)"),
            ("A", "B", EdgeKind.RW_ITEM),
            "A saw ('x', 1) before B changed ('x', 1) to ('x', 2)",
        ),
        (
            ("A@0>1: w(x=2)", "B@1: r(x)"),
            ("A", "B", EdgeKind.WR_ITEM),
            "B saw ('x', 2), which A had changed from ('x', 1)",
        ),
        (
            ("A@0>1: w(y=2)", "B@1: r(y)"),
            ("A", "B", EdgeKind.WR_ITEM),
            "B saw ('y', 2), which A added",
        ),
        (
            ("A@0>1: w(x=1)", "B@1: r(x)"),
            ("A", "B", EdgeKind.WR_ITEM),
            "B saw ('x', 1), which A wrote again",
        ),
        (
            ("A@0>1: w(x=2)", "B@0>2: w(x=3)"),
            ("A", "B", EdgeKind.WW),
            "B changed ('x', 2) to ('x', 3) after A changed ('x', 1) to ('x', 2)",
        ),
        (
            ("A@0>1: d(x)", "B@0>2: d(x)"),
            ("A", "B", EdgeKind.WW),
            "B deleted a row that was gone already after A deleted ('x', 1)",
        ),
        (
            ("A@0>1: w(x=1)", "B@0>2: d(x)"),
            ("A", "B", EdgeKind.WW),
            "B deleted ('x', 1) after A wrote ('x', 1) again",
        ),
        (
            ("A@0>1:", "B@0>2:"),
            ("A", "B", EdgeKind.LOG),
            "the log has A (version 1) before B (version 2)",
        ),
        (
            ("A@0>1:", "B@1>2:"),
            ("A", "B", EdgeKind.START),
            "B began at version 1, which shows the commit of A (version 1)",
        ),
        (
            ("A@0>1:", "B@0>2:"),
            ("B", "A", EdgeKind.UNSEEN),
            "B began at version 0, which does not show the commit of A (version 1)",
        ),
    ],
)
def test_an_edge_in_words(lines: tuple[str, ...], edge: tuple[str, str, EdgeKind], text: str):
    assert words(history("x=1", *lines), *edge) == text


def test_many_reasons_are_counted():
    judged = history("", "A@0: p(any)", "B@0>1: w(x=1) w(y=2) w(z=3) w(u=4)")
    assert words(judged, "A", "B", EdgeKind.RW_PREDICATE) == (
        "A read all of t before B added ('x', 1); A read all of t before B added ('y', 2); "
        "and 2 more between A and B"
    )


def test_rows_are_written_as_in_sql():
    values = (None, True, 3, 1.5, "it's", Decimal("1.50"), date(2026, 1, 2))
    assert row(values) == "(NULL, TRUE, 3, 1.5, 'it''s', 1.50, DATE '2026-01-02')"
    assert (literal(True), literal(False)) == ("TRUE", "FALSE")
    assert literal(datetime(2026, 1, 2, 3, 4)) == "TIMESTAMP '2026-01-02 03:04:00'"


def test_a_reason_of_another_kind_is_an_error():
    (edge,) = (
        edge
        for edge in dependencies(history("x=1", "A@0: r(x)", "B@0>1: w(x=2)")).edges()
        if edge.kind is EdgeKind.RW_ITEM
    )
    with pytest.raises(ValueError, match="another kind"):
        because(replace(edge, kind=EdgeKind.WR_PREDICATE))


def test_a_condition_may_be_the_whole_table_in_any_case():
    judged = history("", "A@0: p(any)", "B@0>1: w(x=1)")
    reads = (PredicateRead("t", "true", lambda row: True),)
    lower = replace(judged["A"], predicate_reads=reads)
    judged = replace(judged, transactions=(lower, judged["B"]))
    assert "all of t" in words(judged, "A", "B", EdgeKind.RW_PREDICATE)


def test_a_row_that_comes_back_was_added():
    judged = history("x=1", "A@0: r(x)", "B@0>1: d(x)", "C@1>2: w(x=5)", "D@2: r(x)")
    assert judged["C"].changes == (RowChange("t", ("setup x", 0), None, ("x", 5)),)
    assert words(judged, "B", "C", EdgeKind.WW) == "C added ('x', 5) after B deleted ('x', 1)"
