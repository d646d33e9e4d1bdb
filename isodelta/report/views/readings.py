"""The three readings of a level that a result was judged at."""

from __future__ import annotations

from checker.search.finding import READINGS
from isodelta.runs.results import RunResult


def depth_of(result: RunResult | None, level: str) -> int:
    """The number of readings of a level that a result violates."""
    return list(readings_of(result, level).values()).count("violated")


def readings_of(result: RunResult | None, level: str) -> dict[str, str]:
    """The verdict of each reading that was decided, by the reading's name; strong first."""
    judged = None if result is None else result.levels.get(level)
    if judged is None:
        return {}
    decided = (
        judged.verdict,
        None if judged.view is None else judged.view.verdict,
        None if judged.final_state is None else judged.final_state.verdict,
    )
    return {
        name: verdict
        for name, verdict in zip(READINGS, decided, strict=True)
        if verdict is not None
    }
