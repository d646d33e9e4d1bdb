"""The graph decider by itself: the shape of a cycle, the serial order, and what stands beside."""

from __future__ import annotations

from checker.judging import graph
from checker.judging.witness import Cycle, Edge
from tests.notation import history

LOST_UPDATE = history("x=10", "A@0>1: r(x) w(x=11)", "B@0>2: r(x) w(x=12)")
IN_TURN = history("x=10", "A@0>1: r(x) w(x=11)", "B@1>2: r(x) w(x=12)", "R@1: r(x)")


def test_the_shape_of_a_cycle_is_the_shortest_that_the_level_forbids():
    shapes = {
        level: graph.judge(LOST_UPDATE, level).phenomenon
        for level in ("ReadCommitted", "SnapshotIsolation", "WriteSerializable", "Serializable")
    }
    assert shapes == {
        "ReadCommitted": None,
        "SnapshotIsolation": "G-SIb",
        "WriteSerializable": "G2",
        "Serializable": "G-log",
    }


def test_without_a_cycle_there_is_none():
    assert graph.judge(IN_TURN, "WriteSerializable").cycle == ()


def test_a_serial_order_comes_with_a_level_that_promises_one():
    orders = {
        level: graph.judge(IN_TURN, level).serial_order
        for level in ("ReadCommitted", "WriteSerializable", "PL-3", "Serializable")
    }
    assert orders == {
        "ReadCommitted": None,
        "WriteSerializable": ("A", "B"),
        "PL-3": ("A", "R", "B"),
        "Serializable": ("A", "R", "B"),
    }


def test_a_cycle_is_found_beside_transactions_that_depend_on_nothing():
    alone = ("C@0>1: w(y=2)", "D@0>2: w(z=2)", "E@0>3: w(u=2)")
    cycle = ("A@0>4: r(x) w(x=11)", "B@0>5: r(x) w(x=12)")
    judged = history("x=10 y=1 z=1 u=1", *alone, *cycle)
    assert graph.judge(judged, "WriteSerializable").verdict == "violated"


def test_a_cycle_of_one_of_many_orders_says_so():
    edges = (Edge("A", "B", "ww", "A first"), Edge("B", "A", "rw", "B first"))
    assert Cycle(edges).because == "A first; B first"
    many = Cycle(edges, one_of_many=True).because
    assert many == "every order of the versions leads to a cycle, one of them: A first; B first"
