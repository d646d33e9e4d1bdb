"""Starting a real engine by its name, with errors that a command line can show."""

from __future__ import annotations

from conformance.engine import Engine, EngineError


def start(name: str) -> Engine:
    """Starts an engine. Raises EngineError where it, or its set-up, does not work."""
    if name == "delta-rs":
        from conformance.delta_rs.engine import DeltaRsEngine

        return DeltaRsEngine()
    from conformance.spark.engine import SparkEngine
    from conformance.spark.jars import SetupError

    if name != SparkEngine.name:
        raise EngineError(f"there is no engine {name!r}")
    try:
        return SparkEngine()
    except SetupError as error:
        raise EngineError(str(error)) from error
