"""The lattice of isolation levels, as data.

A level is a set of *phenomena*: shapes of cycles that it forbids in the serialization graph of
a history. Everything else (which level implies which, what to call a cycle that was found) is
computed from the table in this module. Definitions and sources: ``docs/levels.md``.

Adya's phenomena G1a (aborted read) and G1b (intermediate read) are absent on purpose. They are
not cycles, and the history type cannot express them: a snapshot shows whole commits only.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Literal


class EdgeKind(StrEnum):
    """Why one transaction precedes another in a serialization graph.

    The first five are Adya's direct dependencies. ``LOG`` is the order of two commits in the
    table's log. ``START`` leads from a commit to every transaction whose snapshot shows it
    (Adya's start-depends); ``UNSEEN`` leads from a transaction to every commit that its
    snapshot does not show.
    """

    WW = "ww"
    WR_ITEM = "wr item"
    WR_PREDICATE = "wr predicate"
    RW_ITEM = "rw item"
    RW_PREDICATE = "rw predicate"
    LOG = "log"
    START = "start"
    UNSEEN = "unseen"

    @property
    def short(self) -> str:
        """The kind without what was read: ``ww``, ``wr``, ``rw``, ``log``, ..."""
        return self.value.split()[0]


ITEM_RW = frozenset({EdgeKind.RW_ITEM})
RW = frozenset({EdgeKind.RW_ITEM, EdgeKind.RW_PREDICATE})
WR = frozenset({EdgeKind.WR_ITEM, EdgeKind.WR_PREDICATE})
WW = frozenset({EdgeKind.WW})
LOG = frozenset({EdgeKind.LOG})
START = frozenset({EdgeKind.START})
UNSEEN = frozenset({EdgeKind.UNSEEN})
DEPENDENCIES = WW | WR
CONFLICTS = WW | WR | RW


@dataclass(frozen=True, slots=True)
class Phenomenon:
    """A shape of cycle: which transactions, which edges, and how many of the counted edges.

    ``readers`` says whether transactions that wrote no version are nodes (a shape whose edges
    lead between writers only does without them). ``count`` asks for
    exactly one (``one``) or at least one (``some``) edge of ``counted``, or for nothing
    (``any``, with ``counted`` empty).
    """

    name: str
    title: str
    readers: bool
    edges: frozenset[EdgeKind]
    count: Literal["any", "one", "some"] = "any"
    counted: frozenset[EdgeKind] = frozenset()

    def covers(self, other: Phenomenon) -> bool:
        """Whether every cycle of the other shape is a cycle of this one, by the table alone."""
        if (other.readers and not self.readers) or not other.edges <= self.edges:
            return False
        if self.count == "any":
            return True
        if self.count == "one":
            return other.count == "one" and other.counted == self.counted & other.edges
        return other.count in ("one", "some") and other.counted <= self.counted


@dataclass(frozen=True, slots=True)
class Level:
    """One isolation level: the phenomena it forbids, and where that is written.

    ``serial_order`` tells which serial orders count as an explanation of a history that holds
    the level: ``log`` for the order of the log alone, ``any`` for every order, None where the
    level does not promise a serial order. ``readers`` says whether readers have a place in it.
    """

    name: str
    title: str
    forbids: tuple[Phenomenon, ...]
    source: str
    readers: bool = True
    serial_order: Literal["log", "any"] | None = None
    note: str = ""

    @property
    def edges(self) -> frozenset[EdgeKind]:
        """Every kind of edge that some forbidden cycle may use."""
        return frozenset().union(*(phenomenon.edges for phenomenon in self.forbids))


G0 = Phenomenon("G0", "write cycle", False, WW)
G1C = Phenomenon("G1c", "circular information flow", True, DEPENDENCIES)
G_SINGLE = Phenomenon("G-single", "single anti-dependency cycle", True, CONFLICTS, "one", RW)
G2_ITEM = Phenomenon("G2-item", "item anti-dependency cycle", True, CONFLICTS, "some", ITEM_RW)
G2 = Phenomenon("G2", "anti-dependency cycle", True, CONFLICTS, "some", RW)
G_SIA = Phenomenon("G-SIa", "interference", True, DEPENDENCIES | UNSEEN, "one", UNSEEN)
G_SIB = Phenomenon("G-SIb", "missed effects", True, CONFLICTS | START, "one", RW)
G1C_WRITERS = Phenomenon("G1c", "circular information flow among writers", False, DEPENDENCIES)
G2_WRITERS = Phenomenon("G2", "anti-dependency cycle among writers", False, CONFLICTS, "some", RW)
G_LOG = Phenomenon("G-log", "cycle with the order of the log", True, CONFLICTS | LOG)
G_START = Phenomenon(
    "G-start", "cycle with the order of the log and of snapshots", True, CONFLICTS | LOG | START
)

_ADYA = "Adya 1999"
_ADYA_2000 = "Adya, Liskov, O'Neil 2000"

LEVELS: dict[str, Level] = {
    level.name: level
    for level in (
        Level("ReadUncommitted", "PL-1", (G0,), _ADYA_2000),
        Level("ReadCommitted", "PL-2", (G1C,), _ADYA_2000),
        Level("ConsistentView", "PL-2+", (G1C, G_SINGLE), _ADYA),
        Level("RepeatableRead", "PL-2.99", (G1C, G2_ITEM), _ADYA_2000),
        Level(
            "SnapshotIsolation",
            "PL-SI",
            (G1C, G_SIA, G_SIB),
            f"{_ADYA}; Berenson et al. 1995; Delta documentation (N10)",
            note="Start and commit points are versions of the log.",
        ),
        Level(
            "WriteSerializable",
            "Delta's WriteSerializable",
            (G1C_WRITERS, G2_WRITERS),
            "Delta documentation (N3, N6, N8, N11)",
            readers=False,
            serial_order="any",
            note="Readers see a snapshot of the log, which no serial order of the writers "
            "needs to have as a state.",
        ),
        Level("PL-3", "serializability in any order", (G1C, G2), _ADYA_2000, serial_order="any"),
        Level(
            "Serializable",
            "Delta's Serializable",
            (G_LOG,),
            "Delta documentation (N2, N3, N4)",
            serial_order="log",
        ),
        Level(
            "StrictSerializable",
            "serializability in real time",
            (G_START,),
            "Papadimitriou 1979",
            serial_order="log",
            note="Real time is known only as far as versions show it: a commit that a snapshot "
            "shows came before it. When a reader ended is not recorded, so no history of this "
            "type separates this level from Serializable.",
        ),
    )
}
"""Every level by name, from weak to strong as far as they can be compared."""

DELTA_LEVELS = ("Serializable", "WriteSerializable")
"""The two levels of a Delta table (N1), which every verdict reports."""


@cache
def implies(stronger: str, weaker: str) -> bool:
    """Whether a history that holds ``stronger`` must hold ``weaker``, by the table.

    Raises ``KeyError`` for a name that is not in ``LEVELS``.
    """
    return all(
        any(mine.covers(theirs) for mine in LEVELS[stronger].forbids)
        for theirs in LEVELS[weaker].forbids
    )


def implied_by(name: str) -> tuple[str, ...]:
    """The other levels that a history must hold when it holds this one, in table order."""
    return tuple(other for other in LEVELS if other != name and implies(name, other))


def anomaly(kinds: Iterable[EdgeKind]) -> str:
    """The name of a cycle with edges of these kinds, after Adya.

    ``G0`` has only ww edges, ``G1c`` ww and wr, ``G-single`` one rw edge, ``G2-item`` several
    with an item read among them, ``G2`` several of predicate reads alone. Orders that are no
    dependencies follow: ``G-single-log``.
    """
    found = list(kinds)
    anti = [kind for kind in found if kind in RW]
    others = {kind.short for kind in found if kind not in CONFLICTS}
    if not anti:
        name = "G0" if all(kind not in WR for kind in found) else "G1c"
    elif len(anti) == 1:
        name = "G-single"
    else:
        name = "G2-item" if any(kind in ITEM_RW for kind in anti) else "G2"
    return "-".join((name, *sorted(others)))
