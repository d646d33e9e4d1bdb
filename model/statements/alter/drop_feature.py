"""ALTER TABLE ... DROP FEATURE: removes a feature's traces from the table, then the feature.

Source: alterDeltaTableCommands.scala, ``AlterTableDropFeatureDeltaCommand``, and
PreDowngradeTableFeatureCommand.scala; every stage was replayed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from model.errors import StatementFailure
from model.physical.definition_change import metadata_change, protocol_change
from model.physical.files import DataFile
from model.physical.footprint import Footprint, MetadataChange
from model.physical.log import Snapshot
from model.statements.base import live_files
from model.statements.maintenance.rearrange import purge
from model.statements.several import KeepsDefinition
from model.tables.protocol import ENABLING
from model.tables.table import Table

CHECKPOINT_PROTECTION = "checkpointProtection"
PROTECTED_VERSION = "delta.requireCheckpointProtectionBeforeVersion"
TOMBSTONES = "Deletion Vector Tombstones"
CHECKPOINTS = 3
"""The number of empty commits, each with a checkpoint, that hide the history before them."""

EMPTY_COMMIT = Footprint("Empty Commit", data_changed=False, records_always=True)


_FORGET = Footprint(
    "DROP FEATURE", data_changed=False, metadata=MetadataChange(schema_changed=True)
)


@dataclass(frozen=True, slots=True)
class Disable:
    """Resets the properties that enable a feature, if one of them is on."""

    feature: str
    operation: str
    instead: tuple[tuple[str, str], ...] = ()

    def __call__(self, snapshot: Snapshot, writer: str) -> Footprint | None:
        after = self.after(snapshot.table)
        if after is snapshot.table:
            return None
        return _definition_change(self.operation, snapshot.table, after)

    def after(self, table: Table) -> Table:
        key, value = ENABLING[self.feature]
        if table.declared(key) != value:
            return table
        return table.with_properties(dict(self.instead), () if self.instead else (key,))


@dataclass(frozen=True, slots=True)
class Purge(KeepsDefinition):
    """Rewrites the files that have a deletion vector."""

    def __call__(self, snapshot: Snapshot, writer: str) -> Footprint | None:
        marked = [file for file in live_files(snapshot) if file.vector is not None]
        return purge(snapshot.table, writer, marked) if marked else None


@dataclass(frozen=True, slots=True)
class RewriteRetyped(KeepsDefinition):
    """Rewrites the files in which a column has a narrower type than the table's."""

    def __call__(self, snapshot: Snapshot, writer: str) -> Footprint | None:
        files = retyped_files(snapshot)
        return purge(snapshot.table, writer, files) if files else None


@dataclass(frozen=True, slots=True)
class ForgetTypes(KeepsDefinition):
    """Removes the record of earlier column types from the metadata."""

    def __call__(self, snapshot: Snapshot, writer: str) -> Footprint | None:
        before, _ = _before_types_changed(snapshot)
        if before is None or _FORGET in (
            commit.footprint for commit in snapshot.commits_after(before.version)
        ):
            return None
        return _FORGET


@dataclass(frozen=True, slots=True)
class Tombstones(KeepsDefinition):
    """Records that the deletion vectors of removed files may be deleted as well."""

    def __call__(self, snapshot: Snapshot, writer: str) -> Footprint | None:
        return Footprint(
            TOMBSTONES,
            removes=gone_with_vectors(snapshot),
            data_changed=False,
            records_always=True,
        )


@dataclass(frozen=True, slots=True)
class EmptyCommit(KeepsDefinition):
    """A version without actions, for a checkpoint."""

    def __call__(self, snapshot: Snapshot, writer: str) -> Footprint | None:
        return EMPTY_COMMIT


@dataclass(frozen=True, slots=True)
class DropFeature:
    """Removes the feature from the protocol; ``protect`` adds the one that keeps checkpoints."""

    feature: str
    protect: bool
    unset: frozenset[str] = frozenset()

    def __call__(self, snapshot: Snapshot, writer: str) -> Footprint | None:
        after = self.after(snapshot.table, snapshot.version + 1)
        return _definition_change("DROP FEATURE", snapshot.table, after)

    def after(self, table: Table, version: int = 0) -> Table:
        """The definition without the feature; ``version`` is the first without traces of it."""
        after = table.with_properties({}, self.unset)
        features = table.features - {self.feature}
        if self.protect:
            features |= {CHECKPOINT_PROTECTION}
            after = after.with_properties({PROTECTED_VERSION: str(version)})
        return replace(after, features=features)


