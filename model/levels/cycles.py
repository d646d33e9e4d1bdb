"""Isolation levels as forbidden cycles.

A level is a set of *phenomena*: shapes of cycles that it forbids in the serialization graph of
a history. Which level implies which is computed from the shapes. Definitions and sources:
``docs/levels.md``.

Adya's phenomena G1a (aborted read) and G1b (intermediate read) are absent on purpose. They are
not cycles, and the history type cannot express them: a snapshot shows whole commits only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal


class EdgeKind(StrEnum):
    """The reason why one transaction precedes another in a serialization graph.

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
        """The kind without the kind of read: ``ww``, ``wr``, ``rw``, ``log``, ..."""
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
    """A shape of cycle: its transactions, its edges, and the number of the counted edges.

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
        """Whether every cycle of the other shape is a cycle of this one, by the fields alone."""
        if (other.readers and not self.readers) or not other.edges <= self.edges:
            return False
        if self.count == "any":
            return True
        if self.count == "one":
            return other.count == "one" and other.counted == self.counted & other.edges
        return other.count in ("one", "some") and other.counted <= self.counted


@dataclass(frozen=True, slots=True)
class Level:
    """A level as the phenomena that it forbids, with the source of the definition.

    ``serial_order`` says which serial orders count as an explanation of a history that holds
    the level: ``log`` for the order of the log alone, ``any`` for every order, None where the
    level does not promise a serial order. ``readers`` says whether readers have a place in it.
    """

    title: str
    forbids: tuple[Phenomenon, ...]
    source: str
    readers: bool = True
    serial_order: Literal["log", "any"] | None = None
    note: str = ""

    @property
    def edges(self) -> frozenset[EdgeKind]:
        """Every kind of edge that a forbidden cycle may use."""
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


def weaker_levels(levels: Mapping[str, Level], name: str) -> tuple[str, ...]:
    """The levels all of whose phenomena this one forbids, in table order; itself among them."""
    forbidden = levels[name].forbids
    return tuple(
        other
        for other, level in levels.items()
        if all(any(mine.covers(theirs) for mine in forbidden) for theirs in level.forbids)
    )
