"""Scenarios on a real engine: replayed, compared with the model, and turned into plain data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from checker.judging.verdict import Verdict, judge
from conformance.engine import Begun, Committed, Engine
from conformance.replay import campaign
from conformance.replay.comparison import Comparison, Difference
from conformance.replay.observation import Observation, outcome
from isodelta.files.profiles import chosen
from isodelta.files.scenarios import Loaded
from isodelta.options import ENGINES
from isodelta.runs.engines import start
from isodelta.runs.expectation import failures
from isodelta.runs.judging import Checked
from isodelta.runs.results import Compared, RunResult, TransactionResult, plain_rows
from model.profiles import Profile
from model.scenario import Scenario


@contextmanager
def started_engine(name: str = "delta-spark") -> Iterator[Engine]:
    """A real engine for the duration of a ``with`` block.

    Raises conformance.engine.EngineError if it cannot be started.
    """
    engine = start(name)
    try:
        yield engine
    finally:
        engine.close()


def replay(
    scenario: Scenario,
    engine: Engine,
    *,
    profile: Profile | str | None = None,
    level: str | None = None,
) -> Comparison:
    """Replays a scenario on an engine, and compares the observation with the model.

    The comparison's ``history`` is the observed one. ``profile`` is a profile or its name, that of
    the engine unless given; ``level`` overrides the level of the table.
    Raises InvalidScenario, and conformance.engine.EngineError.
    """
    rules = chosen(profile or ENGINES[engine.name])
    in_force = level or scenario.level or rules.default_level
    return campaign.replay(engine, campaign.Job(scenario, in_force), rules).comparison


def unmet(comparison: Comparison) -> tuple[str, ...]:
    """The author's expectations that the engine did not meet, one line each."""
    observation = comparison.observation
    return failures(
        observation.scenario,
        observation.outcomes,
        observation.rows,
        {level: verdict.verdict for level, verdict in comparison.verdicts.items()},
        observation.level,
    )


def replay_result(
    comparison: Comparison, profile: str, expectations_unmet: tuple[str, ...] = ()
) -> RunResult:
    """The observation, judged and compared with the prediction of ``profile``, as plain data."""
    result = observed_result(
        comparison.observation, profile, comparison.verdicts, comparison.differences
    )
    return replace(result, failures=expectations_unmet)


def observed_result(
    observation: Observation,
    profile: str,
    levels: Mapping[str, Verdict],
    differences: tuple[Difference, ...] = (),
) -> RunResult:
    """An observation as plain data; without ``differences`` where the model predicts nothing."""
    writers = {
        end.commit_version: name
        for name, end in observation.ended.items()
        if end.commit_version is not None
    }
    return RunResult(
        scenario=observation.scenario.name,
        profile=profile,
        engine=observation.engine,
        transactions={
            name: _transaction(observation.begun[name], end, writers)
            for name, end in observation.ended.items()
        },
        rows=plain_rows(observation.rows),
        levels=levels,
        compared=Compared(observation.level, differences),
    )


def compared_with(comparison: Comparison) -> RunResult:
    """The run in the model that a replay was compared with; it may follow several profiles."""
    scenario = comparison.observation.scenario
    run = comparison.predicted
    verdicts = judge(run.history, tuple(comparison.verdicts))
    loaded = Loaded(scenario, comparison.workload, "", 0)
    return Checked(loaded, run, verdicts, ()).result


def _transaction(begun: Begun, end: Committed, writers: Mapping[int, str]) -> TransactionResult:
    winner = end.conflict_with_version
    return TransactionResult(
        outcome=outcome(end),
        read_version=begun.read_version,
        commit_version=end.commit_version,
        conflicts_with=None if winner is None else writers.get(winner, f"version {winner}"),
        because=None if end.message is None else " ".join(end.message.split()),
        rows=None if end.rows is None else plain_rows(end.rows),
    )
