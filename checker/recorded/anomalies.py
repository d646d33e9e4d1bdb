"""The names of anomalies, and their edges in words."""

from __future__ import annotations

from collections.abc import Sequence

from checker.recorded.observations import INIT, Observations
from checker.recorded.version_order.constraints import Edge


def phenomenon(cycle: Sequence[Edge]) -> str | None:
    """Adya's name of a cycle: G0, G1c, G-single, G2; ``-session`` with a session's order.

    None where the cycle is no anomaly by itself, since an order in it stands for what else would
    be one. A G2 of which no two anti-dependencies follow each other is G-nonadjacent (Elle),
    which is what snapshot isolation forbids beyond the others.
    """
    kinds = [edge.kind for edge in cycle]
    anti = kinds.count("rw")
    if anti == 0 and any(edge.inferred for edge in cycle):
        return None
    if anti == 0:
        name = "G1c" if "wr" in kinds or "so" in kinds else "G0"
    elif anti == 1:
        name = "G-single"
    else:
        name = "G2" if consecutive(kinds) else "G-nonadjacent"
    return name + ("-session" if "so" in kinds else "")


def anomaly(cycle: Sequence[Edge], seen: Observations) -> str:
    """What the field calls a cycle of this shape."""
    kinds = [edge.kind for edge in cycle]
    anti = [edge for edge in cycle if edge.kind == "rw"]
    if _lost_update(cycle, seen):
        return "lost update"
    if not anti:
        if any(edge.inferred for edge in cycle) and len({edge.key for edge in cycle}) == 1:
            return "cyclic versions"
        if "so" in kinds:
            return "causality violation"
        return "circular information flow" if "wr" in kinds else "write cycle"
    if len(anti) == 1:
        return "causality violation" if "so" in kinds else "read skew"
    if len(anti) == len(cycle) == 2:
        return "write skew"
    if consecutive(kinds):
        return "serialization anomaly (consecutive anti-dependencies)"
    return "long fork" if len(anti) == 2 else "anti-dependency cycle"


def _lost_update(cycle: Sequence[Edge], seen: Observations) -> bool:
    """Whether two transactions read one version of a key and both replaced it."""
    for edge in cycle:
        if edge.kind != "rw" or edge.key is None or len(cycle) != 2:
            continue
        version = [w for key, w in seen.reads[edge.source] if key == edge.key]
        same = [w for key, w in seen.reads[edge.target] if key == edge.key]
        if version and version == same and edge.key in seen.writes[edge.source]:
            return True
    return False


def consecutive(kinds: Sequence[str]) -> bool:
    """Whether two anti-dependencies follow each other in a cycle with edges of these kinds."""
    pairs = zip(kinds, (*kinds[1:], kinds[0]), strict=True)
    return any(first == second == "rw" for first, second in pairs)


def because(edge: Edge, seen: Observations) -> str:
    """One edge in words."""
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


def rotated(cycle: Sequence[Edge]) -> tuple[Edge, ...]:
    """The cycle from its first anti-dependency on, or from its smallest transaction."""
    start = min(range(len(cycle)), key=lambda i: (cycle[i].kind != "rw", cycle[i].source))
    return (*cycle[start:], *cycle[:start])
