"""The verdicts on a recorded history, level by level."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from types import MappingProxyType

from checker.judging.graph import VerdictName
from checker.judging.verdict import Verdict
from checker.judging.witness import Cycle, Reason, SerialOrder
from checker.recorded.dependency import Dependency
from checker.recorded.explanation.derivation import Derivation, derive
from checker.recorded.explanation.names import (
    anomaly,
    from_first_anti_dependency,
    lost_update,
    phenomenon,
)
from checker.recorded.explanation.witness import (
    ExplainedCycle,
    explained,
    explained_by_cases,
    of_read,
)
from checker.recorded.history import Key, RecordedHistory, Value
from checker.recorded.observations import AnomalousRead, Observations
from checker.recorded.observing import observe
from checker.recorded.replay import first_difference
from checker.recorded.version_order.completion import Completion, Decision
from checker.recorded.version_order.constraints import Constraints
from checker.recorded.version_order.cycles import topological_by
from checker.recorded.version_order.estimate import estimated_order, near_pairs
from checker.recorded.version_order.greedy_run import GreedyRun, as_recorded
from checker.recorded.version_order.inference import Inference
from checker.recorded.version_order.search import OrderSearch
from checker.recorded.version_order.time_limit import OutOfTime
from checker.recorded.weak_levels import cycle_of, decide_weak
from model.levels import (
    CAUSAL,
    PREFIX,
    RECORDED_LEVELS,
    REPEATABLE_READ,
    SERIALIZABLE,
    SNAPSHOT_ISOLATION,
    STRICT_SERIALIZABLE,
    STRONG_SESSION,
    consecutive,
    forbids,
)

TIME_LIMIT = 300.0
"""Seconds for all levels together; a level that is not decided by then is ``unknown``."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdicts on one history by level, and every anomaly that was met on the way.

    ``session_order`` says whether all levels respect the order of each session; those whose name
    begins with ``STRONG_SESSION`` do in any case. ``without_sessions`` has verdicts on the same
    levels without that order, as far as they were decided. ``anomalous_reads`` are the anomalies
    that are not cycles, ``cycles`` has a verdict for each kind of cycle. All rests on
    ``taken_for_initial``: by key, a value that nobody wrote and that is taken for the initial one.
    """

    transactions: int
    session_order: bool
    levels: dict[str, Verdict]
    without_sessions: dict[str, VerdictName]
    anomalous_reads: tuple[AnomalousRead, ...]
    cycles: tuple[Verdict, ...]
    taken_for_initial: dict[Key, Value] = field(default_factory=dict)

    def respects_sessions(self, level: str) -> bool:
        """Whether the order of each session is a part of a level's definition."""
        return self.session_order or level.startswith(STRONG_SESSION)


TIME_OVER = "the time was over before the order of the versions was inferred"

MOST_TRANSACTIONS_TWICE = 20_000
"""Transactions up to which cycles are looked for where a read is an anomaly by itself."""


def judge(
    history: RecordedHistory,
    *,
    session_order: bool,
    time_limit: float = TIME_LIMIT,
    only: Collection[str] = (),
) -> Judgement:
    """Judges every level, or ``only`` those named, which ``level_names`` must have.

    Raises ``AmbiguousHistory`` where reads do not name their writers.

    With ``session_order`` all levels respect the order of each session (Biswas and Enea,
    Cobra, PolySI). Without, the levels are Adya's, and the ones that respect it stand beside
    them with a name of their own.
    """
    started = time.monotonic()
    seen = observe(history)
    wanted = only or level_names(session_order, real_time=history.timed)
    judge_level = _Judge(seen, started + time_limit, wanted)
    levels = judge_level.all_levels(session_order)
    return Judgement(
        len(seen.transactions),
        session_order,
        levels,
        judge_level.without_sessions(levels) if session_order else {},
        tuple(seen.anomalous_reads),
        judge_level.cycles(levels, session_order),
        seen.taken_for_initial,
    )


