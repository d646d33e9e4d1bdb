"""The deciders against each other on one history: what must never differ."""

from __future__ import annotations

from collections.abc import Mapping

from checker.judging import solver
from checker.judging.verdict import LOST_EFFECT, Verdict
from model.history import History


def disagreements(history: History, verdicts: Mapping[str, Verdict]) -> tuple[str, ...]:
    """Where the deciders contradict each other, one line each; any is a bug of theirs.

    Graph and solver must agree on every verdict that rests on a cycle, and the readings must
    imply each other (``Verdict.contradiction``).
    """
    found = []
    for level, verdict in verdicts.items():
        if verdict.contradiction is not None:
            found.append(f"{level}: {verdict.contradiction}")
        if verdict.anomaly == LOST_EFFECT:
            # Only the definition sees an effect that was lost without a cycle.
            continue
        solved = solver.judge(history, level).verdict
        if solved != verdict.verdict:
            found.append(f"{level}: the graph says {verdict.verdict}, the solver {solved}")
    return tuple(found)
