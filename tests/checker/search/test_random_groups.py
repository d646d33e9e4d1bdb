"""Random scenarios that share their tables."""

from __future__ import annotations

from itertools import islice

from checker.search.random_search import scenarios_in_groups


def test_a_group_shares_its_tables_and_nothing_else() -> None:
    found = list(islice(scenarios_in_groups(5, 4), 8))
    assert len({repr(scenario.table) for scenario in found[:4]}) == 1
    assert found[0].table != found[4].table
    assert len({repr(scenario.transactions) for scenario in found}) == 8


def test_a_seed_gives_the_same_series_again() -> None:
    assert list(islice(scenarios_in_groups(5, 4), 9)) == list(islice(scenarios_in_groups(5, 4), 9))
    assert next(scenarios_in_groups(5, 4)) != next(scenarios_in_groups(6, 4))
