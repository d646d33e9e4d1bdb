"""The components of a history: transactions that share keys or sessions, one way or another.

Nothing orders transactions of different components but real time. So a level without real time
holds if and only if it holds in each component: edges stay inside, and orders of the components
one after another are an order of all.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace

from checker.judging.graph import VerdictName
from checker.judging.verdict import Verdict
from checker.judging.witness import SerialOrder
from checker.recorded.decide import Judgement
from checker.recorded.history import Recorded, RecordedHistory


def components(history: RecordedHistory) -> list[RecordedHistory]:
    """The components, in the order of their first transactions; those in each keep their order."""
    parent = list(range(len(history.transactions)))

    def root(place: int) -> int:
        while parent[place] != place:
            parent[place] = parent[parent[place]]
            place = parent[place]
        return place

    first: dict[tuple[str, Hashable], int] = {}
    for place, transaction in enumerate(history.transactions):
        for shared in _shared(transaction):
            other = root(first.setdefault(shared, place))
            here = root(place)
            parent[max(here, other)] = min(here, other)
    members: dict[int, list[Recorded]] = {}
    for place, transaction in enumerate(history.transactions):
        members.setdefault(root(place), []).append(transaction)
    return [replace(history, transactions=tuple(some)) for some in members.values()]


def _shared(transaction: Recorded) -> Iterable[tuple[str, Hashable]]:
    yield "session", transaction.session
    for key in {operation.key for operation in transaction.operations}:
        yield "key", key


def joined(parts: Sequence[Judgement]) -> Judgement:
    """The judgement on a history from those on its components, of which there is at least one.

    The witness of a violation is that of the first component that has it.
    """
    cycles = {cycle.anomaly: cycle for part in reversed(parts) for cycle in reversed(part.cycles)}
    without: dict[str, VerdictName] = {}
    for level in dict.fromkeys(name for part in parts for name in part.without_sessions):
        said = [part.without_sessions.get(level) for part in parts]
        if "violated" in said:
            without[level] = "violated"
        elif None not in said:
            without[level] = "unknown" if "unknown" in said else "holds"
    return Judgement(
        sum(part.transactions for part in parts),
        parts[0].session_order,
        {level: _joined([part.levels[level] for part in parts]) for level in parts[0].levels},
        without,
        tuple(read for part in parts for read in part.anomalous_reads),
        tuple(reversed(cycles.values())),
        {key: value for part in parts for key, value in part.taken_for_initial.items()},
    )


def _joined(verdicts: Sequence[Verdict]) -> Verdict:
    for worst in ("violated", "unknown"):
        for verdict in verdicts:
            if verdict.verdict == worst:
                return verdict
    orders = [verdict.serial_order for verdict in verdicts]
    if None in orders:
        return replace(verdicts[0], witness=None)
    names = tuple(name for order in orders if order is not None for name in order)
    return replace(verdicts[0], witness=SerialOrder(names))
