"""The premises of the proofs about what the engine notes, looked at in a run of the model.

The lemmas take for granted that a footprint says all that a statement reads, that compactions
move no rows, and so on. Here each of these is a check of one run, by the name that it has in
the lemmas, so that random scenarios can be held against it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from model.errors import StatementFailure
from model.history import PredicateRead, RowId, Transaction
from model.physical.definition_change import metadata_change, protocol_change
from model.physical.files import DataFile, StoredRow
from model.physical.footprint import Footprint
from model.physical.log import Snapshot
from model.physical.skipping import stops_at
from model.rules.delta_spark import REARRANGING_OPERATIONS
from model.simulator import Run
from model.tables.table import Table


@dataclass(frozen=True, slots=True)
class Broken:
    """A premise that does not hold of a transaction, and where it shows."""

    premise: str
    transaction: str
    where: str


@dataclass(frozen=True, slots=True, eq=False)
class Attempted:
    """A transaction of a run as the premises speak of it: with its snapshot and footprint.

    ``files`` are all those of the run that were ever live under the partitioning that it
    knows: a winner that changes that is refused for its metadata, whatever it adds.
    """

    transaction: Transaction
    footprint: Footprint
    snapshot: Snapshot
    files: Sequence[DataFile]

    @property
    def table(self) -> Table:
        """The definition that it began with."""
        return self.snapshot.table

    @property
    def reads(self) -> tuple[PredicateRead, ...]:
        """Its reads of the table, as predicates."""
        name = self.table.name
        return tuple(read for read in self.transaction.predicate_reads if read.table == name)

    @property
    def besides(self) -> bool:
        """True if it writes anything besides files."""
        footprint = self.footprint
        return bool(
            footprint.metadata
            or footprint.protocol
            or footprint.domains
            or footprint.applications_written
        )

    def matching(self, file: DataFile) -> Iterator[StoredRow]:
        """The rows of a file that it reads, or would have read."""
        for row in file.rows:
            if any(_matches(read, row) for read in self.reads):
                yield row

    def covers(self, file: DataFile) -> bool:
        """True if a predicate of its footprint covers a file's partition, or fails on it."""
        return any(
            stops_at(predicate, file, self.table) for predicate in self.footprint.read_predicates
        )


def _matches(read: PredicateRead, row: StoredRow) -> bool:
    try:
        return read.matches(row.values)
    except StatementFailure:
        return True  # The statement would have failed, which it has to notice.


def _files_to_come(a: Attempted) -> Iterator[str]:
    if a.footprint.next_version_only or a.footprint.read_whole_table:
        return
    for file in a.files:
        if not a.covers(file) and any(a.matching(file)):
            yield f"{file.path} in {file.partition}"


def _files_there(a: Attempted) -> Iterator[str]:
    footprint = a.footprint
    if footprint.next_version_only or footprint.read_whole_table:
        return
    noted = {file.path for file in (*footprint.read_files, *footprint.removes)}
    for file in a.snapshot.files.values():
        if file.path not in noted and any(a.matching(file)):
            yield file.path


def _whole_table(a: Attempted) -> Iterator[str]:
    if a.footprint.read_whole_table and a.footprint.blind_append:
        yield a.footprint.operation


def _no_change_no_reads(a: Attempted) -> Iterator[str]:
    footprint = a.footprint
    if footprint.next_version_only or footprint.data_changed or a.besides:
        return
    if a.reads or a.transaction.item_reads:
        yield footprint.operation


def _rearranging_operations(a: Attempted) -> Iterator[str]:
    footprint = a.footprint
    if (
        footprint.next_version_only
        or a.besides
        or footprint.operation not in REARRANGING_OPERATIONS
    ):
        return
    if (a.reads or a.transaction.item_reads) and not (
        footprint.data_changed and (footprint.adds or footprint.removes)
    ):
        yield footprint.operation


def _always_writes(a: Attempted) -> Iterator[str]:
    if a.footprint.records_always and a.footprint.data_changed:
        yield a.footprint.operation


def _overwritten(a: Attempted) -> Iterator[str]:
    removed = {file.key for file in a.footprint.removes}
    for key in removed - a.snapshot.files.keys():
        yield f"{key} is not in its snapshot"
    if a.transaction.commit_version is None:
        return
    rows = {row.row for file in a.footprint.removes for row in file.rows}
    for change in a.transaction.changes:
        if change.before is not None and change.row not in rows:
            yield f"row {change.row} is in no file that it removes"


def _read_first(a: Attempted) -> Iterator[str]:
    read = {item.row for item in a.transaction.item_reads}
    for change in a.transaction.changes:
        if change.before is not None and change.row not in read:
            yield f"row {change.row}"


def _restating_reads(a: Attempted) -> Iterator[str]:
    if a.footprint.restates and (a.reads or a.transaction.item_reads or a.footprint.removes):
        yield a.footprint.operation


def _named_properties(a: Attempted) -> Iterator[str]:
    if a.footprint.metadata is not None and "" in a.footprint.metadata.properties:
        yield a.footprint.operation


def _one_dropped(a: Attempted) -> Iterator[str]:
    protocol = a.footprint.protocol
    if protocol is not None and len(protocol.dropped) > 1:
        yield f"drops {sorted(protocol.dropped)}"


def _blind_reads(a: Attempted) -> Iterator[str]:
    if a.footprint.blind_append:
        yield from (file.path for file in a.files if any(a.matching(file)))


