"""Explanations of recorded histories: every printed reason is borne out by the operations."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import replace
from random import Random

import pytest

from checker.recorded.decide import judge
from checker.recorded.explanation.witness import ExplainedCycle
from checker.recorded.generators.serial import PLANTED, Shape, generate
from checker.recorded.history import Operation, Recorded, RecordedHistory
from model.levels import STRONG_SESSION
from tests.checker.recorded.reasons import Verifier
from tests.checker.recorded.test_decide import hard, tiny
from tests.notation import recorded


def checked(history: RecordedHistory, sessions: bool) -> Counter[str]:
    """Checks every explanation; counts what they were made of."""
    met: Counter[str] = Counter()
    judgement = judge(history, session_order=sessions)
    for verdict in (*judgement.levels.values(), *judgement.cycles):
        cycle = verdict.witness
        if not isinstance(cycle, ExplainedCycle):
            continue
        name = verdict.level
        strong = name.startswith(STRONG_SESSION)
        verifier = Verifier(history, name.removeprefix(STRONG_SESSION), sessions or strong)
        verifier.check(cycle)
        met[name] += 1
        met["cases"] += bool(cycle.cases)
        met["steps"] += len(cycle.steps)
        met["lost update"] += any("both read" in edge.because for edge in cycle.edges)
        met["shown"] += any(" with " in edge.because for edge in cycle.edges)
    return met


@pytest.mark.parametrize("sessions", [True, False])
@pytest.mark.slow
def test_every_reason_of_a_small_history_is_in_the_history(sessions: bool) -> None:
    met: Counter[str] = Counter()
    for seed in range(600):
        met += checked(tiny(seed), sessions)
        met += checked(hard(seed), sessions)
    for reached in ("ReadCommitted", "ReadAtomic", "SnapshotIsolation", "Serializable", "steps"):
        assert met[reached] > 10, (reached, met)
    assert met["lost update"] > 3, met


@pytest.mark.parametrize("sessions", [True, False])
@pytest.mark.parametrize("planted", [name for name in PLANTED if "read" not in name])
def test_every_reason_of_a_planted_anomaly_is_in_the_history(planted: str, sessions: bool) -> None:
    for seed in range(4):
        shape = Shape(transactions=80, sessions=5, keys=6, blind=0.3 * seed)
        checked(generate(seed, shape, planted), sessions)


@pytest.mark.parametrize("sessions", [True, False])
def test_every_reason_of_lists_is_in_the_history(sessions: bool) -> None:
    met: Counter[str] = Counter()
    for seed in range(120):
        shape = Shape(transactions=12, sessions=4, keys=3, operations=(1, 4), lists=True)
        history = generate(seed, shape)
        moved = [*history.transactions]
        for place, transaction in enumerate(moved):
            session = (transaction.session + seed * place) % 4
            moved[place] = replace(transaction, session=session)
        made = _with_shorter_reads(replace(history, transactions=tuple(moved)), seed)
        met += checked(made, sessions)
    assert met["shown"] > 10, met


def _with_shorter_reads(history: RecordedHistory, seed: int) -> RecordedHistory:
    """The same history, where some reads of lists miss the last elements."""
    random = Random(seed)
    transactions = []
    for transaction in history.transactions:
        operations = [
            o._replace(value=o.value[: random.randint(0, len(o.value))])
            if isinstance(o.value, tuple) and not random.randrange(4)
            else o
            for o in transaction.operations
        ]
        transactions.append(replace(transaction, operations=tuple(operations)))
    return replace(history, transactions=tuple(transactions))


def blind_writers(seed: int) -> RecordedHistory:
    """Writers of nearly every key, and readers of some: a few violations need two cases."""
    random = Random(seed)
    counter = itertools.count(1)
    keys = range(random.randint(2, 3))
    writes: list[list[tuple[int, int]]] = [
        [(key, next(counter)) for key in keys if random.random() < 0.8] for _ in range(4)
    ]
    values = {key: [v for each in writes for k, v in each if k == key] for key in keys}
    reads = [
        [(k, random.choice(values[k])) for k in keys if values[k] and random.random() < 0.7]
        for _ in range(4)
    ]
    plan = [("w", each) for each in writes] + [("r", each) for each in reads]
    random.shuffle(plan)
    return RecordedHistory(
        "register",
        tuple(
            Recorded(f"T{number}", number, tuple(Operation(kind, *each) for each in operations))  # type: ignore[arg-type]
            for number, (kind, operations) in enumerate(plan)
        ),
    )


@pytest.mark.slow
def test_a_violation_of_every_order_is_proved_by_cases() -> None:
    met: Counter[str] = Counter()
    for seed in range(400):
        met += checked(blind_writers(seed), sessions=False)
    assert met["cases"] > 10, met


def test_a_non_repeatable_read_is_not_called_a_lost_update() -> None:
    """Both read x = 1 and wrote x, but T3 read the other one's version as well."""
    made = recorded("1: w(x=1)", "2: r(x=1) w(x=2)", "3: r(x=1) r(x=2) w(x=3)")
    for sessions in (True, False):
        judgement = judge(made, session_order=sessions)
        told = {verdict.anomaly for verdict in (*judgement.levels.values(), *judgement.cycles)}
        assert "lost update" not in told, told
        assert judgement.levels["ReadAtomic"].anomaly == "non-repeatable read"


def test_a_derivation_names_the_reads_that_force_an_order() -> None:
    """T3 saw y of T2 and x of T1, so T2 wrote x before T1; T4 saw T2's x and T1's z."""
    made = recorded("1: w(x=1) w(z=1)", "2: w(x=2) w(y=2)", "3: r(y=2) r(x=1)", "4: r(z=1) r(x=2)")
    cycle = judge(made, session_order=True).levels["ReadAtomic"].witness
    assert isinstance(cycle, ExplainedCycle)
    Verifier(made, "ReadAtomic", True).check(cycle)
    words = [step.because for step in cycle.steps] + [edge.because for edge in cycle.edges]
    assert any("T3 read 1 of key 'x', which T1 wrote" in sentence for sentence in words), words
    assert {t.transaction for t in cycle.transcripts} >= {"T1", "T2"}
