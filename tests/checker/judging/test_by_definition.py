"""The edges of random histories, held against the definition (``by_definition``)."""

from __future__ import annotations

from collections import Counter
from itertools import islice

import pytest

from checker.generators.abstract_histories import from_seed
from checker.judging import graph, solver
from checker.judging.dependencies import dependencies
from checker.search.random_search import random_scenarios
from model.errors import InvalidScenario
from model.history import History
from model.levels import LEVELS, EdgeKind
from model.preparation import prepare
from model.profiles import NO_RULES
from model.simulator import run
from tests.checker.judging import by_definition
from tests.nightly import cases
from tests.notation import history


def compared(judged: History) -> set[by_definition.Edge]:
    """The edges by definition, after both derivations were found to give the same."""
    expected = by_definition.edges(judged)
    graph_edges = dependencies(judged).edges()
    assert {(e.source.name, e.target.name, e.kind) for e in graph_edges} == expected, judged
    assert {(s.before, s.after, s.kind) for s in solver.precedences(judged)} == expected, judged
    return expected


def test_abstract_histories_have_the_edges_of_the_definition():
    seen: Counter[EdgeKind] = Counter()
    for seed in range(cases(1_500, 100_000)):
        seen.update(kind for _, _, kind in compared(from_seed(seed)))
    assert set(seen) == set(EdgeKind)


@pytest.mark.slow
def test_statements_of_every_kind_have_the_edges_of_the_definition():
    seen: Counter[EdgeKind] = Counter()
    kinds: Counter[str] = Counter()
    for scenario in islice(random_scenarios(21), cases(500, 30_000)):
        try:
            workload = prepare(scenario, NO_RULES)
            done = run(workload, scenario.schedule, NO_RULES)
        except InvalidScenario:
            continue
        seen.update(kind for _, _, kind in compared(done.history))
        kinds.update(workload.statements[t.name].kind for t in done.history.committed if t.changes)
    assert set(seen) == set(EdgeKind)
    changing = {"INSERT", "INSERT SELECT", "DELETE", "UPDATE", "MERGE", "INSERT OVERWRITE"}
    assert changing | {"TRUNCATE", "RESTORE"} <= set(kinds), kinds


def test_levels_decided_on_the_edges_of_the_definition_have_the_same_verdicts():
    """The graph's verdict, and the solver's on steps that the definition gives."""
    for seed in range(cases(60, 5_000)):
        judged = from_seed(seed)
        steps = frozenset(
            solver.Precedence(a, b, kind) for a, b, kind in by_definition.edges(judged)
        )
        for level in LEVELS:
            expected = graph.decide(dependencies(judged), level).verdict
            assert solver.decide(steps, judged, level).verdict == expected, (level, judged)


def test_the_definition_by_hand():
    judged = history("x=0 y=5", "A@0>1: r(x) w(x=5)", "B@0>2: p(v > 4) w(y=6)", "R@1: p(v > 4)")
    found = {
        f"{a} {kind} {b}"
        for a, b, kind in by_definition.edges(judged)
        if kind.value not in ("log", "start", "unseen")
    }
    assert found == {
        "B rw predicate A",
        "A wr predicate R",
        "A wr item R",
        "R rw item B",
    }
