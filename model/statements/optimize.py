"""OPTIMIZE t [WHERE ...]: compaction. Rows move between files and stay what they are."""

from __future__ import annotations

from dataclasses import dataclass

from model.expressions import Expression
from model.files import DataFile, write_files
from model.footprint import Footprint
from model.history import PredicateRead, Row, SerialResult, Value
from model.log import Snapshot
from model.skipping import scan, split
from model.statements.base import Execution, Rows, live_files
from model.table import Table


@dataclass(frozen=True, slots=True)
class Optimize:
    """Merges the files of each partition that has more than one.

    ``condition`` mentions partition columns only. Logically it reads and writes nothing, so
    no level can object to it; physically it replaces files, so rules can.
    """

    text: str
    table: Table
    condition: Expression

    @property
    def kind(self) -> str:
        return "OPTIMIZE"

    @property
    def predicate_reads(self) -> tuple[PredicateRead, ...]:
        return ()

    def execute(self, snapshot: Snapshot, writer: str, others: Rows) -> Execution:
        predicate = split(self.condition, self.table)
        by_partition: dict[tuple[Value, ...], list[DataFile]] = {}
        for file in scan(predicate, live_files(snapshot), self.table):
            by_partition.setdefault(file.partition, []).append(file)
        merged = [file for group in by_partition.values() if len(group) > 1 for file in group]
        footprint = Footprint(
            "OPTIMIZE",
            read_predicates=(predicate,),
            read_files=tuple(merged),
            adds=write_files(writer, self.table, (row for file in merged for row in file.rows)),
            removes=tuple(merged),
            data_changed=False,
            retries=True,
        )
        return Execution(footprint)

    def effect(self, row: Row, tables: Rows) -> Row | None:
        return row

    def rerun(self, tables: Rows) -> SerialResult:
        return SerialResult((), tables)
