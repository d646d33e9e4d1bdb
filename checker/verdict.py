"""The verdict on a history: the conflict reading and, beside it, the two weaker ones.

The conflict reading implies the view reading, and that the final-state reading. A history for
which the deciders say otherwise is never reported to hold; ``Verdict.contradiction`` says what
contradicts what, and is a bug to look for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from checker import definition, graph
from checker.definition import Reading
from checker.dependencies import Edge, dependencies
from checker.explanation import because
from checker.wellformed import contradictions
from model.history import History
from model.levels import DELTA_LEVELS, LEVELS


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is known of one history at one level.

    ``verdict`` is the conflict reading. ``why`` is set exactly where it is ``unknown``.
    ``cycle`` and ``anomaly`` are the witness of ``violated``, ``serial_order`` that of
    ``holds`` where the level promises one. ``view`` and ``final_state`` are None where the
    level promises no serial order.
    """

    level: str
    verdict: Literal["holds", "violated", "unknown"]
    why: str | None = None
    anomaly: str | None = None
    cycle: tuple[Edge, ...] = ()
    serial_order: tuple[str, ...] | None = None
    view: Reading | None = None
    final_state: Reading | None = None
    contradiction: str | None = None

    def to_json(self) -> dict[str, object]:
        """The verdict as ``check`` and ``replay`` print it.

        ``cycle`` names its first transaction again at its end. A reading that is not
        ``violated`` along with the verdict adds the order that shows it, one that is
        ``unknown`` its reason.
        """
        found: dict[str, object] = {"verdict": self.verdict}
        if self.why is not None:
            found["why"] = self.why
        if self.cycle:
            names = [edge.source.name for edge in self.cycle]
            found["cycle"] = [*names, names[0]]
            found["anomaly"] = self.anomaly
            found["edges"] = [
                {
                    "from": edge.source.name,
                    "to": edge.target.name,
                    "kind": edge.kind.short,
                    "because": because(edge),
                }
                for edge in self.cycle
            ]
        if self.serial_order is not None:
            found["serial_order"] = list(self.serial_order)
        for name, reading in (("view", self.view), ("final_state", self.final_state)):
            if reading is None:
                continue
            found[name] = reading.verdict
            if reading.verdict == "unknown":
                found[f"{name}_why"] = reading.why
            if reading.verdict == "holds" and self.verdict == "violated":
                found[f"{name}_order"] = list(reading.serial_order or ())
        return found


def judge(history: History, levels: Sequence[str] = DELTA_LEVELS) -> dict[str, Verdict]:
    """Judges a history at each level, in the order given.

    Raises ``KeyError`` for a level that is not in ``model.levels.LEVELS``.
    """
    conflicts = dependencies(history)
    against_itself = contradictions(history)
    return {
        level: _judge(history, graph.decide(conflicts, level), against_itself) for level in levels
    }


def _judge(history: History, found: graph.GraphVerdict, against_itself: tuple[str, ...]) -> Verdict:
    view, final_state = _readings(history, found.level)
    verdict, why = found.verdict, found.why
    contradiction = None
    if verdict == "holds" and against_itself:
        verdict, why = "unknown", "the history contradicts itself: " + "; ".join(against_itself)
    elif verdict == "holds":
        contradiction = _contradiction(view, final_state)
        if contradiction is not None:
            verdict, why = "unknown", contradiction
    return Verdict(
        level=found.level,
        verdict=verdict,
        why=why,
        anomaly=found.anomaly,
        cycle=found.cycle,
        serial_order=found.serial_order if verdict == "holds" else None,
        view=view,
        final_state=final_state,
        contradiction=contradiction,
    )


def _readings(history: History, level: str) -> tuple[Reading | None, Reading | None]:
    if LEVELS[level].serial_order is None:
        return None, None
    view = definition.judge_view(history, level)
    if view.verdict == "holds":
        # The order that gives the reads gives the final rows too: it is the same execution.
        return view, Reading("holds", serial_order=view.serial_order)
    return view, definition.judge_final_state(history, level)


def _contradiction(view: Reading | None, final_state: Reading | None) -> str | None:
    for name, reading in (("view", view), ("final-state", final_state)):
        if reading is not None and reading.verdict == "violated":
            return f"no edge of the graph objects, yet the {name} reading fails: {reading.why}"
    return None