@dataclass(frozen=True, slots=True)
class HistoryIsClean(KeepsDefinition):
    """Fails if the history has traces of the feature: in the model all of it is still retained.

    Traces that the statement itself has just removed have an error class of their own.
    """

    feature: str

    def __call__(self, snapshot: Snapshot, writer: str) -> Footprint | None:
        if self.feature == CHECKPOINT_PROTECTION:
            if snapshot.table.declared(PROTECTED_VERSION) is not None:
                raise StatementFailure(
                    "DELTA_FEATURE_DROP_CHECKPOINT_PROTECTION_WAIT_FOR_RETENTION_PERIOD",
                    "the history has traces of dropped features",
                )
            return None
        if not self._in_history(snapshot):
            return None
        if self._just_prepared(snapshot):
            raise StatementFailure(
                "DELTA_FEATURE_DROP_WAIT_FOR_RETENTION_PERIOD", f"{self.feature} was used until now"
            )
        raise StatementFailure(
            "DELTA_FEATURE_DROP_HISTORICAL_VERSIONS_EXIST", f"{self.feature} was used once"
        )

    def _in_history(self, snapshot: Snapshot) -> bool:
        if self.feature == "typeWidening":
            return types_changed(snapshot)
        if self.feature not in _LEAVES_TRACES:
            return False
        key, _ = ENABLING[self.feature]
        walker: Snapshot | None = snapshot
        while walker is not None:
            if walker.table.declared(key) in _LEAVES_TRACES[self.feature]:
                return True
            walker = walker.parent
        return False

    def _just_prepared(self, snapshot: Snapshot) -> bool:
        walker: Snapshot | None = snapshot
        while walker is not None and walker.commit is not None:
            if snapshot.commit is None or walker.commit.transaction != snapshot.commit.transaction:
                return False
            if walker.commit.footprint.metadata is not None:
                return True
            walker = walker.parent
        return False


_LEAVES_TRACES: dict[str, tuple[str, ...]] = {
    "columnMapping": ("name", "id"),
    "deletionVectors": ("true",),
    "v2Checkpoint": ("v2",),
}
"""Features whose use shows in the log, with the property values that enable them."""


def gone_with_vectors(snapshot: Snapshot) -> tuple[DataFile, ...]:
    """The removed files that had a deletion vector, once for each vector that they had.

    Files for which this is already recorded are left out.
    """
    gone: dict[str, DataFile] = {}
    walker: Snapshot | None = snapshot
    while walker is not None:
        if walker.commit is not None:
            footprint = walker.commit.footprint
            if footprint.operation == TOMBSTONES:
                break
            for file in footprint.removes:
                if file.vector is not None and file.key not in snapshot.files:
                    gone[file.key] = file
        walker = walker.parent
    return tuple(gone.values())


def types_changed(snapshot: Snapshot) -> bool:
    """Whether a column has had another type."""
    return _before_types_changed(snapshot)[0] is not None


def retyped_files(snapshot: Snapshot) -> tuple[DataFile, ...]:
    """The live files that were written before a column got the type that it has now."""
    before, written = _before_types_changed(snapshot)
    if before is None:
        return ()
    return tuple(file for file in live_files(snapshot) if file.path not in written)


def _before_types_changed(snapshot: Snapshot) -> tuple[Snapshot | None, set[str]]:
    """The last snapshot with other types, and the paths of the files written since."""
    table, written = snapshot.table, set[str]()
    walker: Snapshot | None = snapshot
    while walker is not None:
        earlier = walker.table.types
        if any(earlier[place] != table.types[place] for place in walker.table.schema):
            return walker, written
        if walker.commit is not None and walker.parent is not None:
            there = {file.path for file in walker.parent.files.values()}
            written |= {f.path for f in walker.commit.footprint.adds if f.path not in there}
        walker = walker.parent
    return None, written


def _definition_change(operation: str, before: Table, after: Table) -> Footprint:
    return Footprint(
        operation,
        data_changed=False,
        metadata=metadata_change(before, after),
        protocol=protocol_change(before, after),
        table=after,
    )
