"""The cause of a finding: findings with equal causes are one finding, found again."""

from __future__ import annotations

from dataclasses import dataclass

from conformance.minimising.symptoms import Breaks, Differs, Symptom
from conformance.replay.comparison import Comparison
from model.outcomes import CONFLICT_NAMES


@dataclass(frozen=True, slots=True)
class Cause:
    """What tells one finding from another.

    ``kind`` is ``difference`` or ``violation``, ``about`` the difference's class and what differs,
    or the level and the anomaly. ``table_level`` is the level of the table, ``rules`` the conflicts
    that model or engine reported, ``cycle`` the kinds of edges of the shortest forbidden cycle,
    turned so that equal cycles look alike, ``statements`` the kinds of the statements, sorted.
    """

    kind: str
    about: tuple[str, ...]
    table_level: str
    rules: tuple[str, ...]
    cycle: tuple[str, ...]
    statements: tuple[str, ...]

    def to_json(self) -> dict[str, object]:
        """The cause as plain data; equal causes give equal objects."""
        return {
            "kind": self.kind,
            "about": list(self.about),
            "table_level": self.table_level,
            "rules": list(self.rules),
            "cycle": list(self.cycle),
            "statements": list(self.statements),
        }

    def __str__(self) -> str:
        """One line, for a name or a heading."""
        return f"{' '.join(self.about)}: {', '.join(self.statements)} ({self.table_level})"


def cause_of(comparison: Comparison, symptom: Symptom) -> Cause:
    """The cause that a replay shows for one of its symptoms.

    Meant for scenarios that are minimal: transactions that do not matter are in it otherwise.
    """
    cycle: tuple[str, ...] = ()
    match symptom:
        case Differs(classified, what, predicted, observed):
            about = (classified, what, *(text for text in (predicted, observed) if text))
            kind = "difference"
        case Breaks(level, anomaly):
            about = (level, anomaly or "without a cycle")
            kind, cycle = "violation", _turned(comparison, level)
    return Cause(
        kind,
        about,
        comparison.observation.level,
        _rules(comparison),
        cycle,
        tuple(sorted(s.kind for s in comparison.workload.statements.values())),
    )


def _rules(comparison: Comparison) -> tuple[str, ...]:
    """The names of the conflicts that the model predicted or the engine reported."""
    predicted = {ended.outcome for ended in comparison.predicted.ended.values()}
    observed = set(comparison.observation.outcomes.values())
    return tuple(name for name in CONFLICT_NAMES if name in predicted | observed)


def _turned(comparison: Comparison, level: str) -> tuple[str, ...]:
    """The kinds of a cycle's edges; of all places to begin at, the first in alphabetical order."""
    kinds = tuple(edge.kind for edge in comparison.verdicts[level].cycle)
    turns = [kinds[place:] + kinds[:place] for place in range(len(kinds))]
    return min(turns, default=())
