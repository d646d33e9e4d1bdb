"""The verdict on a history: the conflict reading and, beside it, the two weaker ones.

As long as every transaction did what its statement does, the conflict reading implies the view
reading, which implies the final-state reading. If an engine lost an effect or a row, the graph
may have no cycle although no serial execution of the statements explains the result; that is a
violation, and ``why`` says what was lost. In any other history, readings that contradict each
other are a bug in a decider: such a history is never reported to hold, and
``Verdict.contradiction`` names the contradiction.
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
from model.listing import cut, listed


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict on one history, of any history type, at one level.

    ``verdict`` is the conflict reading, and ``witness`` shows it: a cycle for ``violated``, or a
    reason if there is no cycle (an effect was lost, or a read is anomalous by itself); a serial
    order for ``holds`` if the level promises one; a reason for ``unknown``. ``anomaly`` is the
    name of the violation; ``phenomenon`` is Adya's name for its cycle if ``anomaly`` is another.
    ``view`` and ``final_state`` are the weaker readings. They are None if the level does not
    promise a serial order, and for histories whose transactions cannot be run again.
    """

    level: str
    verdict: VerdictName
    witness: Witness | None = None
    anomaly: str | None = None
    phenomenon: str | None = None
    view: Reading | None = None
    final_state: Reading | None = None
    contradiction: str | None = None

    def __repr__(self) -> str:
        text = f"<{self.level}: {self.verdict}"
        if self.anomaly is not None:
            text += f", {self.anomaly}"
        if self.cycle:
            text += f": {listed(f'{e.source} -> {e.target} ({e.kind})' for e in self.cycle)}"
        elif self.serial_order is not None:
            text += f" in the order {listed(self.serial_order)}"
        elif self.why is not None:
            text += f": {cut(self.why, 400)}"
        return f"{text}>"

    @property
    def why(self) -> str | None:
        """The reason, if the witness is neither a cycle nor a serial order."""
        return self.witness.because if isinstance(self.witness, Reason) else None

    @property
    def cycle(self) -> tuple[Edge, ...]:
        """The forbidden cycle in words; empty if the witness is not a cycle."""
        return self.witness.edges if isinstance(self.witness, Cycle) else ()

    @property
    def serial_order(self) -> Sequence[str] | None:
        """The names of the transactions in serial order; None if that is not the witness."""
        return self.witness.transactions if isinstance(self.witness, SerialOrder) else None

    def to_json(self, *, whole_order: bool = True) -> dict[str, Any]:
        """The verdict as ``check`` and ``replay`` print it.

        ``cycle`` names its first transaction again at its end. A reading that holds although the
        verdict is ``violated`` adds the order that shows it, an ``unknown`` reading its reason.
        Set ``whole_order`` to False if a serial order may be too long to be written out.
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
    verdicts = {
        level: _judge(history, graph.decide(conflicts, level), against_itself) for level in levels
    }
    lost = next((v for v in verdicts.values() if v.anomaly == LOST_EFFECT), None)
    return verdicts if lost is None else {k: _without_effect(v, lost) for k, v in verdicts.items()}


def _without_effect(verdict: Verdict, lost: Verdict) -> Verdict:
    """The verdict at a level without a serial order, after another level found a lost effect.

    A level without a serial order only orders effects, and takes for granted that the effects of
    the statements are there: an engine that lost one satisfies no level.
    """
    if verdict.verdict == "violated" or LEVELS[verdict.level].serial_order is not None:
        return verdict
    return replace(verdict, verdict="violated", witness=lost.witness, anomaly=LOST_EFFECT)


def _judge(
    history: History, decided: graph.GraphVerdict, against_itself: tuple[str, ...]
) -> Verdict:
    view, final_state = _readings(history, decided.level)
    verdict = Verdict(
        level=decided.level,
        verdict=decided.verdict,
        witness=_witness(decided),
        anomaly=decided.anomaly,
        view=view,
        final_state=final_state,
    )
    if decided.verdict != "holds":
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
    # If the history contradicts itself, its reads are in doubt, but its final rows are not.
    sure = final_state is not None and final_state.verdict == "violated"
    if against_itself and not sure:
        return replace(verdict, witness=lost)
    return replace(verdict, verdict="violated", witness=lost, anomaly=LOST_EFFECT)


def _witness(decided: graph.GraphVerdict) -> Witness | None:
    cycle = decided.cycle
    if cycle:
        return Cycle(tuple(map(in_words, cycle)))
    if decided.why is not None:
        return Reason(decided.why)
    order = decided.serial_order
    return None if order is None else SerialOrder(order)


LOST_EFFECT = "lost effect"
"""The anomaly of a history that no cycle explains: an engine lost what a statement did."""


def _readings(history: History, level: str) -> tuple[Reading | None, Reading | None]:
    if LEVELS[level].serial_order is None:
        return None, None
    view = definition.judge_view(history, level)
    if view.verdict == "holds":
        # The order that explains the reads explains the final rows too: it is one execution.
        return view, Reading("holds", serial_order=view.serial_order)
    return view, definition.judge_final_state(history, level)


def _failed(view: Reading | None, final_state: Reading | None) -> str | None:
    """The weakest of the two readings that is violated, in words."""
    for name, reading in (("final-state", final_state), ("view", view)):
        if reading is not None and reading.verdict == "violated":
            return f"the {name} reading fails: {reading.why}"
    return None
