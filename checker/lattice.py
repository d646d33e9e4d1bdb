"""The lattice of levels as separating histories show it: which are equal, which is above which."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

from checker.separation import Separation, SeparationResult
from model.levels import LEVELS


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
    result: SeparationResult

    def history(self, held: int, violated: int) -> Separation:
        """A history that the levels of one group hold and those of the other do not.

        The pair of levels is the one that says most: the strongest that holds (last in its
        group), the weakest that is violated. Raises ``KeyError`` where there is none.
        """
        return self.result.between(self.groups[held][-1], self.groups[violated][0])


def lattice(result: SeparationResult) -> Lattice:
    """The order of the levels as far as the result goes."""
    above = {
        (each.violated, each.held) for each in result.separations if each.verdict != "separated"
    }
    groups: list[list[str]] = []
    for level in LEVELS:
        for group in groups:
            if (group[0], level) in above and (level, group[0]) in above:
                group.append(level)
                break
        else:
            groups.append([level])
    # Weak levels first: the fewer a level implies, the lower it stands.
    groups.sort(key=lambda g: sum((other, g[0]) in above for other in LEVELS))
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
    return Lattice(tuple(map(tuple, groups)), covers, apart, result)
