"""The verdict on a foreign history, level by level."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from types import MappingProxyType
from typing import Literal

from checker.recorded.anomalies import anomaly, because, consecutive, phenomenon, rotated
from checker.recorded.history import ForeignHistory, Key, Value
from checker.recorded.observations import Finding, Observations, observe
from checker.recorded.version_order.completion import Completion, Decision
from checker.recorded.version_order.constraints import Constraints, Edge
from checker.recorded.version_order.cycles import topological_by
from checker.recorded.version_order.greedy_run import Execution, as_recorded
from checker.recorded.version_order.inference import Inference
from checker.recorded.version_order.search import Search
from checker.recorded.weak_levels import cycle_of, decide_weak
from model.levels import (
    CAUSAL,
    RECORDED_LEVELS,
    REPEATABLE_READ,
    SERIALIZABLE,
    SNAPSHOT_ISOLATION,
    STRONG_SESSION,
    forbids,
)

TIME_LIMIT = 300.0
"""Seconds for one level before its verdict is ``unknown``."""


@dataclass(frozen=True, slots=True)
class LevelVerdict:
    """What became of one level. ``cycle`` begins and ends with the same transaction.

    ``session_order`` says whether the order within sessions was part of the level, and
    ``without_sessions`` the verdict of the same level without that order; ``inferred`` whether the
    cycle has edges that no operation shows. ``edges`` has (from, to, kind, words).
    ``serial_order`` is the witness of Serializable.
    """

    verdict: Literal["holds", "violated", "unknown"]
    session_order: bool
    anomaly: str | None = None
    phenomenon: str | None = None
    cycle: tuple[str, ...] = ()
    edges: tuple[tuple[str, str, str, str], ...] = ()
    because: str | None = None
    serial_order: tuple[str, ...] = ()
    inferred: bool = False
    without_sessions: Literal["holds", "violated", "unknown"] | None = None


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdicts on one history by level, and every anomaly that was met on the way.

    ``findings`` are the anomalies that are no cycles, ``cycles`` the others. The verdicts rest on
    ``taken_for_initial``: by key, a value that nobody wrote and that is taken for the initial one.
    """

    transactions: int
    levels: dict[str, LevelVerdict]
    findings: tuple[Finding, ...]
    cycles: tuple[LevelVerdict, ...]
    taken_for_initial: dict[Key, Value] = field(default_factory=dict)


MOST_TRANSACTIONS_TWICE = 20_000
"""Transactions up to which cycles are looked for where a read is an anomaly by itself."""


def judge(
    history: ForeignHistory, *, session_order: bool, time_limit: float = TIME_LIMIT
) -> Judgement:
    """Judges every level; ``AmbiguousHistory`` where reads do not name their writers.

    With ``session_order`` all levels respect the order of each session (Biswas and Enea,
    Cobra, PolySI). Without, the levels are Adya's, and the ones that respect it stand beside
    them with a name of their own.
    """
    seen = observe(history)
    judge_level = _Judge(seen, time_limit)
    levels = judge_level.all_levels(session_order)
    cycles = judge_level.cycles(levels, session_order)
    found = tuple(seen.findings)
    return Judgement(len(seen.transactions), levels, found, cycles, seen.taken_for_initial)


