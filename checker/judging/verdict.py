"""The verdict on a history: the conflict reading and, beside it, the two weaker ones.

The conflict reading implies the view reading, and that the final-state reading, as long as
every transaction did what its statement does. Where an engine lost an effect or a row, the graph
may have no cycle while no serial execution of the statements explains what came out; that is a
violation, and ``why`` says what was lost. Any other history for which the readings contradict
each other is a bug of a decider: it is never reported to hold, and ``Verdict.contradiction``
says what contradicts what.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from checker.judging import definition, graph
from checker.judging.definition import Reading
from checker.judging.dependencies import Edge, dependencies
from checker.judging.explanation import because
from checker.judging.wellformed import contradictions, infidelities
from model.history import History
from model.levels import DELTA_LEVELS, LEVELS


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is known of one history at one level.

    ``verdict`` is the conflict reading. ``why`` is set where it is ``unknown``, and where it is
    ``violated`` without a cycle: then ``anomaly`` is ``lost effect``. Otherwise ``cycle`` and
    ``anomaly`` are the witness of ``violated``, and ``serial_order`` that of ``holds`` where the
    level promises one. ``view`` and ``final_state`` are None where the
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
        if self.anomaly is not None:
            found["anomaly"] = self.anomaly
        if self.cycle:
            names = [edge.source.name for edge in self.cycle]
            found["cycle"] = [*names, names[0]]
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
    found = {
        level: _judge(history, graph.decide(conflicts, level), against_itself) for level in levels
    }
    lost = next((v for v in found.values() if v.anomaly == LOST_EFFECT), None)
    return found if lost is None else {k: _without_effect(v, lost) for k, v in found.items()}


def _without_effect(verdict: Verdict, lost: Verdict) -> Verdict:
    """The verdict at a level without serial order, once a level with one found an effect lost.

    Such a level is about the order of effects alone, and takes for granted that there is what
    the statements did: an engine that lost it keeps none.
    """
    if verdict.verdict == "violated" or LEVELS[verdict.level].serial_order is not None:
        return verdict
    return replace(verdict, verdict="violated", why=lost.why, anomaly=LOST_EFFECT)


def _judge(history: History, found: graph.GraphVerdict, against_itself: tuple[str, ...]) -> Verdict:
    view, final_state = _readings(history, found.level)
    verdict = Verdict(
        level=found.level,
        verdict=found.verdict,
        why=found.why,
        anomaly=found.anomaly,
        cycle=found.cycle,
        serial_order=found.serial_order,
        view=view,
        final_state=final_state,
    )
    if found.verdict != "holds":
        return verdict
    failed = _failed(view, final_state)
    if failed is None and not against_itself:
        return verdict
    verdict = replace(verdict, verdict="unknown", serial_order=None)
    unlike = infidelities(history) if failed is not None else ()
    if failed is None or not (against_itself or unlike):
        if against_itself:
            why = "the history contradicts itself: " + "; ".join(against_itself)
            return replace(verdict, why=why)
        contradiction = f"no edge of the graph objects, yet {failed}"
        return replace(verdict, why=contradiction, contradiction=contradiction)
    why = "; ".join((*against_itself, *unlike, failed))
    # Where the history contradicts itself, what was read is in doubt, and what came out is not.
    sure = final_state is not None and final_state.verdict == "violated"
    if against_itself and not sure:
        return replace(verdict, why=why)
    return replace(verdict, verdict="violated", why=why, anomaly=LOST_EFFECT)


LOST_EFFECT = "lost effect"
"""The anomaly of a history that no cycle explains: an engine lost what a statement did."""


def _readings(history: History, level: str) -> tuple[Reading | None, Reading | None]:
    if LEVELS[level].serial_order is None:
        return None, None
    view = definition.judge_view(history, level)
    if view.verdict == "holds":
        # The order that gives the reads gives the final rows too: it is the same execution.
        return view, Reading("holds", serial_order=view.serial_order)
    return view, definition.judge_final_state(history, level)


def _failed(view: Reading | None, final_state: Reading | None) -> str | None:
    """The weakest of the two readings that is violated, in words."""
    for name, reading in (("final-state", final_state), ("view", view)):
        if reading is not None and reading.verdict == "violated":
            return f"the {name} reading fails: {reading.why}"
    return None
