"""The stages of predictions, choice and causes, without Spark."""

from collections import Counter

import pytest

from checker.search.exhaustive import JUDGED
from model.profiles import DEFAULT
from model.rules.delta_spark import METADATA_CHANGED
from pipeline.lessons.branches import universe
from pipeline.lessons.choice import chosen_first
from pipeline.stages.coverage import POSITIONS, reachable, shortfall
from pipeline.stages.predictions import TALLY, Offer, Predicted, cause_of, predicted_batches
from pipeline.stages.violations import statements_of
from pipeline.stream import pool

POOL = pool(11, 2)


@pytest.fixture(scope="module")
def rows():
    (batch,) = predicted_batches(POOL, [DEFAULT], Offer(3))
    return batch.to_pylist()


def test_every_history_has_a_row_and_the_position_one_that_counts(rows):
    assert [row["number"] for row in rows[:-1]] == list(range(len(list(POOL.jobs.paths()))))
    assert rows[-1]["number"] == TALLY
    assert all(row["history"] == f"11-2-{row['number']}" for row in rows[:-1])


def test_the_counts_are_those_of_the_rows(rows):
    count = Counter(dict(rows[-1]["reached"]))
    assert count["total\thistories"] == len(rows) - 1
    ends = [(t["rule"], row["number"]) for row in rows[:-1] for t in row["transactions"]]
    assert any(rule for rule, _ in ends)
    for rule in {rule for rule, _ in ends if rule}:
        assert count[f"rule\t{rule}"] == sum(1 for r, _ in ends if r == rule)
    for level in JUDGED:
        violated = [
            v
            for row in rows[:-1]
            for v in row["verdicts"]
            if v["level"] == level and v["verdict"] == "violated"
        ]
        counted = sum(
            n for key, n in count.items() if key.startswith("anomaly") and key.endswith(f" {level}")
        )
        assert counted == len(violated)


def test_a_cause_stands_at_the_weakest_levels_that_are_violated_alone(rows):
    causes = [v for row in rows[:-1] for v in row["verdicts"] if v["cause"]]
    assert causes
    assert all(v["verdict"] == "violated" for v in causes)
    assert all(v["cause"].startswith(f"{v['level']} on {POOL.level}: ") for v in causes)


def test_a_position_offers_as_many_histories_as_are_asked_for(rows):
    offered = [row for row in rows[:-1] if row["lessons"] is not None]
    assert len(offered) == 3
    assert len({tuple(row["lessons"]) for row in offered}) == 3


def test_a_cause_is_the_same_from_wherever_its_cycle_is_told():
    kinds = ("DELETE", "INSERT", "INSERT SELECT")
    cycle = [(0, "rw item"), (1, "wr item"), (2, "log")]
    names = {cause_of(cycle[n:] + cycle[:n], kinds) for n in range(3)}
    (name,) = names
    assert name == "DELETE -rw item-> INSERT -wr item-> INSERT SELECT -log-> DELETE"
    assert statements_of(f"Serializable on Serializable: {name}") == kinds


def test_what_was_not_shown_before_comes_first_and_repeats_count_less():
    candidates = {"a": ["x"], "b": ["x", "y"], "c": ["z"], "d": []}
    assert [key for key, _ in chosen_first(candidates, {}, 4)][-1] == "d"
    assert next(chosen_first(candidates, {"x": 3, "y": 3}, 1))[0] == "c"
    assert len(list(chosen_first(candidates, {}, 2))) == 2


def test_the_rules_that_are_watched_decide_as_without_the_watch():
    predicted = Predicted.of(POOL, DEFAULT)
    assert predicted is not None
    assert predicted.profile is DEFAULT
    assert {e.ended.conflict.rule for e in predicted.edges if e.ended.conflict} <= {
        rule.name for rule in DEFAULT.rules
    }


def test_the_branches_of_a_rule_are_its_returns():
    names = universe([METADATA_CHANGED])
    assert len(names) == 8
    assert all(name.startswith("metadata changed, line ") for name in names)


def test_a_campaign_that_reaches_little_is_vacuous():
    nothing = dict.fromkeys(reachable(DEFAULT), 0)
    assert shortfall(nothing, POSITIONS - 1) == ()
    assert len(shortfall(nothing, POSITIONS)) == 2
    everything = dict.fromkeys(nothing, 1)
    assert shortfall(everything, POSITIONS) == ()


def test_a_planted_mutant_is_found_by_what_is_chosen_first():
    """The model with a rule dropped plays the engine; the choice does not know which."""
    offered = {}
    own = {}
    for position in (2, 5):
        own[position] = predicted = Predicted.of(pool(11, position), DEFAULT)
        candidates = {n: predicted.lessons_of(n) for n in range(len(predicted.numbers))}
        for row, lessons in chosen_first(candidates, {}, 6):
            offered[position, predicted.numbers[row]] = lessons
    for rule in ("added files", "delete read"):
        mutant = {p: Predicted.of(pool(11, p), DEFAULT.without(rule)) for p in own}
        places = [
            place
            for place, ((position, number), _) in enumerate(chosen_first(offered, {}, 12))
            if _outcomes(own[position], number) != _outcomes(mutant[position], number)
        ]
        assert places
        assert places[0] < 6


def _outcomes(predicted, number):
    return predicted.outcomes(predicted.leaves[predicted.row_of(number)])
