"""REORG TABLE t [WHERE ...] APPLY (PURGE): removes deleted rows and dropped columns from files."""

from __future__ import annotations

from dataclasses import dataclass

from model.expressions.syntax import Expression
from model.physical.files import Cube, DataFile
from model.physical.log import Snapshot
from model.physical.skipping import scan, split
from model.statements.base import Execution, LeavesRows, Rows, live_files
from model.statements.maintenance.rearrange import rearrange, to_cluster
from model.tables.table import Table


@dataclass(frozen=True, slots=True)
class Reorg(LeavesRows):
    """Rewrites the files that have a deletion vector or a column that the table dropped.

    Otherwise it is an OPTIMIZE of those files (N59). ``condition`` mentions partition columns
    only.
    """

    text: str
    table: Table
    condition: Expression

    files_only = True

    @property
    def kind(self) -> str:
        return "REORG"

    def execute(self, snapshot: Snapshot, writer: str, others: Rows) -> Execution:
        predicate = split(self.condition, self.table)
        files = scan(predicate, live_files(snapshot), self.table)
        chosen = [file for file in files if self._purgeable(file)]
        cube = None
        if self.table.clustering:
            chosen = to_cluster(self.table, chosen)
            cube = Cube(writer, self.table.clustering)
        return rearrange("REORG", self.table, writer, predicate, chosen, cube)

    def _purgeable(self, file: DataFile) -> bool:
        return file.vector is not None or not set(file.schema) <= set(self.table.schema)
