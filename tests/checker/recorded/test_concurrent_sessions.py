"""Foreign histories of sessions that overlapped: the level of the database always holds."""

from __future__ import annotations

from dataclasses import replace

import pytest

from checker.recorded.decide import judge
from checker.recorded.generators.concurrent import LEVELS, generate_concurrent
from checker.recorded.generators.serial import Shape
from checker.recorded.history import RecordedHistory
from model.levels import READ_COMMITTED, SERIALIZABLE, SNAPSHOT_ISOLATION

pytestmark = pytest.mark.slow

SEEDS = range(60)


def shape(seed: int) -> Shape:
    """Small ones with few keys, so that transactions get into each other's way."""
    return Shape(
        transactions=12 + seed,
        sessions=2 + seed % 5,
        keys=2 + seed % 7,
        operations=(1, 5),
        reads=0.3 + 0.1 * (seed % 4),
        blind=0.25 * (seed % 5),
        skew=seed % 2,
    )


def by_session(history: RecordedHistory) -> RecordedHistory:
    """The same with nothing left of the order in which the sessions' transactions ended."""
    grouped = sorted(history.transactions, key=lambda each: each.session)
    return replace(history, transactions=tuple(grouped))


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("sessions", [True, False])
def test_the_level_of_the_database_holds(level: str, sessions: bool) -> None:
    for seed in SEEDS:
        history = by_session(generate_concurrent(seed, shape(seed), level))
        assert judge(history, session_order=sessions).levels[level].verdict == "holds", seed


@pytest.mark.parametrize(
    ("level", "broken"), [(READ_COMMITTED, SNAPSHOT_ISOLATION), (SNAPSHOT_ISOLATION, SERIALIZABLE)]
)
def test_the_histories_break_the_next_level(level: str, broken: str) -> None:
    verdicts = {
        judge(generate_concurrent(seed, shape(seed), level), session_order=True)
        .levels[broken]
        .verdict
        for seed in SEEDS
    }
    assert verdicts == {"holds", "violated"}


def test_transactions_overlap_and_some_are_aborted() -> None:
    history = generate_concurrent(1, Shape(200, 10, 5), SNAPSHOT_ISOLATION)
    assert {transaction.status for transaction in history.transactions} == {"committed", "aborted"}
    assert len(history.transactions) == 200


def test_lists_are_refused() -> None:
    with pytest.raises(ValueError, match="no concurrent history of lists"):
        generate_concurrent(1, Shape(lists=True), SNAPSHOT_ISOLATION)
