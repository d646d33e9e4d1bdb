"""Random scenarios: the same ones from a seed, in groups that share their tables, all run."""

from __future__ import annotations

from itertools import islice

from checker.search.random_search import random_scenario, scenarios_in_groups
from model.preparation import run_scenario
from model.profiles import DEFAULT


def test_a_group_shares_its_tables_and_nothing_else() -> None:
    found = list(islice(scenarios_in_groups(5, 4), 8))
    assert len({repr(scenario.table) for scenario in found[:4]}) == 1
    assert found[0].table != found[4].table
    assert len({repr(scenario.transactions) for scenario in found}) == 8


def test_a_seed_gives_the_same_series_again() -> None:
    assert list(islice(scenarios_in_groups(5, 4), 9)) == list(islice(scenarios_in_groups(5, 4), 9))
    assert next(scenarios_in_groups(5, 4)) != next(scenarios_in_groups(6, 4))


def test_a_statement_that_meets_columns_of_another_type_is_an_outcome() -> None:
    # An INSERT by position, after the table was replaced by one with other columns.
    ended = run_scenario(random_scenario(1, 983), DEFAULT).ended["C"]
    assert ended.outcome == "DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION"
