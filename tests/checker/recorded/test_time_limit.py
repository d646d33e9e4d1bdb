"""The time limit of a history: one for all levels, looked at inside the long loops."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from checker.recorded import decide, weak_levels
from checker.recorded.generators.serial import Shape, generate
from checker.recorded.history import RecordedHistory
from checker.recorded.observations import Observations
from checker.recorded.observing import observe
from checker.recorded.version_order.completion import Decision
from checker.recorded.version_order.constraints import Constraints
from checker.recorded.version_order.cycles import core, shortest_cycle, topological
from checker.recorded.version_order.greedy_run import GreedyRun
from checker.recorded.version_order.inference import Inference
from checker.recorded.version_order.time_limit import OutOfTime


def blind(transactions: int) -> RecordedHistory:
    return generate(1, Shape(transactions=transactions, keys=50, blind=1.0, sessions=4))


@pytest.mark.parametrize("sessions", [True, False])
def test_no_level_may_work_past_the_limit_of_the_history(
    sessions: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    deadlines: list[float] = []

    def undecided(graph: Constraints, deadline: float) -> Decision:
        deadlines.append(deadline)
        deadlines.append(graph.deadline)
        return Decision("unknown", why="not tried")

    def weak(seen: Observations, level: str, *, sessions: bool, deadline: float) -> None:
        deadlines.append(deadline)

    monkeypatch.setattr(decide, "decide", undecided)
    monkeypatch.setattr(decide, "decide_weak", weak)
    begun = time.monotonic()
    decide.judge(blind(30), session_order=sessions, time_limit=50)
    ended = time.monotonic()
    assert len(deadlines) > 5
    assert begun < min(deadlines) <= max(deadlines) <= ended + 50


@pytest.mark.parametrize("sessions", [True, False])
@pytest.mark.parametrize(
    "work",
    [
        lambda graph: Inference(graph).advance(topological(graph.after)),
        lambda graph: list(Inference(graph).open_pairs()),
        lambda graph: GreedyRun(graph).run(),
    ],
    ids=["inference", "open pairs", "greedy run"],
)
@pytest.mark.slow
def test_the_long_loops_end_at_the_deadline(
    work: Callable[[Constraints], object], sessions: bool
) -> None:
    seen = observe(blind(3000))
    work(Constraints(seen, split=False, sessions=sessions))
    with pytest.raises(OutOfTime):
        work(Constraints(seen, split=False, sessions=sessions, deadline=0.0))


@pytest.mark.slow
def test_a_weak_level_without_time_is_unknown_and_the_others_are_what_they_are() -> None:
    made = generate(2, Shape(transactions=3000, keys=50, blind=0.5, sessions=4))
    seen = observe(made)
    with pytest.raises(OutOfTime):
        weak_levels.decide_weak(seen, "ReadAtomic", sessions=True, deadline=0.0)
    causal = weak_levels.decide_weak(seen, "Causal", sessions=True, deadline=0.0)
    assert "the time" in str(causal)
    levels = decide.judge(made, session_order=True, time_limit=0.0).levels
    assert {level.verdict for level in levels.values()} <= {"holds", "unknown"}


def test_without_time_some_cycle_stands_for_a_shortest_one() -> None:
    """A long ring comes first, a short one later."""
    after = [[n + 1] for n in range(49)] + [[0]] + [[51], [50]]
    left = core(after, topological(after))
    assert len(shortest_cycle(left, pairs=False)) == 2
    nodes = shortest_cycle(left, pairs=False, deadline=0.0)
    steps = zip(nodes, (*nodes[1:], nodes[0]), strict=True)
    assert nodes
    assert all(end in left[start] for start, end in steps)
