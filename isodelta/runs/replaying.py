"""Scenarios on a real engine, for use from Python."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from conformance.engine import Engine
from conformance.replay import campaign
from conformance.replay.comparison import Comparison
from isodelta.runs.engines import start
from model.profiles import DEFAULT, Profile
from model.scenario import Scenario


@contextmanager
def started_engine(name: str = "delta-spark") -> Iterator[Engine]:
    """A real engine for the time of a ``with`` block.

    Raises conformance.engine.EngineError where it cannot be started.
    """
    engine = start(name)
    try:
        yield engine
    finally:
        engine.close()


def replay(
    scenario: Scenario, engine: Engine, *, rules: Profile = DEFAULT, level: str | None = None
) -> Comparison:
    """Replays a scenario on an engine, and compares what was observed with the model.

    The comparison's ``history`` is the observed one. ``level`` overrides the level of the table.
    Raises InvalidScenario, and conformance.engine.EngineError.
    """
    in_force = level or scenario.level or rules.default_level
    return campaign.replay(engine, campaign.Job(scenario, in_force), rules).comparison
