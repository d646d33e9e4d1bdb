"""The edges of small histories, one rule at a time, and all edges of random ones."""

from __future__ import annotations

from dataclasses import replace

import pytest

from checker.generators.abstract_histories import from_seed
from checker.judging import solver
from checker.judging.dependencies import dependencies
from model.errors import StatementFailure
from model.history import History, PredicateRead, Row
from model.levels import CONFLICTS, EdgeKind
from tests.notation import history


def edges(judged: History) -> set[str]:
    return {
        f"{edge.source.name} {edge.kind} {edge.target.name}"
        for edge in dependencies(judged).edges()
        if edge.kind in CONFLICTS
    }


def versions(judged: History) -> set[str]:
    return {
        f"{edge.source.name} {edge.kind} {edge.target.name}"
        for edge in dependencies(judged).edges()
        if edge.kind not in CONFLICTS
    }


def test_ww_leads_to_the_next_version_only():
    found = edges(history("x=0", "A@0>1: w(x=1)", "B@0>2: w(x=2)", "C@0>3: w(x=3)"))
    assert found == {"A ww B", "B ww C"}


def test_a_deleted_row_is_a_version():
    assert edges(history("x=0", "A@0>1: w(x=1)", "B@1>2: d(x)")) == {"A ww B"}


def test_deleting_a_row_that_is_gone_is_a_version_too():
    found = edges(history("x=0", "A@0>1: r(x) d(x)", "B@0>2: r(x) d(x)"))
    assert found == {"A ww B", "B rw item A", "B rw predicate A"}


def test_an_item_read_depends_on_the_last_write_that_its_snapshot_shows():
    found = edges(history("x=0", "A@0>1: w(x=1)", "B@1>2: w(x=2)", "R@2: r(x)"))
    assert found == {"A ww B", "B wr item R"}


def test_an_item_read_comes_before_the_next_write_only():
    found = edges(history("x=0", "R@0: r(x)", "A@0>1: w(x=1)", "B@1>2: w(x=2)"))
    assert found == {"A ww B", "R rw item A"}


def test_a_row_that_was_there_from_the_start_has_no_writer():
    assert edges(history("x=0", "R@0: r(x)")) == set()


def test_a_transaction_does_not_depend_on_its_own_writes():
    assert edges(history("x=0", "A@0>1: r(x) w(x=1)")) == set()


def test_the_version_after_the_one_read_may_be_the_readers_own():
    found = edges(history("x=0", "A@0>1: r(x) w(x=1)", "B@1>2: w(x=2)"))
    assert found == {"A ww B"}


def test_a_predicate_read_depends_on_every_shown_change_of_its_matches():
    found = edges(
        history("x=0", "A@0>1: w(x=5)", "B@1>2: w(x=6)", "C@2>3: w(x=0)", "R@3: p(v > 4)")
    )
    assert found == {"A ww B", "B ww C", "A wr predicate R", "C wr predicate R"}


def test_a_predicate_read_comes_before_every_later_change_of_its_matches():
    found = edges(
        history("x=0", "R@0: p(v > 4)", "A@0>1: w(x=5)", "B@1>2: w(x=6)", "C@2>3: w(x=0)")
    )
    assert found == {"A ww B", "B ww C", "R rw predicate A", "R rw predicate C"}


def test_an_added_row_matters_only_where_it_matches():
    found = edges(history("", "A@0>1: w(x=9)", "R@0: p(v > 4)", "S@0: p(v < 4)"))
    assert found == {"R rw predicate A"}


def test_a_change_within_the_matches_is_a_matter_of_items():
    found = edges(history("x=5", "R@0: p(v > 4)", "A@0>1: w(x=6)"))
    assert found == {"R rw item A"}


def test_an_aborted_transaction_has_no_edges():
    whole = history("x=0", "A@0>1: w(x=1)", "R@0: r(x)")
    aborted = replace(whole["R"], committed=False)
    assert edges(replace(whole, transactions=(whole["A"], aborted))) == set()


def test_versions_give_the_order_of_the_log_and_of_snapshots():
    found = versions(history("", "A@0>1: w(x=1)", "B@0>2: w(y=1)", "R@1: r(x)"))
    assert found == {
        "A log B",
        "A unseen B",
        "B unseen A",
        "A start R",
        "R unseen B",
    }


def test_a_change_that_makes_a_condition_fail_changes_its_answer():
    def inverse(row: Row) -> bool:
        if row[1] == 0:
            raise StatementFailure("DIVIDE_BY_ZERO", "1 / 0")
        return False

    whole = history("x=5", "R@0: p(any)", "A@0>1: w(x=0)")
    reader = replace(
        whole["R"], predicate_reads=(PredicateRead("t", "1 / v > 2", inverse),), item_reads=()
    )
    assert edges(replace(whole, transactions=(reader, whole["A"]))) == {"R rw predicate A"}


def test_an_edge_has_a_reason_for_each_row():
    found = dependencies(history("x=0 y=0", "A@0>1: w(x=1) w(y=1)", "R@1: p(any)"))
    (edge,) = (edge for edge in found.edges() if edge.kind is EdgeKind.WR_ITEM)
    assert [cause.values for cause in edge.causes] == [("x", 1), ("y", 1)]


def test_a_row_that_another_transaction_wrote_in_between_is_not_a_reason():
    judged = history("x=0 y=0", "A@0>1: w(x=1) w(y=1)", "B@1>2: w(x=2)", "R@2: r(x) r(y)")
    (edge,) = (
        edge
        for edge in dependencies(judged).edges()
        if edge.kind is EdgeKind.WR_ITEM and edge.source.name == "A"
    )
    assert [cause.values for cause in edge.causes] == [("y", 1)]


def test_a_predicate_over_another_table_is_not_concerned():
    whole = history("x=0", "R@0: p(v > 4)", "A@0>1: w(x=5)")
    elsewhere = replace(whole["R"].predicate_reads[0], table="other")
    reader = replace(whole["R"], predicate_reads=(elsewhere,), item_reads=())
    assert edges(replace(whole, transactions=(reader, whole["A"]))) == set()


def test_another_failure_is_another_answer():
    def fails(row: Row) -> bool:
        raise StatementFailure("DIVIDE_BY_ZERO" if row[1] == 0 else "OVERFLOW", "")

    whole = history("x=0", "R@0: p(any)", "A@0>1: w(x=5)", "B@1>2: w(x=6)")
    reader = replace(whole["R"], predicate_reads=(PredicateRead("t", "", fails),), item_reads=())
    judged = replace(whole, transactions=(reader, whole["A"], whole["B"]))
    assert edges(judged) == {"A ww B", "R rw predicate A"}


def test_an_edge_that_is_not_there_is_an_error():
    found = dependencies(history("x=0", "A@0>1: w(x=1)", "B@1>2: w(x=2)"))
    with pytest.raises(KeyError, match="rw item"):
        found.edge(0, 1, EdgeKind.RW_ITEM)


@pytest.mark.slow
def test_pairs_and_timelines_give_the_same_edges():
    seen = set()
    for seed in range(2_000):
        judged = from_seed(seed)
        found = {(e.source.name, e.target.name, e.kind) for e in dependencies(judged).edges()}
        assert found == {(s.before, s.after, s.kind) for s in solver.precedences(judged)}, judged
        seen |= {kind for _, _, kind in found}
    assert seen == set(EdgeKind), "the generator must reach every kind of edge"