def level_names(session_order: bool, *, real_time: bool = False) -> list[str]:
    """The levels that a history is judged at, with the order of sessions or without.

    ``real_time`` adds those that need times.
    """
    strong = [] if session_order else [SNAPSHOT_ISOLATION, SERIALIZABLE]
    timed = [name for name, level in RECORDED_LEVELS.items() if level.real_time and real_time]
    return _names(session_order) + [STRONG_SESSION + name for name in strong] + timed


class _Judge:
    def __init__(self, seen: Observations, deadline: float, wanted: Collection[str]) -> None:
        self.seen = seen
        self.deadline = deadline
        self.wanted = wanted
        self.in_session_order = False
        """Whether the last serial order has every session in its order."""

    def _names(self, sessions: bool) -> list[str]:
        return [name for name in _names(sessions) if name in self.wanted]

    def _half_of_the_rest(self) -> float:
        """The deadline of a level that may take long, so that the others get their turn."""
        now = time.monotonic()
        return now + max(0.0, self.deadline - now) / 2

    def all_levels(self, sessions: bool) -> dict[str, Verdict]:
        if STRICT_SERIALIZABLE not in self.wanted:
            return self._levels(sessions)
        strict = self._strict(sessions)
        if strict.verdict == "holds":
            levels = self._levels(sessions, strict)
        else:
            levels = self._levels(sessions)
            broken = [v for name, v in levels.items() if not name.startswith(STRONG_SESSION)]
            broken = [verdict for verdict in broken if verdict.verdict == "violated"]
            # The weaker level's witness says most, and is a witness here as well.
            strict = replace(broken[0], level=STRICT_SERIALIZABLE) if broken else strict
        return levels | {STRICT_SERIALIZABLE: strict}

    def _strict(self, sessions: bool) -> Verdict:
        if self.seen.anomalous_reads:
            return _by_read(STRICT_SERIALIZABLE, self.seen.anomalous_reads)
        return self._strong(STRICT_SERIALIZABLE, sessions)

    def _levels(self, sessions: bool, strict: Verdict | None = None) -> dict[str, Verdict]:
        """The levels without real time; ``strict`` is the verdict on one that implies them."""
        names = self._names(sessions)
        anomalous = self.seen.anomalous_reads
        if sessions:
            return _all_like(strict, names) if strict else self._ladder(names, True, anomalous)
        strong_names = [SNAPSHOT_ISOLATION, SERIALIZABLE]
        strong_names = [name for name in strong_names if STRONG_SESSION + name in self.wanted]
        if len(set(self.seen.session)) == len(self.seen.session):
            # Every transaction has a session of its own.
            every = [name for name in RECORDED_LEVELS if name in (*names, *strong_names)]
            both = _all_like(strict, every) if strict else self._ladder(every, False, anomalous)
            strong = {STRONG_SESSION + name: both[name] for name in strong_names}
            return {name: both[name] for name in names} | {
                name: replace(verdict, level=name) for name, verdict in strong.items()
            }
        if strict is not None and self.in_session_order:
            strong = _all_like(strict, strong_names)
        else:
            strong = self._ladder(strong_names, True, anomalous)
        held = [name for name in strong_names if strong[name].verdict == "holds"]
        if strict is not None or SERIALIZABLE in held:
            levels = _all_like(strict or strong[SERIALIZABLE], names)
        else:
            weaker = [n for n in names if held and forbids(SNAPSHOT_ISOLATION, n)]
            holding = {name: Verdict(name, "holds") for name in weaker}
            levels = self._ladder(names, False, anomalous, holding)
        strong = {STRONG_SESSION + name: verdict for name, verdict in strong.items()}
        return levels | {name: replace(verdict, level=name) for name, verdict in strong.items()}

    def _in_session_order(self, order: Sequence[int]) -> bool:
        last: dict[int, int] = {}
        for number in order:
            session = self.seen.session[number]
            if number < last.get(session, number):
                return False
            last[session] = number
        return True

    def cycles(self, levels: Mapping[str, Verdict], sessions: bool) -> tuple[Verdict, ...]:
        """The cycles behind the verdicts, and those that anomalous reads hide."""
        every = list(levels.values())
        if self.seen.anomalous_reads and len(self.seen.transactions) <= MOST_TRANSACTIONS_TWICE:
            every += self._ladder(self._names(sessions), sessions, []).values()
        kinds = {(v.phenomenon, v.anomaly): v for v in reversed(every) if v.cycle}
        return tuple(reversed(kinds.values()))

    def without_sessions(self, levels: Mapping[str, Verdict]) -> dict[str, VerdictName]:
        """The verdict of each level without the order of sessions.

        A level that holds with that order holds without. A violated one is decided again, unless
        its witness shows the violation without sessions too.
        """
        names = self._names(False)
        plain: dict[str, Verdict] = {}
        broken: Verdict | None = None
        for name in names:
            if broken is None and _shown_without_sessions(levels[name]):
                broken = levels[name]
            if broken is not None:
                plain[name] = broken
            elif levels[name].verdict == "holds":
                plain[name] = levels[name]
        if len(plain) < len(names):
            plain = self._ladder(names, False, self.seen.anomalous_reads, plain)
        return {name: plain[name].verdict for name in names}

    def _ladder(
        self,
        names: list[str],
        sessions: bool,
        anomalous: Sequence[AnomalousRead],
        decided: Mapping[str, Verdict] = MappingProxyType({}),
    ) -> dict[str, Verdict]:
        """Decides the levels: the strongest first, and when that fails the weakest upwards.

        The verdicts in ``decided`` are taken as they are.
        """
        levels = dict(decided)
        for name in names:
            forbidden = [read for read in anomalous if forbids(name, read.forbidden_from)]
            if forbidden:
                levels[name] = _by_read(name, forbidden)
        every_cycle = {SERIALIZABLE, REPEATABLE_READ}.intersection(names)
        if SERIALIZABLE not in levels and not every_cycle <= levels.keys():
            strongest = self._strong(SERIALIZABLE, sessions)
            if strongest.verdict == "holds":
                return _all_like(strongest, names)
            levels[SERIALIZABLE] = strongest
        if SNAPSHOT_ISOLATION not in levels and SNAPSHOT_ISOLATION in names:
            levels[SNAPSHOT_ISOLATION] = self._snapshot(levels.get(SERIALIZABLE), sessions)
            if levels[SNAPSHOT_ISOLATION].verdict == "holds":
                weaker = (n for n in names if not forbids(n, SNAPSHOT_ISOLATION))
                levels |= dict.fromkeys(weaker, levels[SNAPSHOT_ISOLATION])
        broken: Verdict | None = None
        for name in names:
            if broken is not None:
                # The weaker level's witness says most, and is a witness here as well.
                levels[name] = broken
            elif name not in levels:
                levels[name] = self._one(name, sessions, levels)
            if levels[name].verdict == "violated":
                broken = broken or levels[name]
        return {name: replace(levels[name], level=name) for name in names}

    def _one(self, name: str, sessions: bool, levels: Mapping[str, Verdict]) -> Verdict:
        """A level that no stronger one decides, the stronger ones among ``levels``."""
        if name == REPEATABLE_READ:
            return levels[SERIALIZABLE]
        if name == PREFIX:
            return self._prefix(levels.get(SNAPSHOT_ISOLATION), sessions)
        return self._weak(name, sessions)

    def _prefix(self, snapshot: Verdict | None, sessions: bool) -> Verdict:
        match snapshot and snapshot.witness:
            # Inferred edges may follow from demands of SnapshotIsolation alone.
            case Cycle(edges, inferred=False) if _breaks_prefix([edge.kind for edge in edges]):
                assert snapshot is not None
                return snapshot
        return self._strong(PREFIX, sessions)

    def _snapshot(self, serializable: Verdict | None, sessions: bool) -> Verdict:
        match serializable and serializable.witness:
            # Inferred edges may follow from demands of Serializable alone.
            case Cycle(edges, inferred=False) if not consecutive([edge.kind for edge in edges]):
                assert serializable is not None
                return serializable
        return self._strong(SNAPSHOT_ISOLATION, sessions)

    def _weak(self, name: str, sessions: bool) -> Verdict:
        try:
            violation = decide_weak(self.seen, name, sessions=sessions, deadline=self.deadline)
        except OutOfTime:
            return Verdict(name, "unknown", Reason(TIME_OVER))
        if isinstance(violation, str):
            return Verdict(name, "unknown", Reason(violation))
        if violation is None:
            return Verdict(name, "holds")
        cycle = violation.cycle
        verdict = self._by_cycle(name, cycle, violation.derivations)
        # A cycle that every weaker level allows, and causal does not, is one by definition.
        if name == CAUSAL or any(edge.inferred for edge in cycle):
            return replace(verdict, anomaly=RECORDED_LEVELS[name].breach)
        return verdict

    def _lost_update(self) -> tuple[Dependency, ...]:
        """Two transactions that replaced the version both had read, whatever their order."""
        updated: dict[tuple[int, int], int] = {}
        for number, reads in enumerate(self.seen.reads):
            written = set(self.seen.writes[number])
            for version in reads:
                if version[0] in written:
                    other = updated.setdefault(version, number)
                    if other != number and lost_update(self.seen, other, number, version[0]):
                        rw = Dependency(other, number, "rw", version[0])
                        return rw, Dependency(number, other, "ww", version[0], inferred=True)
        return ()

    def _strong(self, name: str, sessions: bool) -> Verdict:
        lost = () if name == PREFIX else self._lost_update()
        if lost:
            return self._by_cycle(name, lost)
        deadline = self._half_of_the_rest()
        try:
            graph = Constraints(
                self.seen,
                split=name in (PREFIX, SNAPSHOT_ISOLATION),
                sessions=sessions,
                conflicts=name != PREFIX,
                real_time=RECORDED_LEVELS[name].real_time,
                deadline=deadline,
            )
            decision = decide(graph, deadline)
        except OutOfTime:
            return Verdict(name, "unknown", Reason(TIME_OVER))
        if decision.verdict == "unknown":
            assert decision.why is not None
            return Verdict(name, "unknown", Reason(decision.why))
        if decision.verdict == "violated":
            around = from_first_anti_dependency(decision.cycle)
            if decision.choices:
                witness = explained_by_cases(around, graph, decision.involved)
            else:
                witness = explained(around, self.seen, derive(graph, around))
            return self._violated(name, around, witness)
        if not forbids(name, SERIALIZABLE):
            return Verdict(name, "holds")
        return self._in_order(name, decision.order)

    def _in_order(self, name: str, numbers: Sequence[int]) -> Verdict:
        """The verdict that a serial order shows, after it was replayed."""
        order = [self.seen.transactions[number] for number in numbers]
        initial = self.seen.taken_for_initial
        difference = first_difference(order, initial, lists=self.seen.lists)
        if difference is not None:
            why = f"the serial order that was found does not explain the history: {difference}"
            return Verdict(name, "unknown", Reason(why), contradiction=why)
        self.in_session_order = self._in_session_order(numbers)
        return Verdict(name, "holds", SerialOrder(tuple(each.name for each in order)))

    def _by_cycle(
        self, name: str, cycle: Sequence[Dependency], derivations: Sequence[Derivation] = ()
    ) -> Verdict:
        around = from_first_anti_dependency(cycle)
        return self._violated(name, around, explained(around, self.seen, derivations))

    def _violated(self, name: str, cycle: Sequence[Dependency], witness: ExplainedCycle) -> Verdict:
        return Verdict(name, "violated", witness, anomaly(cycle, self.seen), phenomenon(cycle))


