"""The lattice of levels that separating histories give: groups of equal levels, ordered."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Protocol

from model.levels import LEVELS


class Pair(Protocol):
    """The answer for one ordered pair of levels."""

    @property
    def held(self) -> str:
        """The level that a history holds."""

    @property
    def violated(self) -> str:
        """The level that it violates."""

    @property
    def verdict(self) -> str:
        """``separated``, or the reason why no history separates the levels."""


@dataclass(frozen=True, slots=True)
class Lattice:
    """Groups of levels that no history tells apart, and their order.

    ``groups`` are sorted from weak to strong; pairs are indices into ``groups``. ``below`` has
    every pair (lower, upper), ``covers`` those with nothing between them, ``apart`` the pairs in
    which neither is above the other.
    """

    groups: tuple[tuple[str, ...], ...]
    below: frozenset[tuple[int, int]]
    covers: tuple[tuple[int, int], ...]
    apart: tuple[tuple[int, int], ...]

    def most_telling(self, held: int, violated: int) -> Iterator[tuple[str, str]]:
        """The pairs of levels of two groups, the most informative first.

        The first pair is the strongest level that holds (last in its group) and the weakest that
        is violated. If the search was cut short, some pairs of two groups may lack a history
        although others have one.
        """
        return product(reversed(self.groups[held]), self.groups[violated])


def lattice(pairs: Iterable[Pair], levels: Sequence[str] = tuple(LEVELS)) -> Lattice:
    """The order of some levels: one is above another if no history holds it but not the other."""
    above = {(pair.violated, pair.held) for pair in pairs if pair.verdict != "separated"}
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
    return Lattice(tuple(map(tuple, groups)), frozenset(below), covers, apart)
