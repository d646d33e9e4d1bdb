"""The theorem about all transactions, held against histories that searches make."""

from __future__ import annotations

from itertools import islice

import pytest

from checker.judging import graph
from checker.judging.dependencies import dependencies
from checker.proofs.shapes import missed_appends_on_a_cycle, ways_back
from checker.search.alphabet import statements
from checker.search.exhaustive import Search
from checker.search.random_search import random_scenarios
from model.errors import UnsupportedSQL
from model.history import History
from model.preparation import run_scenario
from model.profiles import DEFAULT

pytestmark = pytest.mark.slow


def _violates(history: History) -> bool:
    return bool(graph.decide(dependencies(history), "PL-3").cycle)


def test_every_cycle_of_three_with_readers_has_both_parts() -> None:
    chosen = [
        statement
        for statement in statements("partitioned")
        if statement.sql.startswith(("INSERT", "DELETE", "SELECT", "UPDATE"))
        and "(SELECT" not in statement.sql
    ][::2]
    violating: list[History] = []
    admitted = 0

    def look(path: object, history: History, violated: object) -> None:
        nonlocal admitted
        admitted += 1
        if _violates(history):
            violating.append(history)

    Search("partitioned", statements=chosen).run(
        "WriteSerializable", 3, judged=("PL-3",), observer=look
    )
    assert admitted > 1000
    assert len(violating) > 20
    readers = 0
    for history in violating:
        assert missed_appends_on_a_cycle(history, readers=True)
        assert ways_back(history)
        readers += any(not transaction.writes for transaction in history.committed)
    assert 0 < readers < len(violating)


def test_random_cycles_of_three_to_five_have_both_parts() -> None:
    found = 0
    for scenario in islice(random_scenarios(23, ("WriteSerializable",), (3, 4, 5)), 500):
        if "(SELECT" in " ".join(scenario.transactions.values()):
            continue
        try:
            history = run_scenario(scenario, DEFAULT).history
        except UnsupportedSQL:
            continue  # The grammar makes pairs that the model refuses to foretell.
        if _violates(history):
            found += 1
            assert missed_appends_on_a_cycle(history, readers=True), scenario
            assert ways_back(history), scenario
    assert found > 2
