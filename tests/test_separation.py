"""The levels of the table, told apart by the smallest histories."""

from __future__ import annotations

from checker import graph
from checker.dependencies import dependencies
from checker.separation import NO_RULES, STATEMENTS, separations
from model.levels import LEVELS, implies
from model.simulator import run_scenario


def test_pairs_of_levels_are_told_apart_by_two_transactions_or_implied():
    found = separations(2)
    assert len(found) == len(LEVELS) * (len(LEVELS) - 1)
    assert sum(each.implied for each in found) == 27
    assert sum(each.scenario is not None for each in found) == 32
    for each in found:
        if each.scenario is None:
            continue
        assert not implies(each.held, each.violated)
        history = dependencies(run_scenario(each.scenario, NO_RULES).history)
        assert not graph.decide(history, each.held).cycle
        assert graph.decide(history, each.violated).anomaly == each.anomaly


def test_a_reader_tells_write_serializable_from_serializability_in_any_order():
    chosen = ("append to 1", "raise everything", "read everything")
    assert set(chosen) <= set(STATEMENTS)
    found = {(each.held, each.violated): each for each in separations(3, chosen)}
    apart = found["WriteSerializable", "PL-3"]
    assert apart.transactions == 3
    assert any("SELECT" in sql for sql in apart.scenario.transactions.values())
