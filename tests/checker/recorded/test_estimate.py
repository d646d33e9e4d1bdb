"""The estimate of the order of commits: near the truth, and never the reason of a wrong verdict."""

from __future__ import annotations

import time
from dataclasses import replace
from random import Random

import pytest

from checker.recorded.decide import judge
from checker.recorded.generators.serial import Shape, generate
from checker.recorded.history import RecordedHistory
from checker.recorded.observing import observe
from checker.recorded.version_order.completion import Completion
from checker.recorded.version_order.constraints import Constraints
from checker.recorded.version_order.estimate import NEIGHBOURS, estimated_order, near_pairs
from checker.recorded.version_order.inference import Inference
from checker.recorded.version_order.search import OrderSearch
from tests.checker.recorded.test_decide import exhaustive, hard, tiny


def shuffled(seed: int, shape: Shape, planted: str | None = None) -> RecordedHistory:
    """A history of which neither the order nor the sessions are left."""
    transactions = list(generate(seed, shape, planted).transactions)
    Random(seed).shuffle(transactions)
    alone = (replace(each, session=number) for number, each in enumerate(transactions))
    return RecordedHistory("register", tuple(alone))


def inferred(history: RecordedHistory, split: bool) -> tuple[Constraints, Inference] | None:
    graph = Constraints(observe(history), split=split, sessions=False)
    inference = Inference(graph)
    acyclic = len(inference.run(time.monotonic() + 30)) == graph.size
    return (graph, inference) if acyclic and inference.rounds else None


@pytest.mark.parametrize("split", [False, True])
def test_the_estimate_respects_the_graph_and_is_near_the_order_of_commits(split: bool) -> None:
    shape = Shape(600, sessions=600, keys=10, blind=0.5)
    history = shuffled(1, shape)
    made = inferred(history, split)
    assert made is not None
    graph, inference = made
    order = estimated_order(graph, inference)
    assert order is not None
    place = {node: at for at, node in enumerate(order)}
    assert len(place) == graph.size
    assert all(place[a] < place[b] for a in place for b in graph.after[a])
    commits = sorted(range(600), key=lambda number: place[graph.commit(number)])
    true = [int(history.transactions[number].name[1:]) for number in commits]
    errors = [abs(number - at) for at, number in enumerate(true)]
    assert sum(errors) / len(errors) < 20


def test_near_pairs_are_open_and_neighbours() -> None:
    for seed in range(60):
        made = inferred(hard(seed), split=seed % 2 == 1)
        if made is None:
            continue
        graph, inference = made
        order = estimated_order(graph, inference)
        assert order is not None
        every = {frozenset(pair[:2]) | {-1 - pair[2]} for pair in inference.open_pairs()}
        for first, second, key in near_pairs(graph, inference, order):
            assert frozenset({first, second, -1 - key}) in every
            line = sorted(graph.seen.writers[key], key=lambda w: order.index(graph.commit(w)))
            assert 0 < line.index(second) - line.index(first) <= NEIGHBOURS


@pytest.mark.slow
def test_what_the_search_of_near_pairs_decides_is_right() -> None:
    met = set()
    for seed in range(400):
        history = tiny(seed) if seed % 2 else hard(seed)
        expected = exhaustive(observe(history), sessions=False)
        for split in (False, True):
            made = inferred(history, split)
            order = None if made is None else estimated_order(*made)
            if made is None or order is None:
                continue
            graph, inference = made
            search = OrderSearch(graph, order, near_pairs(graph, inference, order))
            decision = search.run(time.monotonic() + 30)
            if decision is not None and decision.verdict == "holds":
                decision = Completion(graph, search.order()).tested()
            if decision is not None:
                assert decision.verdict == expected[split], (seed, split)
                met.add(decision.verdict)
    assert "holds" in met


@pytest.mark.parametrize("blind", [0.5, 1.0])
@pytest.mark.slow
def test_blind_writes_without_sessions_and_order_are_decided(blind: float) -> None:
    shape = Shape(1000, sessions=1000, keys=30, blind=blind)
    levels = judge(shuffled(2, shape), session_order=False).levels
    assert {level.verdict for level in levels.values()} == {"holds"}
    levels = judge(shuffled(2, shape, "long fork"), session_order=False).levels
    assert levels["SnapshotIsolation"].verdict == levels["Serializable"].verdict == "violated"
    assert levels["ReadAtomic"].verdict == "holds"
