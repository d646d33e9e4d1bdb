"""The witness of a verdict: a cycle of edges in words, a serial order, or a reason.

All judges use these witnesses for their verdicts. Each history type has its own graph, and an
explainer that puts the edges of that graph into words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

E = TypeVar("E")


@dataclass(frozen=True, slots=True)
class Edge:
    """One edge of a cycle, in words.

    ``source`` and ``target`` are names of transactions, ``kind`` is ``ww``, ``wr``, ``rw`` or the
    order that the edge belongs to (``log``, ``so``, ...), and ``because`` says why ``source``
    comes before ``target``.
    """

    source: str
    target: str
    kind: str
    because: str

    def to_json(self) -> dict[str, str]:
        """The edge as every command prints it."""
        return {
            "from": self.source,
            "to": self.target,
            "kind": self.kind,
            "because": self.because,
        }


@dataclass(frozen=True, slots=True)
class Cycle:
    """A forbidden cycle; each edge leads to the source of the next one.

    ``inferred``: some edges are not shown by any operation, but follow from the others and from
    what the level demands. ``one_of_many``: every order of the versions leads to a cycle, and this
    is the cycle of one of those orders.
    """

    edges: tuple[Edge, ...]
    inferred: bool = False
    one_of_many: bool = False

    @property
    def transactions(self) -> tuple[str, ...]:
        """The transactions along the cycle, the first one again at its end."""
        names = tuple(edge.source for edge in self.edges)
        return (*names, *names[:1])

    @property
    def because(self) -> str:
        """All edges in words."""
        words = "; ".join(edge.because for edge in self.edges)
        if self.one_of_many:
            return f"every order of the versions leads to a cycle, one of them: {words}"
        return words


@dataclass(frozen=True, slots=True)
class SerialOrder:
    """A serial order that explains the history: transactions by name."""

    transactions: Sequence[str]


@dataclass(frozen=True, slots=True)
class Reason:
    """The reason for a violation that is not a cycle, or why a level could not be decided.

    ``transactions`` are those concerned; it may be empty.
    """

    because: str
    transactions: tuple[str, ...] = ()


Witness = Cycle | SerialOrder | Reason


def rotated(cycle: Sequence[E], place: Callable[[E], Any]) -> tuple[E, ...]:
    """The same cycle, starting at the edge with the smallest ``place``."""
    start = min(range(len(cycle)), key=lambda i: place(cycle[i]))
    return (*cycle[start:], *cycle[:start])
