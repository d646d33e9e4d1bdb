"""A cross-check of the deciders on one history: every disagreement is a bug."""

from __future__ import annotations

from collections.abc import Mapping

from checker.judging import solver
from checker.judging.verdict import LOST_EFFECT, Verdict
from model.history import History


def disagreements(history: History, verdicts: Mapping[str, Verdict]) -> tuple[str, ...]:
    """The contradictions between the deciders, one line each; each one is a bug in a decider.

    Graph and solver must agree on every verdict that rests on a cycle, and the readings must
    imply each other (``Verdict.contradiction``).
    """
    disagreeing = []
    for level, verdict in verdicts.items():
        if verdict.contradiction is not None:
            disagreeing.append(f"{level}: {verdict.contradiction}")
        if verdict.anomaly == LOST_EFFECT:
            # Only the definition detects an effect that was lost without a cycle.
            continue
        solved = solver.judge(history, level).verdict
        if solved != verdict.verdict:
            disagreeing.append(f"{level}: the graph says {verdict.verdict}, the solver {solved}")
    return tuple(disagreeing)
