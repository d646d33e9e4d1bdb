"""The JSON object of one replay: what was observed, judged, and compared with the model."""

from __future__ import annotations

from typing import Any

from conformance.engine import Begun, Committed
from conformance.replay.comparison import Comparison
from conformance.replay.observation import outcome
from isodelta.runs.results import plain_rows


def replay_result(comparison: Comparison, profile: str) -> dict[str, Any]:
    """The object that ``replay --json`` prints for one scenario.

    Transactions, rows and levels are the observed ones; ``differences`` has what the model
    predicted otherwise, each with its class.
    """
    observation = comparison.observation
    writers = {
        end.commit_version: name
        for name, end in observation.ended.items()
        if end.commit_version is not None
    }
    return {
        "scenario": observation.scenario.name,
        "profile": profile,
        "engine": observation.engine,
        "level": observation.level,
        "transactions": {
            name: _transaction(observation.begun[name], end, writers)
            for name, end in observation.ended.items()
        },
        "rows": plain_rows(observation.rows),
        "levels": {level: v.to_json() for level, v in comparison.verdicts.items()},
        "agrees": comparison.agrees,
        "differences": [difference.to_json() for difference in comparison.differences],
    }


def _transaction(begun: Begun, end: Committed, writers: dict[int, str]) -> dict[str, Any]:
    shown: dict[str, Any] = {"outcome": outcome(end), "read_version": begun.read_version}
    if end.commit_version is not None:
        shown["commit_version"] = end.commit_version
    if end.rows is not None:
        shown["rows"] = plain_rows(end.rows)
    if end.conflict_with_version is not None:
        winner = end.conflict_with_version
        shown["conflicts_with"] = writers.get(winner, f"version {winner}")
    if end.message is not None:
        shown["because"] = " ".join(end.message.split())
    return shown
