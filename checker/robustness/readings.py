"""The three readings of "has a serial order", and the search for a history that breaks most.

The conflict reading asks that the dependencies have no cycle, the view reading for a serial order
with the same reads and rows, the final-state reading for a serial order of the writers with the
same rows (``checker.judging.definition``). Each implies the next, so a history that breaks the
last breaks them all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from checker.judging import definition
from model.history import History

Word = Literal["holds", "violated", "unknown"]


@dataclass(frozen=True, slots=True)
class Readings:
    """The verdict of each reading."""

    conflict: Word
    view: Word
    final_state: Word

    @property
    def broken(self) -> int:
        """The number of readings that are violated: the strength of a witness."""
        return (self.conflict, self.view, self.final_state).count("violated")

    def to_json(self) -> dict[str, str]:
        """The readings by the names that ``check`` gives them."""
        return {
            "conflict": self.conflict,
            "view": self.view,
            "final_state": self.final_state,
        }


ALL_HOLD = Readings("holds", "holds", "holds")
"""The readings after a proof of the conflict reading, since the other two follow from it."""

ALL_OPEN = Readings("unknown", "unknown", "unknown")
"""The readings if there is neither a proof nor a history."""


def of_cycle(history: History, level: str) -> Readings:
    """The readings of a history that has a cycle at ``level``."""
    view = definition.judge_view(history, level).verdict
    if view == "holds":
        return Readings("violated", "holds", "holds")
    return Readings("violated", view, definition.judge_final_state(history, level).verdict)


HISTORIES_FOR_MORE = 3_000
"""The number of further histories that a search tries for a stronger witness once it has one.

A number rather than a time, so that the answer does not depend on the machine.
"""


class Patience:
    """The end of a search: when a witness breaks ``enough`` readings, or after ``most`` more tries.

    ``weak`` are the groups of three seen so far that break some reading, the shortest first.
    """

    def __init__(self, enough: int = 3, most: int | None = None) -> None:
        self.enough = enough
        self.strength = 0
        self.weak: list[tuple[Any, ...]] = []
        self._left = HISTORIES_FOR_MORE if most is None else most

    def better(self, readings: Readings) -> bool:
        """Records a witness; returns whether it is stronger than all before."""
        if readings.broken <= self.strength:
            return False
        self.strength = readings.broken
        return True

    def tried(self) -> None:
        """Counts a history, if there has been a witness before."""
        if self.strength:
            self._left -= 1

    @property
    def over(self) -> bool:
        """Whether the search may end: with a witness that is strong enough, or cut short."""
        return self.strength >= self.enough or self.cut_short

    @property
    def cut_short(self) -> bool:
        """Whether the search for a stronger witness ended before it had tried all histories."""
        return self.strength < self.enough and self._left <= 0
