"""The three deciders against each other, on random histories of sound and unsound engines.

A sample runs every time; ``make nightly`` judges 100,000 histories.
"""

from __future__ import annotations

from collections import Counter
from itertools import permutations

import pytest
from hypothesis import HealthCheck, given, settings

from checker.generators.abstract_histories import from_seed, histories
from checker.judging import definition, graph, solver
from checker.judging.dependencies import Dependencies, dependencies
from checker.judging.solver import Precedence
from checker.judging.wellformed import contradictions
from model.history import History
from model.levels import DELTA_LEVELS, LEVELS, RW, EdgeKind, Phenomenon
from tests.nightly import cases

SAMPLE = cases(800, 10_000)
SAMPLES = cases(1, 10)

SERIAL = [name for name, level in LEVELS.items() if level.serial_order]


@pytest.mark.parametrize("sample", range(SAMPLES))
@pytest.mark.slow
def test_deciders_agree_on_random_histories(sample: int):
    reached: Counter[object] = Counter()
    always = (*DELTA_LEVELS, "PL-3")
    others = [level for level in LEVELS if level not in always]
    for seed in range(sample * SAMPLE, (sample + 1) * SAMPLE):
        judged = from_seed(seed)
        for level in (*always, others[seed % len(others)]):
            check(judged, level, reached)
    for level in DELTA_LEVELS:
        for readings in (
            ("holds", "holds", "holds"),
            ("violated", "violated", "violated"),
            ("violated", "violated", "holds"),
            ("violated", "holds", "holds"),
        ):
            assert reached[level, *readings], f"no history has {readings} at {level}"
        assert reached[level, "G-single"]
        assert reached[level, "G2"] + reached[level, "G2-item"]
    assert reached["Serializable", "G-single-log"]
    for kind in ("ww", "wr", "rw", "log"):
        assert reached["cycle through", kind], f"no cycle has an edge {kind}"
    for kind in RW:
        assert reached["cycle through", kind], f"no cycle has an edge {kind}"
    for transactions in (2, 3, 4):
        assert reached["transactions", transactions]
    for what in ("aborted", "reader", "writer without changes"):
        assert reached[what], what


@settings(
    max_examples=cases(100, 2_000),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(histories())
def test_deciders_agree_on_shrinkable_histories(judged: History):
    for level in DELTA_LEVELS:
        check(judged, level, Counter())


def check(judged: History, level: str, reached: Counter[object]) -> None:
    """Every promise that the deciders make about one history."""
    assert contradictions(judged) == ()
    dependent = dependencies(judged)
    found = graph.decide(dependent, level)
    precedences = solver.precedences(judged)
    solved = solver.decide(precedences, judged, level)
    assert found.verdict == solved.verdict
    assert found.verdict in ("holds", "violated")
    if found.verdict == "violated":
        check_cycle(dependent, found)
        core = frozenset(precedence for precedence in precedences if str(precedence) in solved.core)
        assert solver.decide(core, judged, level).verdict == "violated"
    elif LEVELS[level].serial_order:
        assert found.serial_order is not None
        assert solved.order is not None
        check_order(precedences, level, found.serial_order)
        check_order(precedences, level, solved.order)
    readings = [found.verdict]
    if level in SERIAL:
        view = definition.judge_view(judged, level)
        final_state = definition.judge_final_state(judged, level)
        readings += [view.verdict, final_state.verdict]
        order = ["holds", "violated"]
        assert readings == sorted(readings, key=order.index, reverse=True)
    reached[level, *readings] += 1
    reached[level, found.anomaly] += 1
    reached["transactions", len(judged.transactions)] += 1
    for edge in found.cycle:
        reached["cycle through", edge.kind] += 1
        reached["cycle through", edge.kind.short] += edge.kind.short != edge.kind
    for transaction in judged.transactions:
        reached["aborted"] += not transaction.committed
        reached["reader"] += transaction.committed and not transaction.writes
        reached["writer without changes"] += transaction.writes and not transaction.changes


def check_order(precedences: frozenset[Precedence], level: str, order: tuple[str, ...]) -> None:
    """A witness of ``holds`` has every transaction in its place."""
    place = {name: position for position, name in enumerate(order)}
    assert len(place) == len(order)
    for precedence in precedences:
        if (
            precedence.kind in LEVELS[level].edges
            and precedence.before in place
            and precedence.after in place
        ):
            assert place[precedence.before] < place[precedence.after], precedence


def check_cycle(dependent: Dependencies, found: graph.GraphVerdict) -> None:
    """A witness of ``violated`` is a cycle of a forbidden shape, and none is shorter."""
    cycle = found.cycle
    assert len({edge.source.name for edge in cycle}) == len(cycle)
    for edge, following in zip(cycle, (*cycle[1:], cycle[0]), strict=True):
        assert edge.target is following.source
        assert edge.causes
    shapes = LEVELS[found.level].forbids
    (shape,) = [shape for shape in shapes if shape.name == found.phenomenon]
    assert all(edge.kind in shape.edges for edge in cycle)
    counted = sum(edge.kind in shape.counted for edge in cycle)
    assert counted == 1 if shape.count == "one" else counted >= (shape.count == "some")
    names = [edge.source.name for edge in cycle]
    kinds: dict[tuple[str, str], set[EdgeKind]] = {}
    for edge in dependent.edges():
        kinds.setdefault((edge.source.name, edge.target.name), set()).add(edge.kind)
    for length in range(2, len(names)):
        for route in permutations([node.name for node in dependent.nodes], length):
            for shape in shapes:
                assert not is_cycle(dependent, route, kinds, shape), (route, shape.name)


def is_cycle(
    dependent: Dependencies,
    route: tuple[str, ...],
    kinds: dict[tuple[str, str], set[EdgeKind]],
    shape: Phenomenon,
) -> bool:
    """Whether a closed route has a choice of edges of one shape."""
    if not shape.readers and any(not dependent.history[name].writes for name in route):
        return False
    steps = [
        kinds.get(step, set()) & shape.edges
        for step in zip(route, (*route[1:], route[0]), strict=True)
    ]
    if not all(steps):
        return False
    able = [bool(step & shape.counted) for step in steps]
    forced = [step <= shape.counted for step in steps]
    if shape.count == "one":
        return any(able) and sum(forced) <= 1
    return any(able) or shape.count == "any"


def test_the_same_seed_gives_the_same_history():
    assert from_seed(7) == from_seed(7)
