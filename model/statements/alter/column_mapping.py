"""The removal of column mapping: every file is rewritten under the columns' own names."""

from __future__ import annotations

from dataclasses import dataclass

from model.physical.definition_change import metadata_change
from model.physical.files import write_files
from model.physical.footprint import Footprint, ReadPredicate
from model.physical.log import Snapshot
from model.statements.base import live_files
from model.tables.table import Table

MAPPING = "delta.columnMapping.mode"


@dataclass(frozen=True, slots=True)
class RemoveMapping:
    """Rewrites the table; the property becomes ``none``, or is removed if ``unset`` is True.

    No row changes, but unlike OPTIMIZE the commit holds metadata, and does not start over after
    a conflict (RemoveColumnMappingCommand.scala). A table without column mapping is rewritten
    as well, unless ``only_mapped`` is True.
    """

    unset: bool = False
    only_mapped: bool = False

    def __call__(self, snapshot: Snapshot, writer: str) -> Footprint | None:
        table = snapshot.table
        if self.only_mapped and not table.column_mapping:
            return None
        after = self.after(table)
        files = live_files(snapshot)
        return Footprint(
            "REMOVE COLUMN MAPPING",
            read_predicates=(ReadPredicate(),),
            read_files=files,
            adds=write_files(writer, after, snapshot.stored()),
            removes=files,
            data_changed=False,
            metadata=metadata_change(table, after),
            table=after,
        )

    def after(self, table: Table) -> Table:
        if self.only_mapped and not table.column_mapping:
            return table
        if self.unset:
            return table.with_properties({}, (MAPPING,))
        return table.with_properties({MAPPING: "none"})
