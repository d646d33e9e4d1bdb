"""OPTIMIZE t [FULL] [WHERE ...] [ZORDER BY ...]: moves rows between files, and changes none."""

from __future__ import annotations

from dataclasses import dataclass

from model.expressions.syntax import Expression
from model.physical.files import Cube, DataFile
from model.physical.log import Snapshot
from model.physical.skipping import scan, split
from model.statements.base import Execution, LeavesRows, Rows, live_files
from model.statements.maintenance.rearrange import by_partition, rearrange, to_cluster
from model.tables.table import Table


@dataclass(frozen=True, slots=True)
class Optimize(LeavesRows):
    """Merges the files of each partition that has more than one.

    With ``zorder``, the places of ZORDER BY, every file is rewritten, even a single one. In a
    clustered table it clusters the files that are not clustered yet, together with those that are.
    ``condition`` mentions partition columns only. Logically it reads and writes nothing, so
    no level can object to it; physically it replaces files, so rules can.
    """

    text: str
    table: Table
    condition: Expression
    zorder: tuple[int, ...] = ()
    full: bool = False

    files_only = True

    @property
    def kind(self) -> str:
        return "OPTIMIZE"

    def execute(self, snapshot: Snapshot, writer: str, others: Rows) -> Execution:
        predicate = split(self.condition, self.table)
        files = scan(predicate, live_files(snapshot), self.table)
        cube = Cube(writer, self.table.clustering) if self.table.clustering else None
        return rearrange("OPTIMIZE", self.table, writer, predicate, self._chosen(files), cube)

    def _chosen(self, files: tuple[DataFile, ...]) -> list[DataFile]:
        if self.table.clustering:
            return to_cluster(self.table, files, self.full)
        groups = by_partition(files).values()
        return [file for group in groups if self.zorder or len(group) > 1 for file in group]
