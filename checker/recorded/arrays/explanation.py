"""The explainer of histories in arrays: cycles of dependencies in words, and their names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from checker.judging.witness import Edge
from checker.recorded.arrays.history import LargeHistory
from checker.recorded.dependency import Dependency
from checker.recorded.explanation.witness import ExplainedCycle, transcript
from checker.recorded.history import Operation, Recorded
from model.levels import LOST_UPDATE, WRITE_SKEW, common_name, cycle_name

Snapshots = Callable[[int], int]
"""The last transaction of the log that a transaction's snapshot shows."""

NON_REPEATABLE_READ = "non-repeatable read"
"""Of a transaction that read two versions of one key."""

_SNAPSHOT_CYCLES = {
    ("wr", "unseen"): "G-SIa (interference)",
    ("ww", "unseen"): LOST_UPDATE,
    ("rw", "start"): "G-SIb (missed effects)",
}
"""Cycles of a transaction that read, replaced or missed a version against its own snapshot."""


def explained(
    cycle: Sequence[Dependency], history: LargeHistory, snapshot: Snapshots
) -> ExplainedCycle:
    """A cycle in words, with the operations of its transactions.

    ``snapshot`` is asked where the cycle has an edge from or to a snapshot.
    """
    edges = tuple(in_words(edge, snapshot) for edge in cycle)
    keys: dict[int, set[object]] = {}
    for edge in cycle:
        for transaction in (edge.source, edge.target):
            keys.setdefault(transaction, set()).update({edge.key} - {None})
    transcripts = tuple(
        replace(transcript(recorded(history, number), named), session=None)
        for number, named in sorted(keys.items())
    )
    return ExplainedCycle(edges, transcripts=transcripts)


def recorded(history: LargeHistory, number: int) -> Recorded:
    """One transaction of a large history; the value of a version is its writer."""
    first, end = np.searchsorted(history.transaction, (number, number + 1)).tolist()
    operations = tuple(
        Operation("w" if history.write[at] else "r", int(history.key[at]), int(history.writer[at]))
        for at in range(first, end)
    )
    return Recorded(str(number), number, operations)


def anomaly(cycle: Sequence[Dependency]) -> str:
    """The name of a cycle: the field's where it has one, Adya's otherwise."""
    kinds = tuple(edge.kind for edge in cycle)
    if kinds in _SNAPSHOT_CYCLES:
        return _SNAPSHOT_CYCLES[kinds]
    one_key = cycle[0].key == cycle[-1].key
    if one_key and kinds in (("rw", "wr"), ("rw", "log", "wr")):
        return NON_REPEATABLE_READ
    name = common_name(kinds, lost_update=one_key and kinds == ("rw", "ww"))
    return name if name in (LOST_UPDATE, WRITE_SKEW) else cycle_name(kinds)


def in_words(edge: Dependency, snapshot: Snapshots | None = None) -> Edge:
    """One edge in words."""
    return Edge(str(edge.source), str(edge.target), edge.kind, _because(edge, snapshot))


def _because(edge: Dependency, snapshot: Snapshots | None) -> str:
    source, target, kind, key, _ = edge
    match kind:
        case "log":
            return f"{source} came before {target} in the log"
        case "ww":
            return f"{target} replaced the version of key {key} that {source} wrote"
        case "wr":
            return f"{target} read the version of key {key} that {source} wrote"
        case "rw":
            return f"{source} read the version of key {key} that {target} replaced"
    assert snapshot is not None
    if kind == "unseen":
        taken = snapshot(source)
        return f"the snapshot of {source} shows the log up to {taken}, without {target}"
    taken = snapshot(target)
    return f"the snapshot of {target} shows the log up to {taken}, with {source} in it"
