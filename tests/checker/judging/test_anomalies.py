"""The classic anomalies, each with the levels that forbid it, the cycle and the readings."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from checker.judging import graph, solver
from checker.judging.verdict import judge
from model.history import History
from model.levels import LEVELS
from tests.notation import history

EVERY_ORDER = {"PL-3", "Serializable", "StrictSerializable"}


@dataclass(frozen=True)
class Classic:
    """A history, the levels that it violates, and what is found at one of them."""

    history: History
    violates: set[str]
    level: str = "Serializable"
    cycle: str = ""
    anomaly: str | None = None
    view: str = "violated"
    final_state: str = "violated"


CLASSICS = {
    "lost update": Classic(
        history("x=10", "A@0>1: r(x) w(x=11)", "B@0>2: r(x) w(x=12)"),
        EVERY_ORDER
        | {"ConsistentView", "RepeatableRead", "SnapshotIsolation", "WriteSerializable"},
        "WriteSerializable",
        "B rw A ww B",
        "G-single",
        final_state="holds",
    ),
    "lost update of an equal value": Classic(
        history("x=10", "A@0>1: r(x) w(x=10)", "B@0>2: r(x) w(x=12)"),
        EVERY_ORDER
        | {"ConsistentView", "RepeatableRead", "SnapshotIsolation", "WriteSerializable"},
        "WriteSerializable",
        "B rw A ww B",
        "G-single",
        view="holds",
        final_state="holds",
    ),
    "one row deleted twice": Classic(
        history("x=10", "A@0>1: r(x) d(x)", "B@0>2: r(x) d(x)"),
        EVERY_ORDER
        | {"ConsistentView", "RepeatableRead", "SnapshotIsolation", "WriteSerializable"},
        "WriteSerializable",
        "B rw A ww B",
        "G-single",
        final_state="holds",
    ),
    "write skew": Classic(
        history("x=1 y=1", "A@0>1: p(v > 0) w(x=0)", "B@0>2: p(v > 0) w(y=0)"),
        EVERY_ORDER | {"RepeatableRead", "WriteSerializable"},
        "WriteSerializable",
        "A rw B rw A",
        "G2-item",
        final_state="holds",
    ),
    "write skew on phantoms": Classic(
        history("", "A@0>1: p(v > 0) w(x=1)", "B@0>2: p(v > 0) w(y=1)"),
        EVERY_ORDER | {"WriteSerializable"},
        "WriteSerializable",
        "A rw B rw A",
        "G2",
        final_state="holds",
    ),
    "a reader between two writers (Fekete, O'Neil, O'Neil 2004)": Classic(
        history(
            "x=0 y=0",
            "T1@0>1: r(y) w(y=20)",
            "T2@0>2: r(x) r(y) w(x=-11)",
            "T3@1: r(x) r(y)",
        ),
        EVERY_ORDER | {"RepeatableRead"},
        "PL-3",
        "T2 rw T1 wr T3 rw T2",
        "G2-item",
        final_state="holds",
    ),
    "a long delete and a late insert": Classic(
        history("x=1", "A@0>2: p(v = 1) d(x)", "B@0>1: w(y=1)"),
        {"Serializable", "StrictSerializable"},
        "Serializable",
        "A rw B log A",
        "G-single-log",
        final_state="holds",
    ),
    "a reader sees a state that never was": Classic(
        history("x=1", "A@0>2: p(v = 1) d(x)", "B@0>1: w(y=1)", "R@1: p(any)"),
        EVERY_ORDER | {"RepeatableRead"},
        "PL-3",
        "A rw B wr R rw A",
        "G2-item",
        final_state="holds",
    ),
    "two blind writes of one row": Classic(
        history("x=0", "A@0>1: w(x=1)", "B@0>2: w(x=2)"),
        {"SnapshotIsolation"},
        "SnapshotIsolation",
        "A ww B unseen A",
        "G0-unseen",
    ),
    "a reader at its snapshot": Classic(
        history("x=0 y=0", "A@0>1: w(x=1) w(y=1)", "R@0: r(x) r(y)", "S@1: r(x) r(y)"),
        set(),
        view="holds",
        final_state="holds",
    ),
    "two compactions": Classic(
        history("x=0", "A@0>1:", "B@0>2:"), set(), view="holds", final_state="holds"
    ),
    "one after the other": Classic(
        history("x=0", "A@0>1: r(x) w(x=1)", "B@1>2: r(x) w(x=2)"),
        set(),
        view="holds",
        final_state="holds",
    ),
}


@pytest.mark.parametrize("name", CLASSICS)
@pytest.mark.parametrize("level", LEVELS)
def test_which_levels_forbid_it(name: str, level: str):
    classic = CLASSICS[name]
    expected = "violated" if level in classic.violates else "holds"
    assert graph.judge(classic.history, level).verdict == expected
    assert solver.judge(classic.history, level).verdict == expected


@pytest.mark.parametrize("name", CLASSICS)
def test_its_cycle_and_its_readings(name: str):
    classic = CLASSICS[name]
    verdict = judge(classic.history, [classic.level])[classic.level]
    cycle = [f"{edge.source} {edge.kind}" for edge in verdict.cycle]
    if cycle:
        cycle.append(verdict.cycle[0].source)
    assert " ".join(cycle) == classic.cycle
    assert verdict.anomaly == classic.anomaly
    if LEVELS[classic.level].serial_order:
        assert verdict.view is not None
        assert verdict.final_state is not None
        assert verdict.view.verdict == classic.view
        assert verdict.final_state.verdict == classic.final_state
