"""The symptom of a finding: the one thing that a smaller scenario still has to show.

It says little on purpose. A scenario may lose transactions and rows on the way, and versions are
then counted anew, so a symptom names none of them; :mod:`conformance.minimising.causes` says the
rest once the scenario is small.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from checker.judging.verdict import Verdict, judge
from checker.search.finding import depth, kind_of, weakest
from conformance.replay.comparison import Comparison, Difference
from model.history import History
from model.levels import DELTA_LEVELS

PARTS_OF_A_TABLE = re.compile(r" of version \d+$")


@dataclass(frozen=True, slots=True)
class Differs:
    """Model and engine differ: ``what`` does, in a difference of this class.

    ``predicted`` and ``observed`` are set for outcomes, where the pair is the finding: None
    elsewhere, since rows and counts change as the scenario shrinks.
    """

    classified: str
    what: str
    predicted: str | None = None
    observed: str | None = None

    def shown_by(self, comparison: Comparison) -> bool:
        """True if a replay shows the same symptom."""
        return any(differs(difference) == self for difference in comparison.differences)


@dataclass(frozen=True, slots=True)
class Breaks:
    """The engine's history violates a level, by an anomaly and in so many readings.

    ``readings`` counts the violated ones of ``checker.search.finding.READINGS``; a smaller
    scenario violates as many or more.
    """

    level: str
    anomaly: str | None
    readings: int

    def shown_by(self, comparison: Comparison) -> bool:
        """True if a replay shows the same symptom."""
        verdict = comparison.verdicts.get(self.level)
        return verdict is not None and self._shown_in(verdict)

    def violated_in(self, history: History) -> bool:
        """True if a history shows the same symptom."""
        return self._shown_in(judge(history, (self.level,))[self.level])

    def _shown_in(self, verdict: Verdict) -> bool:
        return verdict.anomaly == self.anomaly and depth(verdict) >= self.readings


Symptom = Differs | Breaks


def symptoms(
    comparison: Comparison, levels: Sequence[str] = DELTA_LEVELS, *, promised: bool = False
) -> tuple[Symptom, ...]:
    """The symptoms of a replay, each once: its differences, then the levels that it violates.

    Of the violated ``levels`` those that imply another one are left out. With ``promised`` only
    violations of levels that the table promises count.
    """
    found: list[Symptom] = [differs(difference) for difference in comparison.differences]
    table = comparison.observation.level
    judged = comparison.verdicts
    violated = [v for v in levels if v in judged and judged[v].verdict == "violated"]
    for level in weakest(violated):
        if not promised or kind_of(table, level) == "level-violation":
            found.append(_breaks(judged[level]))
    return tuple(dict.fromkeys(found))


def differs(difference: Difference) -> Differs:
    """A difference without what changes as a scenario shrinks."""
    what = PARTS_OF_A_TABLE.sub("", difference.what)
    if what == "outcome":
        return Differs(difference.classified.value, what, difference.predicted, difference.observed)
    return Differs(difference.classified.value, what)


def _breaks(verdict: Verdict) -> Breaks:
    return Breaks(verdict.level, verdict.anomaly, depth(verdict))