class _Judge:
    def __init__(self, seen: Observations, time_limit: float) -> None:
        self.seen = seen
        self.time_limit = time_limit

    def all_levels(self, sessions: bool) -> dict[str, LevelVerdict]:
        names = _names(sessions)
        if sessions:
            return self._without_sessions(self._ladder(names, True, self.seen.findings))
        found = self.seen.findings
        strong = self._ladder([SNAPSHOT_ISOLATION, SERIALIZABLE], True, found)
        if strong[SERIALIZABLE].verdict == "holds":
            levels = {name: self._held(strong[SERIALIZABLE], False) for name in names}
        else:
            held = strong[SNAPSHOT_ISOLATION].verdict == "holds"
            weaker = [n for n in names if forbids(SNAPSHOT_ISOLATION, n)] if held else []
            holding = dict.fromkeys(weaker, LevelVerdict("holds", False))
            levels = self._ladder(names, False, found, holding)
        return levels | {STRONG_SESSION + name: verdict for name, verdict in strong.items()}

    def _held(self, verdict: LevelVerdict, sessions: bool) -> LevelVerdict:
        return LevelVerdict("holds", sessions, serial_order=verdict.serial_order)

    def cycles(self, levels: dict[str, LevelVerdict], sessions: bool) -> tuple[LevelVerdict, ...]:
        """The cycles behind the verdicts, and those that anomalous reads hide."""
        every = list(levels.values())
        if self.seen.findings and len(self.seen.transactions) <= MOST_TRANSACTIONS_TWICE:
            every += self._ladder(_names(sessions), sessions, []).values()
        kinds = {(v.phenomenon, v.anomaly): v for v in reversed(every) if v.edges}
        return tuple(reversed(kinds.values()))

    def _without_sessions(self, levels: dict[str, LevelVerdict]) -> dict[str, LevelVerdict]:
        """Adds to each level what it says without the order of sessions.

        What holds with that order holds without. What is violated is decided again, unless its
        witness shows the violation without sessions too.
        """
        names = _names(False)
        plain: dict[str, LevelVerdict] = {}
        broken: LevelVerdict | None = None
        for name in names:
            if broken is None and _shown_without_sessions(name, levels[name]):
                broken = levels[name]
            if broken is not None:
                plain[name] = broken
            elif levels[name].verdict == "holds":
                plain[name] = levels[name]
        if len(plain) < len(names):
            plain = self._ladder(names, False, self.seen.findings, plain)
        return {
            name: replace(level, without_sessions=plain[name].verdict) if name in plain else level
            for name, level in levels.items()
        }

    def _ladder(
        self,
        names: list[str],
        sessions: bool,
        findings: list[Finding],
        decided: Mapping[str, LevelVerdict] = MappingProxyType({}),
    ) -> dict[str, LevelVerdict]:
        """Decides the levels: the strongest first, and when that fails the weakest upwards.

        The verdicts in ``decided`` are taken as they are.
        """
        levels = dict(decided)
        for name in names:
            found = [f for f in findings if forbids(name, f.forbidden_from)]
            if found:
                levels[name] = _by_finding(found, sessions)
        if SERIALIZABLE not in levels:
            strongest = self._strong(SERIALIZABLE, sessions)
            if strongest.verdict == "holds":
                return {name: self._held(strongest, sessions) for name in names}
            levels[SERIALIZABLE] = strongest
        if SNAPSHOT_ISOLATION not in levels:
            levels[SNAPSHOT_ISOLATION] = self._snapshot(levels[SERIALIZABLE], sessions)
            if levels[SNAPSHOT_ISOLATION].verdict == "holds":
                weaker = (n for n in names if not forbids(n, SNAPSHOT_ISOLATION))
                levels |= dict.fromkeys(weaker, levels[SNAPSHOT_ISOLATION])
        broken: LevelVerdict | None = None
        for name in names:
            if broken is not None:
                # The weaker level's witness says most, and is a witness here as well.
                levels[name] = broken
            elif name == REPEATABLE_READ:
                levels[name] = levels[SERIALIZABLE]
            elif name not in levels:
                levels[name] = self._weak(name, sessions)
            if levels[name].verdict == "violated":
                broken = broken or levels[name]
        return {name: levels[name] for name in names}

    def _snapshot(self, serializable: LevelVerdict, sessions: bool) -> LevelVerdict:
        kinds = [edge[2] for edge in serializable.edges]
        shown = serializable.verdict == "violated"
        # Inferred edges may follow from what only Serializable demands.
        if shown and not serializable.inferred and kinds and not consecutive(kinds):
            return serializable
        return self._strong(SNAPSHOT_ISOLATION, sessions)

    def _weak(self, name: str, sessions: bool) -> LevelVerdict:
        deadline = time.monotonic() + self.time_limit
        found = decide_weak(self.seen, name, sessions=sessions, deadline=deadline)
        if isinstance(found, str):
            return LevelVerdict("unknown", sessions, because=found)
        if found is None:
            return LevelVerdict("holds", sessions)
        verdict = self._by_cycle(Decision("violated", cycle=found), sessions)
        # What every weaker level allows, and causal does not, is one by definition.
        if name == CAUSAL or any(edge.inferred for edge in found):
            return replace(verdict, anomaly=RECORDED_LEVELS[name].breach)
        return verdict

    def _lost_update(self) -> Decision | None:
        """Two transactions that replaced the version both had read, whatever their order."""
        updated: dict[tuple[int, int], int] = {}
        for number, reads in enumerate(self.seen.reads):
            written = set(self.seen.writes[number])
            for version in reads:
                if version[0] in written:
                    other = updated.setdefault(version, number)
                    if other != number:
                        rw = Edge(other, number, "rw", version[0])
                        ww = Edge(number, other, "ww", version[0], inferred=True)
                        return Decision("violated", cycle=(rw, ww))
        return None

    def _strong(self, name: str, sessions: bool) -> LevelVerdict:
        lost = self._lost_update()
        if lost is not None:
            return self._by_cycle(lost, sessions)
        graph = Constraints(self.seen, split=name == SNAPSHOT_ISOLATION, sessions=sessions)
        decision = decide(graph, time.monotonic() + self.time_limit)
        if decision.verdict == "unknown":
            return LevelVerdict("unknown", sessions, because=decision.why)
        if decision.verdict == "violated":
            return self._by_cycle(decision, sessions)
        order: tuple[str, ...] = ()
        if name == SERIALIZABLE:
            order = tuple(self.seen.transactions[node].name for node in decision.order)
        return LevelVerdict("holds", sessions, serial_order=order)

    def _by_cycle(self, decision: Decision, sessions: bool) -> LevelVerdict:
        cycle = rotated(decision.cycle)
        names = [self.seen.name(edge.source) for edge in cycle]
        words = tuple(
            (self.seen.name(e.source), self.seen.name(e.target), e.kind, because(e, self.seen))
            for e in cycle
        )
        why = "; ".join(text for *_, text in words)
        if decision.choices:
            why = f"every order of the versions leads to a cycle, one of them: {why}"
        return LevelVerdict(
            "violated",
            sessions,
            anomaly(cycle, self.seen),
            phenomenon(cycle),
            (*names, names[0]),
            words,
            why,
            inferred=decision.choices or any(edge.inferred for edge in cycle),
        )


