"""The result of a search: a separating history for each ordered pair of levels, or a reason.

It serves every kind of history: transactions on snapshots of a Delta table (``snapshots``) and
key-value transactions in sessions (``key_value``).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, Literal, TypeVar

from checker.separation.lattice import Lattice, lattice

Reason = Literal["implied", "proved for snapshots", "equal"]
"""Why no history separates two levels.

``implied``: the first implies the second, in any history of the family. ``proved for snapshots``:
it does so if every transaction reads a snapshot. ``equal`` is not a proof: the search came across
no separating history.
"""


class SeparatingHistory(ABC):
    """A history that holds some levels and violates others."""

    @property
    @abstractmethod
    def size(self) -> int:
        """The number of transactions."""

    @property
    @abstractmethod
    def verdicts(self) -> Mapping[str, bool]:
        """Whether it holds each level of its family."""

    @abstractmethod
    def confirmed_by(self, expected: Mapping[str, bool]) -> tuple[str, ...]:
        """The deciders that agree with the expected verdicts, at the levels that they decide."""


H_co = TypeVar("H_co", bound=SeparatingHistory, covariant=True)


@dataclass(frozen=True)
class Separation(Generic[H_co]):
    """The answer for two levels: a history that holds ``held`` and violates ``violated``.

    ``history`` is None if there is none, and ``reason`` then says why. ``up_to`` is the number of
    transactions up to which every history was examined or ruled out. ``anomaly`` names the anomaly
    of the history. ``candidates`` and ``seconds`` (processor time) are the cost of the search if
    each pair has a search of its own.
    """

    held: str
    violated: str
    up_to: int
    history: H_co | None = None
    anomaly: str = ""
    reason: Reason = "equal"
    candidates: int = 0
    seconds: float = 0.0

    @property
    def verdict(self) -> Literal["separated"] | Reason:
        """``separated``, or the reason why no history separates the levels."""
        return self.reason if self.history is None else "separated"

    @property
    def transactions(self) -> int | None:
        """The number of transactions of the history."""
        return None if self.history is None else self.history.size

    @cached_property
    def confirmed(self) -> tuple[str, ...]:
        """The deciders that agree at both levels; empty if there is no history."""
        if self.history is None:
            return ()
        return self.history.confirmed_by({self.held: True, self.violated: False})


@dataclass(frozen=True)
class SeparationResult(Generic[H_co]):
    """Every ordered pair of different levels.

    ``levels`` are in the order of their table, weak levels first; ``transactions`` is the number
    asked for. ``seconds`` is the duration of the search.
    """

    levels: tuple[str, ...]
    separations: tuple[Separation[H_co], ...]
    transactions: int
    seconds: float

    def __repr__(self) -> str:
        return (
            f"<SeparationResult: {len(self.separations)} pairs of {len(self.levels)} levels, "
            f"histories of up to {self.transactions} transactions>"
        )

    @cached_property
    def _by_levels(self) -> Mapping[tuple[str, str], Separation[H_co]]:
        return {(pair.held, pair.violated): pair for pair in self.separations}

    def between(self, held: str, violated: str) -> Separation[H_co]:
        """The answer for one ordered pair. Raises ``KeyError``."""
        return self._by_levels[held, violated]

    def inside(self, group: tuple[str, ...]) -> tuple[Separation[H_co], ...]:
        """The answers for the ordered pairs within a group of levels."""
        return tuple(p for p in self.separations if p.held in group and p.violated in group)

    @cached_property
    def lattice(self) -> Lattice:
        """The order of the levels."""
        return lattice(self.separations, self.levels)

    @cached_property
    def labels(self) -> Mapping[H_co, str]:
        """A short name for every separating history, numbered in the order of the pairs."""
        histories = (pair.history for pair in self.separations if pair.history is not None)
        return {history: f"H{n}" for n, history in enumerate(dict.fromkeys(histories), 1)}

    def pairs_of(self, history: SeparatingHistory) -> tuple[Separation[H_co], ...]:
        """The pairs that a history separates."""
        return tuple(pair for pair in self.separations if pair.history == history)

    def confirmed(self, history: SeparatingHistory) -> tuple[str, ...]:
        """The deciders that confirm a history on all the pairs that it separates."""
        pairs = self.pairs_of(history)
        holds = {pair.held: True for pair in pairs}
        return history.confirmed_by(holds | {pair.violated: False for pair in pairs})

    def strongest_held(self, history: SeparatingHistory) -> tuple[str, ...]:
        """The strongest levels that a history holds, one of each group of equal levels."""
        held = self._by_group(history, holds=True)
        below = {low for low, high in self.lattice.below if high in held}
        strongest = [levels[-1] for place, levels in held.items() if place not in below]
        return tuple(sorted(strongest, key=self.levels.index))

    def weakest_violated(self, history: SeparatingHistory) -> tuple[str, ...]:
        """The weakest levels that a history violates, one of each group of equal levels."""
        violated = self._by_group(history, holds=False)
        above = {high for low, high in self.lattice.below if low in violated}
        weakest = [levels[0] for place, levels in violated.items() if place not in above]
        return tuple(sorted(weakest, key=self.levels.index))

    def _by_group(self, history: SeparatingHistory, *, holds: bool) -> dict[int, list[str]]:
        verdicts = history.verdicts
        chosen = {
            place: [level for level in group if verdicts[level] == holds]
            for place, group in enumerate(self.lattice.groups)
        }
        return {place: levels for place, levels in chosen.items() if levels}
