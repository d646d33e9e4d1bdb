"""ALTER TABLE ... DROP FEATURE: the table is rid of a feature, then the protocol of its name.

Source: alterDeltaTableCommands.scala, ``AlterTableDropFeatureDeltaCommand``, and
PreDowngradeTableFeatureCommand.scala; every stage was replayed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from model.definition_change import metadata_change, protocol_change
from model.errors import StatementFailure
from model.files import DataFile
from model.footprint import Footprint
from model.log import Snapshot
from model.protocol import ENABLING
from model.statements.base import live_files
from model.statements.rearrange import purge
from model.table import Table

CHECKPOINT_PROTECTION = "checkpointProtection"
PROTECTED_VERSION = "delta.requireCheckpointProtectionBeforeVersion"
CHECKPOINTS = 3
"""How many empty commits, each with a checkpoint, keep readers from the history before them."""

EMPTY_COMMIT = Footprint("Empty Commit", data_changed=False, records_always=True)


@dataclass(frozen=True, slots=True)
class Disable:
    """Takes back the properties that enable a feature, if one of them is on."""

    feature: str
    operation: str
    instead: tuple[tuple[str, str], ...] = ()

    def __call__(self, snapshot: Snapshot, writer: str) -> Footprint | None:
        table = snapshot.table
        key, value = ENABLING[self.feature]
        if table.declared(key) != value:
            return None
        after = table.with_properties(dict(self.instead), () if self.instead else (key,))
        return _definition_change(self.operation, table, after)


@dataclass(frozen=True, slots=True)
class Purge:
    """Writes the files anew that have a deletion vector."""

    def __call__(self, snapshot: Snapshot, writer: str) -> Footprint | None:
        marked = [file for file in live_files(snapshot) if file.vector is not None]
        return purge(snapshot.table, writer, marked) if marked else None


@dataclass(frozen=True, slots=True)
class Tombstones:
    """Records that the deletion vectors of files that are gone may go as well."""

    def __call__(self, snapshot: Snapshot, writer: str) -> Footprint | None:
        return Footprint(
            "Deletion Vector Tombstones",
            removes=gone_with_vectors(snapshot),
            data_changed=False,
            records_always=True,
        )


@dataclass(frozen=True, slots=True)
class EmptyCommit:
    """A version without actions, for a checkpoint."""

    def __call__(self, snapshot: Snapshot, writer: str) -> Footprint | None:
        return EMPTY_COMMIT


@dataclass(frozen=True, slots=True)
class DropFeature:
    """Takes the feature out of the protocol; ``protect`` adds the one that keeps checkpoints."""

    feature: str
    protect: bool
    unset: frozenset[str] = frozenset()

    def __call__(self, snapshot: Snapshot, writer: str) -> Footprint | None:
        table = snapshot.table
        after = table.with_properties({}, self.unset)
        features = table.features - {self.feature}
        if self.protect:
            features |= {CHECKPOINT_PROTECTION}
            after = after.with_properties({PROTECTED_VERSION: str(snapshot.version + 1)})
        return _definition_change("DROP FEATURE", table, replace(after, features=features))


@dataclass(frozen=True, slots=True)
class Fails:
    """The end of a statement that has prepared the table, and cannot go on yet."""

    error_class: str
    message: str

    def __call__(self, snapshot: Snapshot, writer: str) -> Footprint | None:
        raise StatementFailure(self.error_class, self.message)


def gone_with_vectors(snapshot: Snapshot) -> tuple[DataFile, ...]:
    """The files that are gone and had a deletion vector, each as often as it had another one."""
    found: dict[str, DataFile] = {}
    walker: Snapshot | None = snapshot
    while walker is not None:
        if walker.commit is not None:
            for file in walker.commit.footprint.removes:
                if file.vector is not None and file.key not in snapshot.files:
                    found[file.key] = file
        walker = walker.parent
    return tuple(found.values())


def _definition_change(operation: str, before: Table, after: Table) -> Footprint:
    return Footprint(
        operation,
        data_changed=False,
        metadata=metadata_change(before, after),
        protocol=protocol_change(before, after),
        table=after,
    )
