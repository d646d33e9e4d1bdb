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
from typing import Any

from checker.judging import definition, graph
from checker.judging.definition import Reading
from checker.judging.dependencies import dependencies
from checker.judging.explanation import in_words
from checker.judging.graph import VerdictName
from checker.judging.wellformed import contradictions, infidelities
from checker.judging.witness import Cycle, Edge, Reason, SerialOrder, Witness
from model.history import History
from model.levels import DELTA_LEVELS, LEVELS


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is known of one history at one level, whatever the type of the history.

    ``verdict`` is the conflict reading, and ``witness`` shows it: a cycle for ``violated``, or a
    reason where there is no cycle (an effect was lost, or a read is anomalous by itself); a serial
    order for ``holds`` where the level promises one; a reason for ``unknown``. ``anomaly`` is what
    the violation is called; ``phenomenon`` is Adya's name of its cycle where ``anomaly`` is not.
    ``view`` and ``final_state`` are the weaker readings. They are None where the level promises no
    serial order, and for histories whose transactions cannot be run again.
    """

    level: str
    verdict: VerdictName
    witness: Witness | None = None
    anomaly: str | None = None
    phenomenon: str | None = None
    view: Reading | None = None
    final_state: Reading | None = None
    contradiction: str | None = None

    @property
    def why(self) -> str | None:
        """The reason where there is no cycle and no order to show."""
        return self.witness.because if isinstance(self.witness, Reason) else None

    @property
    def cycle(self) -> tuple[Edge, ...]:
        """The forbidden cycle in words; empty where no cycle is the witness."""
        return self.witness.edges if isinstance(self.witness, Cycle) else ()

    @property
    def serial_order(self) -> Sequence[str] | None:
        """The serial order that is the witness, by name."""
        return self.witness.transactions if isinstance(self.witness, SerialOrder) else None

    def to_json(self, *, whole_order: bool = True) -> dict[str, Any]:
        """The verdict as ``check`` and ``replay`` print it.

        ``cycle`` names its first transaction again at its end. A reading that is not
        ``violated`` along with the verdict adds the order that shows it, one that is
        ``unknown`` its reason. ``whole_order`` is False where a serial order may be too long to be
        written out.
        """
        result: dict[str, Any] = {"verdict": self.verdict}
        if self.why is not None:
            result["why"] = self.why
        if self.anomaly is not None:
            result["anomaly"] = self.anomaly
        if self.phenomenon is not None:
            result["phenomenon"] = self.phenomenon
        match self.witness:
            case Cycle() as cycle:
                result["cycle"] = list(cycle.transactions)
                result["edges"] = [edge.to_json() for edge in cycle.edges]
            case SerialOrder(transactions) if whole_order:
                result["serial_order"] = list(transactions)
        for name, reading in (("view", self.view), ("final_state", self.final_state)):
            if reading is None:
                continue
            result[name] = reading.verdict
            if reading.verdict == "unknown":
                result[f"{name}_why"] = reading.why
            if reading.verdict == "holds" and self.verdict == "violated":
                result[f"{name}_order"] = list(reading.serial_order or ())
        return result


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
    return replace(verdict, verdict="violated", witness=lost.witness, anomaly=LOST_EFFECT)


def _judge(history: History, found: graph.GraphVerdict, against_itself: tuple[str, ...]) -> Verdict:
    view, final_state = _readings(history, found.level)
    verdict = Verdict(
        level=found.level,
        verdict=found.verdict,
        witness=_witness(found),
        anomaly=found.anomaly,
        view=view,
        final_state=final_state,
    )
    if found.verdict != "holds":
        return verdict
    failed = _failed(view, final_state)
    if failed is None and not against_itself:
        return verdict
    verdict = replace(verdict, verdict="unknown")
    unlike = infidelities(history) if failed is not None else ()
    if failed is None or not (against_itself or unlike):
        if against_itself:
            why = "the history contradicts itself: " + "; ".join(against_itself)
            return replace(verdict, witness=Reason(why))
        contradiction = f"no edge of the graph objects, yet {failed}"
        return replace(verdict, witness=Reason(contradiction), contradiction=contradiction)
    lost = Reason("; ".join((*against_itself, *unlike, failed)))
    # Where the history contradicts itself, what was read is in doubt, and what came out is not.
    sure = final_state is not None and final_state.verdict == "violated"
    if against_itself and not sure:
        return replace(verdict, witness=lost)
    return replace(verdict, verdict="violated", witness=lost, anomaly=LOST_EFFECT)


def _witness(found: graph.GraphVerdict) -> Witness | None:
    cycle = found.cycle
    if cycle:
        return Cycle(tuple(map(in_words, cycle)))
    if found.why is not None:
        return Reason(found.why)
    order = found.serial_order
    return None if order is None else SerialOrder(order)


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
