"""The names of anomalies, by the kinds of edges on a cycle.

This is the one place that names cycles, for every kind of history. An edge's kind is that of
``EdgeKind`` or, if item and predicate reads cannot be distinguished, its first word; ``so`` is the
order of two transactions in their session, ``rt`` that of one that ended before the other began.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

LOST_UPDATE = "lost update"
WRITE_SKEW = "write skew"
READ_SKEW = "read skew"
CAUSALITY_VIOLATION = "causality violation"
REAL_TIME_VIOLATION = "real-time violation"

_DEPENDENCIES = frozenset({"ww", "wr", "rw"})
_CALLED = {"so": "session", "rt": "realtime"}


def cycle_name(kinds: Sequence[str]) -> str:
    """The name of a cycle with edges of these kinds, in their order, after Adya.

    ``G0`` has only ww edges, ``G1c`` ww and wr, ``G-single`` one rw edge. Of those with several,
    ``G2-item`` has an item read among them and ``G2`` predicate reads alone. If items cannot be
    told from predicates, ``G-nonadjacent`` (Elle) is a cycle in which no two rw edges are
    adjacent, and ``G2`` any other. Orders that are not dependencies are appended:
    ``G-single-log``.
    """
    return _cycle_name(tuple(kinds))


@cache
def _cycle_name(kinds: tuple[str, ...]) -> str:
    short = tuple(kind.split()[0] for kind in kinds)
    anti = [kind for kind, word in zip(kinds, short, strict=True) if word == "rw"]
    if not anti:
        name = "G1c" if "wr" in short or "so" in short else "G0"
    elif len(anti) == 1:
        name = "G-single"
    elif "rw" in anti:
        name = "G2" if consecutive(short) else "G-nonadjacent"
    else:
        name = "G2-item" if "rw item" in anti else "G2"
    orders = sorted(_CALLED.get(word, word) for word in {*short} - _DEPENDENCIES)
    return "-".join((name, *orders))


def common_name(
    kinds: Sequence[str], *, lost_update: bool = False, cyclic_versions: bool = False
) -> str:
    """The field's name for a cycle with edges of these kinds, in their order.

    ``lost_update``: two transactions read one version of a key and both replaced it.
    ``cyclic_versions``: all edges are about one key, and some orders of its versions are inferred.
    """
    anti = list(kinds).count("rw")
    if lost_update:
        return LOST_UPDATE
    if "rt" in kinds:
        return REAL_TIME_VIOLATION
    if not anti:
        if cyclic_versions:
            return "cyclic versions"
        if "so" in kinds:
            return CAUSALITY_VIOLATION
        return "circular information flow" if "wr" in kinds else "write cycle"
    if anti == 1:
        return CAUSALITY_VIOLATION if "so" in kinds else READ_SKEW
    if anti == len(kinds) == 2:
        return WRITE_SKEW
    if consecutive(kinds):
        return "serialization anomaly (consecutive anti-dependencies)"
    return "long fork" if anti == 2 else "anti-dependency cycle"


def consecutive(kinds: Sequence[str]) -> bool:
    """Whether two anti-dependencies are adjacent in a cycle with edges of these kinds."""
    pairs = zip(kinds, (*kinds[1:], *kinds[:1]), strict=True)
    return any(first == second == "rw" for first, second in pairs)
