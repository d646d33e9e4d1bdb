"""``explore --separate --levels key-value``: the levels of key-value histories, told apart."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from checker.proofs.theorems.key_value_levels import implies
from checker.separation.key_value.history import KeyValueHistory
from checker.separation.key_value.pairs import (
    KeyValueResult,
    KeyValueSeparation,
    anomaly,
    verdicts,
)
from checker.separation.lattice import Lattice, lattice
from model.levels import KEY_VALUE_LEVELS


@dataclass(frozen=True)
class KeyValueSeparating:
    """Every pair of levels, with short names for the histories that tell them apart."""

    result: KeyValueResult

    @cached_property
    def lattice(self) -> Lattice:
        """The order of the levels."""
        return lattice(self.result.separations, tuple(KEY_VALUE_LEVELS))

    @cached_property
    def labels(self) -> dict[KeyValueHistory, str]:
        """The short name of every history, in the order in which the table meets them."""
        found = dict.fromkeys(each.history for each in self.result.separations if each.history)
        return {history: f"H{number}" for number, history in enumerate(found, 1)}

    @cached_property
    def anomalies(self) -> dict[KeyValueHistory, str]:
        """What each history shows."""
        return {history: anomaly(history) for history in self.labels}

    @cached_property
    def verdicts(self) -> dict[KeyValueHistory, dict[str, bool]]:
        """Whether each history satisfies each level."""
        return {history: verdicts(history) for history in self.labels}

    def holds(self, history: KeyValueHistory) -> tuple[str, ...]:
        """The strongest of the levels that a history satisfies."""
        held = [level for level, fits in self.verdicts[history].items() if fits]
        return tuple(v for v in held if not any(o != v and self.above(o, v) for o in held))

    def violates(self, history: KeyValueHistory) -> tuple[str, ...]:
        """The weakest of the levels that a history violates."""
        broken = [level for level, fits in self.verdicts[history].items() if not fits]
        weakest = [v for v in broken if not any(o != v and self.above(v, o) for o in broken)]
        # Of levels that imply each other, the first stands for all.
        return tuple(weakest or broken[:1])

    def above(self, held: str, violated: str) -> bool:
        """Whether a level implies another one, and not the other way round."""
        return (
            self.result.between(held, violated).verdict != "separated"
            and self.result.between(violated, held).verdict == "separated"
        )

    def needs_a_predicate(self, separation: KeyValueSeparation) -> bool:
        """Whether no history without predicate reads separates two levels, which is proved."""
        history = separation.history
        if history is None or not history.has_predicates:
            return False
        return implies(separation.held, separation.violated, predicates=False)

    def pair_result(self, separation: KeyValueSeparation) -> dict[str, Any]:
        """The JSON object of one ordered pair."""
        found: dict[str, Any] = {
            "holds": separation.held,
            "violates": separation.violated,
            "verdict": verdict_words(separation),
            "seconds": round(separation.seconds, 4),
        }
        history = separation.history
        if history is None:
            return found
        return found | {
            "transactions": len(history.transactions),
            "operations": history.operations,
            "candidates": separation.candidates,
            "anomaly": self.anomalies[history],
            "needs_a_predicate": self.needs_a_predicate(separation),
            "label": self.labels[history],
            "confirmed": list(separation.confirmed),
            "history": list(history.lines()),
        }

    def summary(self) -> dict[str, Any]:
        """The counts, as the last line of the JSON output."""
        found = [each.verdict for each in self.result.separations]
        return {
            "pairs": len(found),
            "separated": found.count("separated"),
            "implied": found.count("implied"),
            "equal": found.count("equal"),
            "need_a_predicate": sum(map(self.needs_a_predicate, self.result.separations)),
            "histories": len(self.labels),
            "predicates": self.result.predicates,
            "transactions": self.result.transactions,
            "keys": self.result.keys,
            "processor_seconds": round(self.result.seconds, 2),
        }


def verdict_words(separation: KeyValueSeparation) -> str:
    """The verdict, with the bound where it is one."""
    if separation.verdict == "equal":
        return f"equal up to {separation.up_to}"
    return separation.verdict