def _blind_changes(a: Attempted) -> Iterator[str]:
    if a.footprint.blind_append:
        yield from (f"row {c.row}" for c in a.transaction.changes if c.before is not None)


OF_TRANSACTIONS: dict[str, Callable[[Attempted], Iterable[str]]] = {
    "footprint completeness, files to come": _files_to_come,
    "footprint completeness, files there": _files_there,
    "reading the whole table is noted beside a predicate or a file": _whole_table,
    "no change of data, no reads": _no_change_no_reads,
    "operations that never change data": _rearranging_operations,
    "who always writes a version": _always_writes,
    "who overwrites has seen": _overwritten,
    "removed files are of the snapshot": _overwritten,
    "who overwrites has read": _read_first,
    "who states files again reads no row": _restating_reads,
    "one feature at a time": _one_dropped,
    "properties have names": _named_properties,
    "blind appends read nothing": _blind_reads,
    "blind appends only add": _blind_changes,
}
"""The premises about one transaction; each gives the places where it does not hold."""


def _versions(snapshot: Snapshot) -> list[tuple[RowId, str]]:
    rows = ((row.row, row.writer) for file in snapshot.files.values() for row in file.rows)
    return sorted(rows, key=repr)


def _rearranging(before: Snapshot, after: Snapshot) -> Iterator[str]:
    """Of every commit that is marked so, the later ones of a statement with several too."""
    commit = after.commit
    if commit is None or commit.footprint.data_changed:
        return
    if _versions(before) != _versions(after):
        yield f"version {commit.version}"


def _restated(before: Snapshot, after: Snapshot) -> Iterator[str]:
    commit = after.commit
    if commit is None or not commit.footprint.restates:
        return
    if commit.footprint.removes or any(
        file.key not in before.files for file in commit.footprint.adds
    ):
        yield f"version {commit.version}"


_SETTLED = frozenset({"delta.isolationLevel", "delta.rowTracking.materializedRowIdColumnName"})
"""Properties that change without a word: the level, where it is set to what the scenario's table
has anyway, and a name that comes with a feature, and is harmless."""


def _metadata_said(before: Snapshot, after: Snapshot) -> Iterator[str]:
    """The metadata action names each change of the definition that the commit makes."""
    commit = after.commit
    if commit is None or commit.footprint.table is None:
        return
    base, said = after.at(commit.read_version).table, commit.footprint.metadata
    done = metadata_change(base, commit.footprint.table)
    changed = done.properties - _SETTLED or done.schema_changed or done.properties_removed
    if base.absent or not changed:
        return
    if said is None:
        yield f"version {commit.version} writes no metadata"
        return
    unsaid = done.properties - said.properties - _SETTLED
    if unsaid or done.turned_off - said.turned_off - _SETTLED:
        yield f"version {commit.version} does not name {sorted(unsaid)}"
    if done.schema_changed > said.schema_changed or (
        done.properties_removed > said.properties_removed
    ):
        yield f"version {commit.version} does not tell what it changes"


def _protocol_said(before: Snapshot, after: Snapshot) -> Iterator[str]:
    commit = after.commit
    if commit is None or commit.footprint.table is None:
        return
    base, said = after.at(commit.read_version).table, commit.footprint.protocol
    done = protocol_change(base, commit.footprint.table)
    if base.absent or done is None:
        return
    if said is None or done.added - said.added or done.dropped - said.dropped:
        yield f"version {commit.version}"


OF_COMMITS: dict[str, Callable[[Snapshot, Snapshot], Iterable[str]]] = {
    "rearranging": _rearranging,
    "stating files again": _restated,
    "what a metadata action says": _metadata_said,
    "what a protocol action says": _protocol_said,
}
"""The premises about a commit, from the snapshot before it to the one after it."""

CHECKED = frozenset(OF_TRANSACTIONS) | frozenset(OF_COMMITS)
"""The premises that are looked at, by their names in the lemmas."""


def broken_premises(run: Run) -> Iterator[Broken]:
    """The premises that do not hold of a run, refused transactions included."""
    snapshots = {snapshot.version: snapshot for snapshot in _chain(run.final)}
    for attempted in attempts(run):
        for premise, check in OF_TRANSACTIONS.items():
            for where in check(attempted):
                yield Broken(premise, attempted.transaction.name, where)
    for version, after in sorted(snapshots.items()):
        if version <= run.workload.base.version or after.parent is None:
            continue
        assert after.commit is not None
        for premise, look in OF_COMMITS.items():
            for where in look(after.parent, after):
                yield Broken(premise, after.commit.transaction, where)


def _chain(snapshot: Snapshot | None) -> Iterator[Snapshot]:
    while snapshot is not None:
        yield snapshot
        snapshot = snapshot.parent


def attempts(run: Run) -> Iterator[Attempted]:
    """The transactions of a run that have a footprint, refused ones too."""
    snapshots = {snapshot.version: snapshot for snapshot in _chain(run.final)}
    for ended in run.ended.values():
        if ended.footprint is None:
            continue
        snapshot = snapshots[ended.logical.read_version]
        if snapshot.table.absent:
            continue  # It makes the table: there is nothing to read.
        partitions = snapshot.table.partitions
        files = {
            id(file): file
            for other in snapshots.values()
            if other.table.partitions == partitions
            for file in other.files.values()
        }
        yield Attempted(ended.logical, ended.footprint, snapshot, tuple(files.values()))
