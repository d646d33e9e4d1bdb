"""The facts that a recorded history shows: which reads saw which writes, and contradictions.

The reads of a history name the writes that they saw. Anomalies that need no cycle (aborted,
intermediate and unwritten reads, reads that contradict their own transaction, lists that
contradict each other) are found here; everything else is left to the order of the versions.
"""

from __future__ import annotations

from checker.recorded.history import RecordedHistory
from checker.recorded.observations import Observations
from checker.recorded.observing.lists import Lists
from checker.recorded.observing.registers import Registers


def observe(history: RecordedHistory) -> Observations:
    """Reads a history; raises ``AmbiguousHistory`` if its reads do not name their writers."""
    return (Lists(history) if history.kind == "list" else Registers(history)).observe()
