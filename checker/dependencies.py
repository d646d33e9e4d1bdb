"""The edges of a history's serialization graph, each with its reasons.

Direct conflicts after Adya (1999, section 3; Adya, Liskov, O'Neil 2000, section 4.4), with the
log as version order and whole commits as snapshots:

- *ww*: the later transaction installs the version of a row that follows the earlier one's;
- *wr item*: a transaction read the version of a row that the other installed;
- *wr predicate*: a commit that the snapshot shows changed whether a row matches a predicate;
- *rw item*: a transaction read a version of a row, and the other installed the one after it;
- *rw predicate*: a commit that the snapshot does not show changed whether a row matches.

A transaction never depends on itself. Edges of the log and of snapshots follow from versions
alone (``EdgeKind``).

What two transactions do to each other is computed once for each pair of transaction objects
and kept, because a search judges many histories that share them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from model.history import History, PredicateRead, Row, RowChange, RowId, Transaction
from model.levels import EdgeKind

RowKey = tuple[str, RowId]
"""Table and row."""

KINDS = tuple(EdgeKind)
BIT = {kind: 1 << position for position, kind in enumerate(KINDS)}
"""Each kind of edge as a bit; a set of kinds is a mask."""


@dataclass(frozen=True, slots=True)
class Reason:
    """One cause of an edge: a row, or nothing where versions alone are the reason.

    ``change`` is the write that the edge is about (for ww the later one), ``earlier`` the
    earlier write of a ww edge, ``values`` the row as it was read, ``predicate`` the condition
    whose matches changed.
    """

    change: RowChange | None = None
    earlier: RowChange | None = None
    values: Row | None = None
    predicate: PredicateRead | None = None


@dataclass(frozen=True, slots=True)
class Edge:
    """``source`` comes before ``target`` in every serial order; at least one reason why."""

    source: Transaction
    target: Transaction
    kind: EdgeKind
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class Dependencies:
    """The serialization graph of one history.

    ``nodes`` are the committed transactions, writers in log order and then readers.
    ``masks[i * len(nodes) + j]`` has a bit for each kind of edge from node i to node j.
    """

    history: History
    nodes: tuple[Transaction, ...]
    writers: int
    masks: tuple[int, ...]

    def mask(self, source: int, target: int) -> int:
        """The kinds of edges between two nodes, by position."""
        return self.masks[source * len(self.nodes) + target]

    def edge(self, source: int, target: int, kind: EdgeKind) -> Edge:
        """One edge with its reasons; ``KeyError`` where there is none of that kind."""
        for edge in self._between(source, target):
            if edge.kind is kind:
                return edge
        raise KeyError((self.nodes[source].name, self.nodes[target].name, kind))

    def edges(self) -> Iterator[Edge]:
        """All edges, in the order of nodes and of kinds."""
        size = range(len(self.nodes))
        for source in size:
            for target in size:
                if source != target:
                    yield from self._between(source, target)

    def _between(self, source: int, target: int) -> Iterator[Edge]:
        first, second = self.nodes[source], self.nodes[target]
        low, high = (source, target) if source < target else (target, source)
        pair = _pair(self.nodes[low], self.nodes[high])
        entries = pair.forward if source < target else pair.backward
        mask = self.mask(source, target)
        changers = _changers(self.nodes)
        for kind in KINDS:
            if mask & BIT[kind]:
                reasons = tuple(
                    entry.reason
                    for entry in entries
                    if entry.kind is kind and _direct(entry, first, second, changers)
                )
                yield Edge(first, second, kind, reasons or (Reason(),))


def dependencies(history: History) -> Dependencies:
    """The serialization graph of a history, with every kind of edge."""
    nodes = history.committed
    size = len(nodes)
    masks = [0] * (size * size)
    writers = 0
    seen: set[RowKey] = set()
    shared: set[RowKey] = set()
    for node in nodes:
        if node.commit_version is not None:
            writers += 1
            rows = _access(node).changes.keys()
            if not seen.isdisjoint(rows):
                shared.update(seen & rows)
            seen.update(rows)
    changers = None
    for high in range(1, size):
        second = nodes[high]
        for low in range(high):
            pair = _pair(nodes[low], second)
            if shared and not pair.rows.isdisjoint(shared):
                changers = changers or _changers(nodes)
                masks[low * size + high] = _direct_mask(
                    pair.forward, pair.forward_versions, nodes[low], second, changers
                )
                masks[high * size + low] = _direct_mask(
                    pair.backward, pair.backward_versions, second, nodes[low], changers
                )
            else:
                masks[low * size + high] = pair.forward_mask
                masks[high * size + low] = pair.backward_mask
    return Dependencies(history, nodes, writers, tuple(masks))


@dataclass(frozen=True, slots=True)
class _Entry:
    """A possible edge of a pair; with ``row`` set it counts only while no third transaction
    wrote that row in between."""

    kind: EdgeKind
    row: RowKey | None
    reason: Reason


@dataclass(frozen=True, slots=True)
class _Pair:
    """What two transactions do to each other, whatever other transactions there are.

    ``rows`` are those whose item edges a third transaction could take over. The masks of
    versions hold the log and snapshot edges.
    """

    first: Transaction
    second: Transaction
    forward: tuple[_Entry, ...]
    backward: tuple[_Entry, ...]
    forward_versions: int
    backward_versions: int
    forward_mask: int
    backward_mask: int
    rows: frozenset[RowKey]


@dataclass(frozen=True, slots=True)
class _Access:
    """The rows that one transaction wrote and read, by row."""

    transaction: Transaction
    changes: dict[RowKey, RowChange]
    reads: dict[RowKey, Row]


# Keyed by object identity: hashing a transaction by value costs more than judging it. Each
# entry holds its transactions, so that an identity is never taken over by another object.
_ACCESSES: dict[int, _Access] = {}
_PAIRS: dict[tuple[int, int], _Pair] = {}
_KEPT = 1 << 16


def _access(transaction: Transaction) -> _Access:
    known = _ACCESSES.get(id(transaction))
    if known is None:
        if len(_ACCESSES) >= _KEPT:
            _ACCESSES.clear()
        known = _ACCESSES[id(transaction)] = _Access(
            transaction,
            {(change.table, change.row): change for change in transaction.changes},
            {(read.table, read.row): read.values for read in transaction.item_reads},
        )
    return known


def _pair(first: Transaction, second: Transaction) -> _Pair:
    """The pair with ``first`` before ``second`` in the order of nodes."""
    key = (id(first), id(second))
    known = _PAIRS.get(key)
    if known is None:
        if len(_PAIRS) >= _KEPT:
            _PAIRS.clear()
        known = _PAIRS[key] = _compute_pair(first, second)
    return known


def _compute_pair(first: Transaction, second: Transaction) -> _Pair:
    forward: list[_Entry] = []
    backward: list[_Entry] = []
    forward_versions = backward_versions = 0
    if first.commit_version is not None:
        if second.commit_version is not None:
            forward_versions |= BIT[EdgeKind.LOG] | BIT[EdgeKind.UNSEEN]
            _overwrites(first, second, forward)
            _later_write(first, second, forward)
        if first.commit_version <= second.read_version:
            forward_versions |= BIT[EdgeKind.START]
            _earlier_write(first, second, forward)
        else:
            backward_versions |= BIT[EdgeKind.UNSEEN]
            _later_write(second, first, backward)
    return _Pair(
        first,
        second,
        tuple(forward),
        tuple(backward),
        forward_versions,
        backward_versions,
        forward_versions | _mask(forward),
        backward_versions | _mask(backward),
        frozenset(entry.row for entry in (*forward, *backward) if entry.row is not None),
    )


def _mask(entries: list[_Entry]) -> int:
    mask = 0
    for entry in entries:
        mask |= BIT[entry.kind]
    return mask


def _overwrites(earlier: Transaction, later: Transaction, into: list[_Entry]) -> None:
    """ww: both wrote the row, in the order of the log."""
    before = _access(earlier).changes
    for key, change in _access(later).changes.items():
        if key in before:
            reason = Reason(change=change, earlier=before[key])
            into.append(_Entry(EdgeKind.WW, key, reason))


def _earlier_write(writer: Transaction, reader: Transaction, into: list[_Entry]) -> None:
    """wr: the reader's snapshot shows the writer's commit."""
    reads = _access(reader).reads
    for key, change in _access(writer).changes.items():
        if key in reads:
            into.append(_Entry(EdgeKind.WR_ITEM, key, Reason(change=change, values=reads[key])))
        for predicate in reader.predicate_reads:
            if _changes_matches(change, predicate):
                reason = Reason(change=change, predicate=predicate)
                into.append(_Entry(EdgeKind.WR_PREDICATE, None, reason))


def _later_write(reader: Transaction, writer: Transaction, into: list[_Entry]) -> None:
    """rw: the reader's snapshot does not show the writer's commit."""
    access = _access(reader)
    for key, change in _access(writer).changes.items():
        if key in access.reads:
            into.append(
                _Entry(EdgeKind.RW_ITEM, key, Reason(change=change, values=access.reads[key]))
            )
        for predicate in reader.predicate_reads:
            if _changes_matches(change, predicate):
                reason = Reason(change=change, predicate=predicate)
                into.append(_Entry(EdgeKind.RW_PREDICATE, None, reason))


def _changes_matches(change: RowChange, predicate: PredicateRead) -> bool:
    """Whether the row matched before the write and not after it, or the other way round."""
    if change.table != predicate.table:
        return False
    before = change.before is not None and predicate.matches(change.before)
    after = change.after is not None and predicate.matches(change.after)
    return before != after


def _changers(nodes: tuple[Transaction, ...]) -> dict[RowKey, list[Transaction]]:
    """The writers of each row, in log order."""
    changers: dict[RowKey, list[Transaction]] = {}
    for node in nodes:
        if node.commit_version is not None:
            for key in _access(node).changes:
                changers.setdefault(key, []).append(node)
    return changers


def _direct(
    entry: _Entry,
    source: Transaction,
    target: Transaction,
    changers: dict[RowKey, list[Transaction]],
) -> bool:
    """Whether no other write of the row lies between the two versions of an item edge."""
    if entry.row is None:
        return True
    writers = changers[entry.row]
    if entry.kind is EdgeKind.WW:
        return writers.index(target) == writers.index(source) + 1
    snapshot = (target if entry.kind is EdgeKind.WR_ITEM else source).read_version
    seen = [writer for writer in writers if (writer.commit_version or 0) <= snapshot]
    if entry.kind is EdgeKind.WR_ITEM:
        return seen[-1] is source
    return writers[len(seen)] is target


def _direct_mask(
    entries: tuple[_Entry, ...],
    versions: int,
    source: Transaction,
    target: Transaction,
    changers: dict[RowKey, list[Transaction]],
) -> int:
    mask = versions
    for entry in entries:
        bit = BIT[entry.kind]
        if not mask & bit and _direct(entry, source, target, changers):
            mask |= bit
    return mask
