"""The table of levels: each level once, and what is computed from it."""

from __future__ import annotations

from functools import partial
from itertools import product

import pytest

from checker.proofs.theorems.key_value import levels as key_value_levels
from model.levels import (
    KEY_VALUE_LEVELS,
    LEVELS,
    MEANS,
    RECORDED_LEVELS,
    SHORT,
    SHORT_WITHOUT_LOG,
    forbids,
    implies,
)
from model.levels.table import TABLE

implied_on_keys = partial(key_value_levels.implies, predicates=False)
implied_with_a_predicate = partial(key_value_levels.implies, predicates=True)


def test_every_level_is_stated_once() -> None:
    names = [row.name for row in TABLE]
    assert len(set(names)) == len(names)
    assert all(row.cycles or row.axioms or row.recorded for row in TABLE)
    assert len(set(SHORT.values())) == len(TABLE)
    assert len(set(SHORT_WITHOUT_LOG.values())) == len(KEY_VALUE_LEVELS)


def test_no_definition_is_lost_where_histories_without_a_log_use_another_name() -> None:
    assert len(LEVELS) == sum(row.cycles is not None for row in TABLE)
    assert len(KEY_VALUE_LEVELS) == sum(row.axioms is not None for row in TABLE)
    assert len(RECORDED_LEVELS) == sum(row.recorded is not None for row in TABLE)
    assert MEANS == {"Serializable": "PL-3"}


def test_no_level_stands_before_one_that_it_implies() -> None:
    for levels, stronger in ((LEVELS, implies), (KEY_VALUE_LEVELS, implied_with_a_predicate)):
        place = {name: number for number, name in enumerate(levels)}
        for strong, weak in product(levels, repeat=2):
            if place[strong] < place[weak] and stronger(strong, weak):
                assert stronger(weak, strong), (strong, weak)


def test_recorded_levels_of_one_strength_are_those_that_a_predicate_alone_tells_apart() -> None:
    same = [
        {one, other}
        for one, other in product(RECORDED_LEVELS, repeat=2)
        if one < other and forbids(one, other) and forbids(other, one)
    ]
    assert same == [{"RepeatableRead", "Serializable"}]
    assert implied_on_keys("RepeatableRead", "Serializable")
    assert not implied_with_a_predicate("RepeatableRead", "Serializable")


def test_a_level_of_real_time_is_stronger_than_all_without() -> None:
    timed = {name for name, level in RECORDED_LEVELS.items() if level.real_time}
    assert timed
    for name, other in product(timed, RECORDED_LEVELS.keys() - timed):
        assert forbids(name, other)
        assert not forbids(other, name)


UNTIMED = [name for name, level in RECORDED_LEVELS.items() if not level.real_time]


@pytest.mark.parametrize(("strong", "weak"), [*product(UNTIMED, repeat=2)])
def test_the_strength_of_recorded_levels_is_what_the_axioms_imply(strong: str, weak: str) -> None:
    if implied_on_keys(strong, weak):
        assert forbids(strong, weak)
