"""The start of a real engine by its name, with errors that a command line can show."""

from __future__ import annotations

from collections.abc import Mapping

from conformance.engine import Engine, EngineError
from model.profiles import Profile


def start(name: str) -> Engine:
    """Starts an engine, or a release of one (``delta-rs@1.0.2``).

    Raises EngineError if it, or its set-up, does not work.
    """
    if "@" in name:
        from conformance.releases.catalogue import release
        from conformance.releases.client import ReleasedEngine

        return ReleasedEngine(release(name))
    if name == "delta-rs":
        from conformance.delta_rs.engine import DeltaRsEngine

        return DeltaRsEngine()
    from conformance.spark.engine import SparkEngine
    from conformance.spark.startup.jars import SetupError

    if name != SparkEngine.name:
        raise EngineError(f"there is no engine {name!r}")
    try:
        return SparkEngine()
    except SetupError as error:
        raise EngineError(str(error)) from error


def start_cross(name: str, on_delta_rs: frozenset[str]) -> tuple[Engine, Mapping[str, Profile]]:
    """Starts an engine that runs the named transactions on delta-rs, and returns their rules.

    Raises EngineError.
    """
    engine = start(name)
    if not on_delta_rs:
        return engine, {}
    from conformance.cross_engine import CrossEngine
    from conformance.spark.engine import SparkEngine

    assert isinstance(engine, SparkEngine)
    cross = CrossEngine(engine, on_delta_rs)
    return cross, cross.profiles
