"""Names for the exceptions with which a statement on Spark ends."""

from __future__ import annotations

import re
from typing import Any

from conformance.engine import Committed
from model.outcomes import CONFLICT_NAMES, FAILED

_WRAPPERS = {"TASK_WRITE_FAILED"}
"""Classes that only say where a failure happened; their cause says what failed."""

_CONFLICT_CLASSES = {f"{name}Exception": name for name in CONFLICT_NAMES}


def outcome_of(error: Exception) -> Committed:
    """The outcome behind an exception: a conflict's name, or ``failed`` with Spark's class.

    Raises the exception itself if it is neither (the JVM died, a bug of ours).
    """
    chain = causes(error)
    for cause in chain:
        conflict = _CONFLICT_CLASSES.get(cause.getClass().getSimpleName())
        if conflict:
            return Committed(
                conflict,
                conflict_with_version=winner_of(cause),
                error_class=condition(cause),
                message=str(cause.getMessage()),
            )
    for cause in chain:
        if (name := condition(cause)) is not None and name not in _WRAPPERS:
            return Committed(FAILED, error_class=name, message=str(cause.getMessage()))
    if (converted := _converted(error)) is not None:
        return converted
    raise error


def _converted(error: Exception) -> Committed | None:
    """The conflict in an exception of Delta's Python package; None for another exception.

    Once somebody has imported ``delta``, PySpark turns Delta's conflicts into these, which have
    lost the Java exception: only their text is left.
    """
    conflict = _CONFLICT_CLASSES.get(type(error).__name__)
    if conflict is None or not type(error).__module__.startswith("delta."):
        return None
    text = str(error).partition("\n\nJVM stacktrace:")[0]
    named = re.match(r"\[([\w.]+)\]", text)
    winner = re.search(r"committed at version (\d+)", text)
    return Committed(
        conflict,
        conflict_with_version=int(winner[1]) if winner else None,
        error_class=named[1] if named else None,
        message=text,
    )


def causes(error: Exception) -> list[Any]:
    """The chain of Java exceptions behind a Python one, outermost first."""
    java = getattr(error, "java_exception", None) or getattr(error, "_origin", None)
    chain: list[Any] = []
    while java is not None and len(chain) < 20:
        chain.append(java)
        java = java.getCause()
    return chain


def condition(java: Any) -> str | None:
    """The error class of a Java exception that carries one (SparkThrowable, DeltaThrowable)."""
    methods = {method.getName() for method in java.getClass().getMethods()}
    for getter in ("getCondition", "getErrorClass"):  # The latter up to Spark 3.5.
        if getter in methods:
            name = getattr(java, getter)()
            return str(name) if name is not None else None
    return None


def winner_of(java: Any) -> int | None:
    """The winner's version in a conflict exception, None if it names none."""
    from py4j.protocol import Py4JError

    try:
        version = java.getMessageParameters().get("version")
    except Py4JError:
        # Not every conflict has parameters: a changed protocol does not.
        return None
    return int(version) if version is not None else None
