"""The first stage: positions of the random stream as a DataFrame, dealt out to the executors."""

from __future__ import annotations

from typing import Any

PER_TASK = 8
"""Positions that a task takes: enough to pay for its start, few enough to spread and to repeat."""


def positions(session: Any, first: int, count: int) -> Any:
    """The positions ``first`` to ``first + count`` as a DataFrame of one column, ``position``."""
    tasks = max(1, -(-count // PER_TASK))
    return session.range(first, first + count, 1, tasks).withColumnRenamed("id", "position")
