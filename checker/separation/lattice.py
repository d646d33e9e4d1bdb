"""The lattice of levels as separating histories show it: which are equal, which is above which."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Protocol

from model.levels import LEVELS


class Pair(Protocol):
    """What is known of one ordered pair of levels."""

    @property
    def held(self) -> str:
        """The level that a history holds."""

    @property
    def violated(self) -> str:
        """The level that it violates."""

    @property
    def verdict(self) -> str:
        """``separated``, or why there is no history."""


@dataclass(frozen=True, slots=True)
class Lattice:
    """Groups of levels that no history tells apart, and their order.

    ``groups`` stand from weak to strong. ``covers`` has the pairs (lower, upper), by place in
    ``groups``, with nothing between them; ``apart`` those pairs of which neither is above the
    other.
    """

    groups: tuple[tuple[str, ...], ...]
    covers: tuple[tuple[int, int], ...]
    apart: tuple[tuple[int, int], ...]

    def most_telling(self, held: int, violated: int) -> tuple[str, str]:
        """The pair of levels that says most of two groups.

        It is the strongest that holds (last in its group), and the weakest that is violated.
        """
        return self.groups[held][-1], self.groups[violated][0]


def lattice(pairs: Iterable[Pair], levels: Sequence[str] = tuple(LEVELS)) -> Lattice:
    """The order of some levels as far as what is known of their pairs goes."""
    above = {(each.violated, each.held) for each in pairs if each.verdict != "separated"}
    groups: list[list[str]] = []
    for level in levels:
        for group in groups:
            if (group[0], level) in above and (level, group[0]) in above:
                group.append(level)
                break
        else:
            groups.append([level])
    # Weak levels first: the fewer a level implies, the lower it stands.
    groups.sort(key=lambda g: sum((other, g[0]) in above for other in levels))
    places = range(len(groups))
    below = {
        (low, high)
        for low in places
        for high in places
        if low != high and (groups[low][0], groups[high][0]) in above
    }
    covers = tuple(
        (low, high)
        for low, high in sorted(below)
        if not any((low, mid) in below and (mid, high) in below for mid in places)
    )
    apart = tuple(
        (one, other)
        for one, other in combinations(places, 2)
        if (one, other) not in below and (other, one) not in below
    )
    return Lattice(tuple(map(tuple, groups)), covers, apart)