def _names(sessions: bool) -> list[str]:
    """The levels, weak to strong; without the order of sessions causal is no level."""
    return [name for name, level in RECORDED_LEVELS.items() if sessions or not level.sessions]


def _shown_without_sessions(name: str, level: LevelVerdict) -> bool:
    """Whether the witness of a level violates it without the order of sessions as well.

    An anomalous read does. A cycle does if the operations show all of its edges, and if its shape
    is one that the level forbids. At the levels that have no anti-dependencies of their own, an
    rw edge stands for an axiom, which may have been applied to a session.
    """
    if level.verdict != "violated":
        return False
    kinds = [kind for _, _, kind, _ in level.edges]
    if not kinds:
        return True
    if level.inferred or "so" in kinds:
        return False
    if not forbids(name, SNAPSHOT_ISOLATION):
        return "rw" not in kinds
    return name != SNAPSHOT_ISOLATION or not consecutive(kinds)


MOST_PAIRS = 2_000_000
"""Open pairs of writers up to which the search is tried."""


def decide(graph: Constraints, deadline: float) -> Decision:
    """Whether some order of the versions makes a graph acyclic: guess, infer, search, solve."""
    recorded = as_recorded(graph.seen)
    rank = [recorded[graph.transaction(node)] for node in range(graph.size)]
    order = topological_by(graph.after, rank)
    if len(order) == graph.size:
        guessed = Completion(graph, order).tested()
        if guessed is not None:
            return guessed
    inference = Inference(graph)
    order = inference.run(deadline)
    cycle: tuple[Edge, ...] | None = cycle_of(graph, order)
    if cycle is not None:
        return Decision("violated", cycle=cycle)
    guess = Execution(graph).run()
    if len(guess) == graph.size:
        guessed = Completion(graph, guess).tested()
        if guessed is not None:
            return guessed
    pairs = list(islice(inference.open_pairs(), MOST_PAIRS + 1))
    order = topological_by(graph.after, rank)
    if len(pairs) <= MOST_PAIRS:
        search = Search(graph, order, pairs)
        found = search.run((time.monotonic() + deadline) / 2)
        order = search.order()
        if found is not None and found.verdict == "holds":
            # The witness is tested with every pair of writers, those of the inference as well.
            found = Completion(graph, order).tested()
        if found is not None:
            return found
    return Completion(graph, order).run(deadline)


def _by_finding(found: list[Finding], sessions: bool) -> LevelVerdict:
    first = found[0]
    more = f" (and {len(found) - 1} more such reads)" if len(found) > 1 else ""
    return LevelVerdict(
        "violated",
        sessions,
        anomaly=first.anomaly,
        phenomenon=first.anomaly.split()[0] if first.anomaly.startswith("G") else None,
        cycle=first.transactions,
        because=first.because + more,
    )
