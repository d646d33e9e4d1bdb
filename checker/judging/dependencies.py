"""The edges of a history's serialization graph, each with its causes.

Direct conflicts after Adya (1999, section 3; Adya, Liskov, O'Neil 2000, section 4.4), with the
log as version order and whole commits as snapshots:

- *ww*: the later transaction installs the version of a row that follows the earlier one's;
- *wr item*: a transaction read the version of a row that the other installed;
- *wr predicate*: a commit that the snapshot shows changed whether a row matches a predicate;
- *rw item*: a transaction read a version of a row, and the other installed the one after it;
- *rw predicate*: a commit that the snapshot does not show changed whether a row matches.

A transaction never depends on itself. Log and snapshot edges follow from versions alone
(``EdgeKind``).

The conflicts of two transactions are computed once for each pair of transaction objects and
cached, because a search judges many histories that share them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from model.errors import StatementFailure
from model.history import History, PredicateRead, Row, RowChange, RowId, Transaction
from model.levels import EdgeKind

RowKey = tuple[str, RowId]
"""A table's name and a row's id."""

KINDS = tuple(EdgeKind)
BIT = {kind: 1 << position for position, kind in enumerate(KINDS)}
"""Each kind of edge as a bit; a set of kinds is a mask."""


@dataclass(frozen=True, slots=True)
class Cause:
    """One cause of an edge: a row, or nothing where versions alone are the cause.

    ``change`` is the write that the edge is about (for ww the later one), ``earlier`` the
    earlier write of a ww edge, ``values`` the row as it was read, ``predicate`` the condition
    whose matches changed.
    """

    change: RowChange | None = None
    earlier: RowChange | None = None
    values: Row | None = None
    predicate: PredicateRead | None = None


@dataclass(frozen=True, slots=True)
class GraphEdge:
    """``source`` comes before ``target`` in every serial order, for at least one cause."""

    source: Transaction
    target: Transaction
    kind: EdgeKind
    causes: tuple[Cause, ...]


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

    def edge(self, source: int, target: int, kind: EdgeKind) -> GraphEdge:
        """One edge with its causes. Raises ``KeyError`` if there is none of that kind."""
        for edge in self._between(source, target):
            if edge.kind is kind:
                return edge
        raise KeyError((self.nodes[source].name, self.nodes[target].name, kind))

    def edges(self) -> Iterator[GraphEdge]:
        """All edges, in the order of nodes and of kinds."""
        size = range(len(self.nodes))
        for source in size:
            for target in size:
                if source != target:
                    yield from self._between(source, target)

    def _between(self, source: int, target: int) -> Iterator[GraphEdge]:
        mask = self.mask(source, target)
        if not mask:
            return
        low, high = min(source, target), max(source, target)
        pair = _pair(_access(self.nodes[low]), _access(self.nodes[high]))
        entries = pair.forward if source < target else pair.backward
        commits = _commits(self.nodes)
        for kind in KINDS:
            if mask & BIT[kind]:
                causes = tuple(
                    entry.cause
                    for entry in entries
                    if entry.kind is kind and _direct(entry, commits)
                )
                yield GraphEdge(self.nodes[source], self.nodes[target], kind, causes or (Cause(),))


def dependencies(history: History) -> Dependencies:
    """The serialization graph of a history, with every kind of edge."""
    nodes = history.committed
    size = len(nodes)
    accesses = [_access(node) for node in nodes]
    masks = [0] * (size * size)
    writers = 0
    seen: set[RowKey] = set()
    contended: set[RowKey] = set()
    for access in accesses:
        if access.transaction.commit_version is not None:
            writers += 1
            rows = access.changes.keys()
            if not seen.isdisjoint(rows):
                contended.update(seen & rows)
            seen.update(rows)
    commits = _commits(nodes) if contended else {}
    for high in range(1, size):
        second = accesses[high]
        for low in range(high):
            first = accesses[low]
            pair = _pair(first, second)
            forward, backward = low * size + high, high * size + low
            if contended and not pair.rows.isdisjoint(contended):
                masks[forward] = _direct_mask(pair.forward, pair.forward_versions, commits)
                masks[backward] = _direct_mask(pair.backward, pair.backward_versions, commits)
            else:
                masks[forward] = pair.forward_mask
                masks[backward] = pair.backward_mask
    return Dependencies(history, nodes, writers, tuple(masks))


@dataclass(slots=True)
class _Access:
    """What one transaction wrote and read, by row."""

    transaction: Transaction
    changes: dict[RowKey, RowChange]
    reads: dict[RowKey, Row]


@dataclass(slots=True)
class _Entry:
    """A possible edge of a pair.

    If ``row`` is set, the edge counts only if no third transaction wrote that row after the
    version ``since`` and before the version ``until``.
    """

    kind: EdgeKind
    cause: Cause
    row: RowKey | None = None
    since: int = 0
    until: int = 0


@dataclass(slots=True)
class _Pair:
    """The possible edges between two transactions, whatever other transactions there are.

    ``first`` and ``second`` are in the order of nodes. ``rows`` are those whose item edges a
    third transaction's write could remove. The masks of versions hold the log and snapshot edges.
    """

    first: _Access
    second: _Access
    forward: list[_Entry]
    backward: list[_Entry]
    forward_versions: int
    backward_versions: int
    forward_mask: int
    backward_mask: int
    rows: set[RowKey]


# Keyed by object identity: hashing a transaction by value costs more than judging it. Each
# entry keeps its transactions alive, so that no other object can get the same identity.
_ACCESSES: dict[int, _Access] = {}
_PAIRS: dict[tuple[int, int], _Pair] = {}
_KEPT = 1 << 16


def _access(transaction: Transaction) -> _Access:
    access = _ACCESSES.get(id(transaction))
    if access is None:
        if len(_ACCESSES) >= _KEPT:
            _ACCESSES.clear()
        access = _ACCESSES[id(transaction)] = _Access(
            transaction,
            {(change.table, change.row): change for change in transaction.changes},
            {(read.table, read.row): read.values for read in transaction.item_reads},
        )
    return access


def _pair(first: _Access, second: _Access) -> _Pair:
    key = (id(first.transaction), id(second.transaction))
    pair = _PAIRS.get(key)
    if pair is None:
        if len(_PAIRS) >= _KEPT:
            _PAIRS.clear()
        pair = _PAIRS[key] = _compute_pair(first, second)
    return pair


def _compute_pair(first: _Access, second: _Access) -> _Pair:
    forward: list[_Entry] = []
    backward: list[_Entry] = []
    forward_versions = backward_versions = 0
    early, late = first.transaction.commit_version, second.transaction.commit_version
    if early is not None:
        if late is not None:
            forward_versions |= _LOG | _UNSEEN
            if second.changes:
                _overwrites(first, second, early, late, forward)
                _reads(first, second, late, forward)
        if early <= second.transaction.read_version:
            forward_versions |= _START
        else:
            backward_versions |= _UNSEEN
        if first.changes:
            shown = early <= second.transaction.read_version
            _reads(second, first, early, forward if shown else backward)
    forward_mask, backward_mask = forward_versions, backward_versions
    rows = set()
    for entry in forward:
        forward_mask |= BIT[entry.kind]
        if entry.row is not None:
            rows.add(entry.row)
    for entry in backward:
        backward_mask |= BIT[entry.kind]
        if entry.row is not None:
            rows.add(entry.row)
    return _Pair(
        first,
        second,
        forward,
        backward,
        forward_versions,
        backward_versions,
        forward_mask,
        backward_mask,
        rows,
    )


_LOG, _START, _UNSEEN = BIT[EdgeKind.LOG], BIT[EdgeKind.START], BIT[EdgeKind.UNSEEN]


def _overwrites(first: _Access, second: _Access, early: int, late: int, into: list[_Entry]) -> None:
    """ww: both wrote the row, in the order of the log."""
    for key, change in second.changes.items():
        if key in first.changes:
            cause = Cause(change=change, earlier=first.changes[key])
            into.append(_Entry(EdgeKind.WW, cause, key, early, late))


def _reads(reader: _Access, writer: _Access, commit: int, into: list[_Entry]) -> None:
    """wr where the reader's snapshot shows the writer's commit, rw where it does not."""
    snapshot = reader.transaction.read_version
    shown = commit <= snapshot
    for key, change in writer.changes.items():
        values = reader.reads.get(key)
        if values is not None:
            cause = Cause(change=change, values=values)
            if shown:
                into.append(_Entry(EdgeKind.WR_ITEM, cause, key, commit, snapshot + 1))
            elif not _own_write_follows(reader, key, commit):
                into.append(_Entry(EdgeKind.RW_ITEM, cause, key, snapshot, commit))
        for predicate in reader.transaction.predicate_reads:
            if predicate.table == change.table and changes_matches(change, predicate):
                kind = EdgeKind.WR_PREDICATE if shown else EdgeKind.RW_PREDICATE
                into.append(_Entry(kind, Cause(change=change, predicate=predicate)))


def _own_write_follows(reader: _Access, key: RowKey, commit: int) -> bool:
    """Whether the reader wrote the row itself before ``commit``.

    If so, the version that follows the one it read is older than ``commit``.
    """
    own = reader.transaction.commit_version
    return own is not None and own < commit and key in reader.changes


def changes_matches(change: RowChange, predicate: PredicateRead) -> bool:
    """Whether the write changed the read's answer for the row."""
    return _match(predicate, change.before) != _match(predicate, change.after)


def _match(predicate: PredicateRead, row: Row | None) -> bool | str:
    """Whether a row matches, or the error class if the condition cannot be evaluated on it.

    A row that would make the statement fail changes the read's answer, too.
    """
    if row is None:
        return False
    try:
        return predicate.matches(row)
    except StatementFailure as failure:
        return failure.error_class


def _commits(nodes: tuple[Transaction, ...]) -> dict[RowKey, list[int]]:
    """The versions that wrote each row, in log order."""
    commits: dict[RowKey, list[int]] = {}
    for node in nodes:
        if node.commit_version is not None:
            for key in _access(node).changes:
                commits.setdefault(key, []).append(node.commit_version)
    return commits


def _direct(entry: _Entry, commits: dict[RowKey, list[int]]) -> bool:
    """Whether no other write of the row lies between the two versions of an item edge."""
    if entry.row is None:
        return True
    return not any(entry.since < commit < entry.until for commit in commits[entry.row])


def _direct_mask(entries: list[_Entry], versions: int, commits: dict[RowKey, list[int]]) -> int:
    mask = versions
    for entry in entries:
        bit = BIT[entry.kind]
        if not mask & bit and _direct(entry, commits):
            mask |= bit
    return mask