def _all_like(verdict: Verdict, names: Iterable[str]) -> dict[str, Verdict]:
    return {name: replace(verdict, level=name) for name in names}


def _names(sessions: bool) -> list[str]:
    """The levels without real time, weak to strong; causal only with the order of sessions."""
    return [
        name
        for name, level in RECORDED_LEVELS.items()
        if (sessions or not level.sessions) and not level.real_time
    ]


def _breaks_prefix(kinds: Sequence[str]) -> bool:
    """Whether prefix consistency forbids a cycle with edges of these kinds, in their order.

    The transaction of an anti-dependency has to have seen the one before it, by a read or by its
    session; to have been replaced by it or to have replaced it is not enough.
    """
    before = zip((*kinds[-1:], *kinds[:-1]), kinds, strict=True)
    return all(first in ("so", "wr") for first, kind in before if kind == "rw")


def _shown_without_sessions(level: Verdict) -> bool:
    """Whether the witness of a level violates it without the order of sessions as well.

    An anomalous read does. A cycle does if the operations show all of its edges, and if its shape
    is one that the level forbids. At the levels that have no anti-dependencies of their own, an
    rw edge stands for an axiom, which may have been applied to a session.
    """
    if level.verdict != "violated":
        return False
    if not isinstance(level.witness, Cycle):
        return True
    kinds = [edge.kind for edge in level.cycle]
    if level.witness.inferred or "so" in kinds:
        return False
    if not forbids(level.level, PREFIX):
        return "rw" not in kinds
    if level.level == PREFIX:
        return _breaks_prefix(kinds)
    return level.level != SNAPSHOT_ISOLATION or not consecutive(kinds)


