"""Histories that fall apart: the verdicts on the whole are those on the components together."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from checker.recorded.components import components, joined
from checker.recorded.decide import judge
from checker.recorded.history import Operation, Recorded, RecordedHistory
from tests.nightly import cases
from tests.notation import recorded


def several(random: Random) -> RecordedHistory:
    """Up to four groups of sessions with keys of their own, their transactions mixed."""
    groups: list[list[Recorded]] = []
    for group in range(random.randint(1, 4)):
        values: dict[str, list[int | None]] = {f"{group}{key}": [None] for key in "xy"}
        transactions = []
        for number in range(random.randint(1, 5)):
            operations: list[Operation] = []
            for key in random.sample(sorted(values), random.randint(1, 2)):
                if random.random() < 0.7:
                    operations.append(Operation("r", key, random.choice(values[key])))
                if random.random() < 0.6:
                    values[key].append(len(values[key]))
                    operations.append(Operation("w", key, values[key][-1]))
            session = 10 * group + random.randint(0, 2)
            transactions.append(Recorded(f"T{group}.{number}", session, tuple(operations)))
        groups.append(transactions)
    mixed = []
    while groups := [group for group in groups if group]:
        mixed.append(random.choice(groups).pop(0))
    return RecordedHistory("register", tuple(mixed))


def test_components_together_are_judged_as_the_whole() -> None:
    met = set()
    for seed in range(cases(60, 1_500)):
        random = Random(seed)
        history, sessions = several(random), random.random() < 0.5
        parts = components(history)
        assert sorted(t.name for part in parts for t in part.transactions) == sorted(
            t.name for t in history.transactions
        )
        whole = judge(history, session_order=sessions)
        together = joined([judge(part, session_order=sessions) for part in parts])
        verdicts = {name: verdict.verdict for name, verdict in whole.levels.items()}
        assert {n: v.verdict for n, v in together.levels.items()} == verdicts, seed
        assert together.without_sessions == whole.without_sessions, seed
        assert together.transactions == whole.transactions
        assert set(together.anomalous_reads) == set(whole.anomalous_reads), seed
        for name, verdict in whole.levels.items():
            order = together.levels[name].serial_order
            assert (order is None) == (verdict.serial_order is None), (seed, name)
            if order is not None and verdict.serial_order is not None:
                assert sorted(order) == sorted(verdict.serial_order)
        met.add((len(parts) > 1, verdicts["Serializable"]))
    assert met >= {(True, "holds"), (True, "violated"), (False, "holds")}


def test_a_session_and_a_key_join_transactions() -> None:
    history = recorded("1: w(x=1)", "1: w(y=1)", "2: r(y=1)", "3: w(z=1)")
    names = [[t.name for t in part.transactions] for part in components(history)]
    assert names == [["T1", "T2", "T3"], ["T4"]]
    alone = replace(history, transactions=history.transactions[:1])
    assert components(alone) == [alone]
