"""The explainer of recorded histories: cycles of dependencies by name and in words."""

from __future__ import annotations

from collections.abc import Sequence

from checker.judging.witness import Cycle, Edge, rotated
from checker.recorded.dependency import Dependency
from checker.recorded.observations import INIT, Observations
from model.levels import common_name, cycle_name


def from_first_anti_dependency(cycle: Sequence[Dependency]) -> tuple[Dependency, ...]:
    """The cycle from its first anti-dependency on, or from its smallest transaction."""
    return rotated(cycle, lambda edge: (edge.kind != "rw", edge.source))


def in_words(
    cycle: Sequence[Dependency], seen: Observations, *, one_of_many: bool = False
) -> Cycle:
    """A cycle as the witness that it is."""
    edges = (
        Edge(seen.name(edge.source), seen.name(edge.target), edge.kind, because(edge, seen))
        for edge in cycle
    )
    inferred = one_of_many or any(edge.inferred for edge in cycle)
    return Cycle(tuple(edges), inferred, one_of_many)


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
        lost_update=_lost_update(cycle, seen),
        cyclic_versions=any(edge.inferred for edge in cycle)
        and len({edge.key for edge in cycle}) == 1,
    )


def _lost_update(cycle: Sequence[Dependency], seen: Observations) -> bool:
    """Whether two transactions read one version of a key and both replaced it."""
    for edge in cycle:
        if edge.kind != "rw" or edge.key is None or len(cycle) != 2:
            continue
        version = [w for key, w in seen.reads[edge.source] if key == edge.key]
        same = [w for key, w in seen.reads[edge.target] if key == edge.key]
        if version and version == same and edge.key in seen.writes[edge.source]:
            return True
    return False


def because(edge: Dependency, seen: Observations) -> str:
    """Why the one transaction comes before the other."""
    source, target = seen.name(edge.source), seen.name(edge.target)
    if edge.key is None:
        return f"{source} came before {target} in their session"
    key = f"key {seen.keys[edge.key]!r}"
    if edge.kind == "wr":
        return f"{target} read the version of {key} that {source} wrote"
    if edge.kind == "rw":
        writers = [w for k, w in seen.every_read[edge.source] if k == edge.key]
        read = writers[0] if writers else INIT
        whose = "the initial version" if read == INIT else f"the version of {seen.name(read)}"
        return f"{source} read {whose} of {key}, which {target} replaced"
    reason = (
        " (the other order contradicts what the reads show)"
        if edge.inferred
        else " (a read shows this order)"
    )
    return f"{source} wrote {key} before {target} did{reason}"
