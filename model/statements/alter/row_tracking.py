"""Row tracking: the commits that give a table's files their row ids.

Source: RowTrackingBackfillCommand.scala, RowTrackingFeature; every stage was replayed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from model.physical.definition_change import metadata_change, protocol_change
from model.physical.files import DataFile
from model.physical.footprint import Footprint
from model.physical.log import Snapshot
from model.statements.base import live_files
from model.statements.several import KeepsDefinition
from model.tables.protocol import with_required
from model.tables.table import Table

ROW_TRACKING = "rowTracking"
ENABLED, SUSPENDED = "delta.enableRowTracking", "delta.rowTrackingSuspended"


@dataclass(frozen=True, slots=True)
class UpgradeProtocol:
    """Adds a feature and the features that it depends on, in a commit of its own."""

    feature: str

    def __call__(self, snapshot: Snapshot, writer: str) -> Footprint | None:
        table = snapshot.table
        after = self.after(table)
        change = protocol_change(table, after)
        if change is None:
            return None
        return Footprint("UPGRADE PROTOCOL", data_changed=False, protocol=change, table=after)

    def after(self, table: Table) -> Table:
        return replace(table, features=table.features | with_required({self.feature}))


@dataclass(frozen=True, slots=True)
class Backfill(KeepsDefinition):
    """Adds the files without row ids again, with row ids."""

    def __call__(self, snapshot: Snapshot, writer: str) -> Footprint | None:
        files = without_row_ids(snapshot)
        if not files:
            return None
        return Footprint(
            "ROW TRACKING BACKFILL",
            read_files=files,
            adds=files,
            data_changed=False,
            restates=True,
        )


@dataclass(frozen=True, slots=True)
class Suspend:
    """Disables row tracking, and keeps new files from getting row ids."""

    def __call__(self, snapshot: Snapshot, writer: str) -> Footprint | None:
        table = snapshot.table
        after = self.after(table)
        return Footprint(
            "SET TBLPROPERTIES",
            data_changed=False,
            metadata=metadata_change(table, after),
            table=after,
        )

    def after(self, table: Table) -> Table:
        return table.with_properties({ENABLED: "false", SUSPENDED: "true"})


@dataclass(frozen=True, slots=True)
class Unbackfill(KeepsDefinition):
    """Adds the files with row ids again, without them."""

    def __call__(self, snapshot: Snapshot, writer: str) -> Footprint | None:
        without = {file.path for file in without_row_ids(snapshot)}
        files = tuple(file for file in live_files(snapshot) if file.path not in without)
        if not files:
            return None
        return Footprint(
            "ROW TRACKING UNBACKFILL",
            read_files=files,
            adds=files,
            data_changed=False,
            restates=True,
        )


def without_row_ids(snapshot: Snapshot) -> tuple[DataFile, ...]:
    """The live files that no commit has added since the table has had the feature.

    Every commit gives row ids to the files that it adds once the feature is there.
    """
    added: set[str] = set()
    walker: Snapshot | None = snapshot
    while walker is not None and ROW_TRACKING in walker.table.features:
        if walker.parent is None:
            return ()
        if walker.commit is not None:
            added |= {file.path for file in walker.commit.footprint.adds}
        walker = walker.parent
    return tuple(file for file in snapshot.files.values() if file.path not in added)