MOST_PAIRS = 2_000_000
"""Open pairs of writers up to which the search is tried."""


def decide(graph: Constraints, deadline: float) -> Decision:
    """Whether some order of the versions makes a graph acyclic: guess, infer, search, solve.

    Raises ``OutOfTime`` where the time was over before the search began.
    """
    recorded = as_recorded(graph.seen)
    rank = [recorded[graph.transaction(node)] for node in range(graph.size)]
    order = topological_by(graph.after, rank)
    if len(order) == graph.size:
        guessed = Completion(graph, order).tested()
        if guessed is not None:
            return guessed
    inference = Inference(graph)
    order = inference.run(deadline)
    cycle: tuple[Dependency, ...] | None = cycle_of(graph, order)
    if cycle is not None:
        return Decision("violated", cycle=cycle)
    guess = GreedyRun(graph).run()
    if len(guess) == graph.size:
        guessed = Completion(graph, guess).tested()
        if guessed is not None:
            return guessed
    order = topological_by(graph.after, rank)
    near = _near_search(graph, inference)
    if near is not None:
        decision = _searched(near, (3 * time.monotonic() + deadline) / 4)
        if decision is not None:
            return decision
        order = near.order()
    pairs = list(islice(inference.open_pairs(), MOST_PAIRS + 1))
    if len(pairs) <= MOST_PAIRS:
        search = OrderSearch(graph, order, pairs)
        decision = _searched(search, (time.monotonic() + deadline) / 2)
        if decision is not None:
            return decision
        order = search.order()
    return Completion(graph, order).run(deadline)


def _near_search(graph: Constraints, inference: Inference) -> OrderSearch | None:
    """The search of the pairs that are close to each other in an estimate of the order."""
    estimate = estimated_order(graph, inference)
    if estimate is None or len(estimate) < graph.size:
        return None
    return OrderSearch(graph, estimate, near_pairs(graph, inference, estimate))


def _searched(search: OrderSearch, deadline: float) -> Decision | None:
    """The decision of a search; None if it has none, or if its order fails the test."""
    decision = search.run(deadline)
    if decision is not None and decision.verdict == "holds":
        # The witness is tested with every pair of writers, those of the inference as well.
        return Completion(search.graph, search.order()).tested()
    return decision


def _by_read(name: str, anomalous: Sequence[AnomalousRead]) -> Verdict:
    first = anomalous[0]
    more = f" (and {len(anomalous) - 1} more such reads)" if len(anomalous) > 1 else ""
    return Verdict(
        name,
        "violated",
        of_read(first, more),
        first.anomaly,
        first.anomaly.split()[0] if first.anomaly.startswith("G") else None,
    )
