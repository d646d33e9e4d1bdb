"""One chosen history on an engine: replayed, compared, and made small if it differs, as plain data.

Histories of equal tables share a tree where the engine allows (``conformance.trees``), so a step
that two of them have in common is run once.
"""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from conformance.engine import BadStatement, Engine, EngineError
from conformance.minimising.causes import cause_of
from conformance.minimising.on_engine import minimise_on_engine
from conformance.minimising.symptoms import Differs, Symptom, symptoms
from conformance.replay.campaign import Job, Replayed, Unpredicted, replay
from conformance.replay.comparison import Comparison, compare
from conformance.replay.observation import outcome
from conformance.trees.forest import Forest
from model.errors import InvalidScenario, NotPredicted
from model.preparation import prepare
from model.profiles.base import Profile
from model.scenario import Scenario

LIMITED = 15.0
"""Seconds for making one difference small on the engine."""


@dataclass(frozen=True, slots=True)
class Order:
    """A history to replay, as its scenario on a table that declares its level.

    With ``minimise`` a difference is made small, unless its cause is among ``known`` ones.
    """

    scenario: Scenario
    profile: Profile
    minimise: bool = True
    known: frozenset[str] = frozenset()

    @property
    def level(self) -> str:
        """The level of the table."""
        return self.scenario.level or self.profile.default_level


@dataclass
class Outcome:
    """What a replay showed; ``error`` says why there is nothing, and the rest is empty then.

    ``transactions``, ``found`` and ``causes`` are rows of the tables of replays, differences and
    findings. ``scenarios`` has the smallest scenario of each cause, with whether it is minimal.
    """

    transactions: list[dict[str, object]] = field(default_factory=list)
    levels: dict[str, str] = field(default_factory=dict)
    rows: int | None = None
    differences: list[dict[str, str]] = field(default_factory=list)
    causes: list[SmallCause] = field(default_factory=list)
    error: str | None = None
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class SmallCause:
    """The cause of a difference, and the smallest scenario that the engine was seen to show it."""

    cause: str
    level: str
    anomaly: str | None
    cycle: tuple[str, ...]
    rule: str | None
    statements: tuple[str, ...]
    title: str
    minimal: bool
    scenario: Scenario


class Bench:
    """An engine, and what is kept between replays on it."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        # Of the engines only those with tables as files have trees.
        self._forest = Forest(engine) if hasattr(engine, "folder") else None  # type: ignore[arg-type]

    def run(self, order: Order) -> Outcome:
        """Replays one history. Raises EngineError if the engine is of no use any more."""
        started = time.monotonic()
        result = Outcome()
        try:
            comparison = self._compared(order)
        except (BadStatement, Unpredicted, NotPredicted, InvalidScenario) as error:
            result.error = f"not comparable: {' '.join(str(error).split())}"
        else:
            _note(result, comparison)
            if comparison.differences:
                self._explain(result, order, comparison)
        result.seconds = time.monotonic() - started
        return result

    def close(self) -> None:
        """Ends the engine."""
        if self._forest is not None:
            self._forest.close()
        self.engine.close()

    def _compared(self, order: Order) -> Comparison:
        job = Job(order.scenario, order.level)
        if self._forest is None:
            return replay(self.engine, job, order.profile).comparison
        workload = prepare(order.scenario, order.profile, order.level, opaque=True)
        seen = next(iter(self._forest.observe(order.scenario, order.level)))
        if seen.refused is not None:
            raise seen.refused
        assert seen.observation is not None
        comparison = compare(workload, order.profile, seen.observation)
        _ = comparison.differences
        return comparison

    def _explain(self, result: Outcome, order: Order, comparison: Comparison) -> None:
        """Gives the differences their causes, each made small if it is new."""
        for symptom in symptoms(comparison):
            if not isinstance(symptom, Differs):
                continue
            small, minimal = comparison, False
            plain = str(cause_of(comparison, symptom))
            if order.minimise and plain not in order.known:
                replayed = Replayed(Job(order.scenario, order.level), comparison, 0.0)
                # A symptom that does not come again alone, without the tree, stays as it is.
                with suppress(ValueError, EngineError):
                    made = minimise_on_engine(
                        self.engine, replayed, order.profile, symptom, seconds=LIMITED
                    )
                    small, minimal = made.comparison, made.finished
            result.causes.append(_cause(small, symptom, minimal))
            # All differences of one replay are listed under the first symptom, the outcome's.
            return


def _note(result: Outcome, comparison: Comparison) -> None:
    observation = comparison.observation
    kinds = {name: s.kind for name, s in comparison.workload.statements.items()}
    writers = {
        end.commit_version: name
        for name, end in observation.ended.items()
        if end.commit_version is not None
    }
    for name, end in observation.ended.items():
        winner = end.conflict_with_version
        result.transactions.append(
            {
                "name": name,
                "statement": kinds[name],
                "outcome": outcome(end),
                "read_version": observation.begun[name].read_version,
                "commit_version": end.commit_version,
                "rule": None,
                "winner": None if winner is None else writers.get(winner),
            }
        )
    result.levels = {level: verdict.verdict for level, verdict in comparison.verdicts.items()}
    result.rows = len(observation.rows)
    result.differences = [difference.to_json() for difference in comparison.differences]


def _cause(comparison: Comparison, symptom: Symptom, minimal: bool) -> SmallCause:
    cause = cause_of(comparison, symptom)
    level = comparison.observation.level
    verdict: Any = comparison.verdicts[level]
    rules = [
        ended.conflict.rule
        for ended in comparison.predicted.ended.values()
        if ended.conflict is not None
    ]
    return SmallCause(
        cause=str(cause),
        level=level,
        anomaly=verdict.anomaly,
        cycle=tuple(edge.kind for edge in verdict.cycle),
        rule=rules[0] if rules else None,
        statements=cause.statements,
        title=str(cause),
        minimal=minimal,
        scenario=comparison.observation.scenario.at_level(level),
    )
