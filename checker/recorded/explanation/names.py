"""The names of cycles of a recorded history: Adya's, and the field's."""

from __future__ import annotations

from collections.abc import Sequence

from checker.judging.witness import rotated
from checker.recorded.dependency import Dependency
from checker.recorded.observations import Observations
from model.levels import common_name, cycle_name


def from_first_anti_dependency(cycle: Sequence[Dependency]) -> tuple[Dependency, ...]:
    """The cycle from its first anti-dependency on, or from its smallest transaction."""
    return rotated(cycle, lambda edge: (edge.kind != "rw", edge.source))


def phenomenon(cycle: Sequence[Dependency]) -> str | None:
    """Adya's name of a cycle.

    None if the cycle uses an inferred order of versions and no anti-dependency: it proves a
    violation but matches no phenomenon.
    """
    if any(edge.inferred for edge in cycle) and all(edge.kind != "rw" for edge in cycle):
        return None
    return cycle_name([edge.kind for edge in cycle])


def anomaly(cycle: Sequence[Dependency], seen: Observations) -> str:
    """The field's name for a cycle of this shape."""
    return common_name(
        [edge.kind for edge in cycle],
        lost_update=is_lost_update(cycle, seen),
        cyclic_versions=any(edge.inferred for edge in cycle)
        and len({edge.key for edge in cycle}) == 1,
    )


def is_lost_update(cycle: Sequence[Dependency], seen: Observations) -> bool:
    """Whether a cycle of two transactions is a lost update on one of its keys."""
    return len(cycle) == 2 and any(
        edge.kind == "rw"
        and edge.key is not None
        and lost_update(seen, edge.source, edge.target, edge.key)
        for edge in cycle
    )


def lost_update(seen: Observations, one: int, other: int, key: int) -> bool:
    """Whether two transactions read one version of a key, both replaced it, and neither saw that.

    If one of them also read the other's version, it read the key twice and got two answers: a
    non-repeatable read, and nothing is lost.
    """
    first = [writer for k, writer in seen.reads[one] if k == key]
    if not first or first != [writer for k, writer in seen.reads[other] if k == key]:
        return False
    if key not in seen.writes[one] or key not in seen.writes[other]:
        return False
    return (key, other) not in seen.every_read[one] and (key, one) not in seen.every_read[other]
