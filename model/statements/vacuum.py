"""VACUUM t [RETAIN n HOURS] [DRY RUN]: files that no version of late needs leave the storage."""

from __future__ import annotations

from dataclasses import dataclass

from model.errors import StatementFailure
from model.footprint import Footprint
from model.history import PredicateRead, Row, SerialResult
from model.log import Snapshot
from model.statements.base import Execution, Rows
from model.table import Table

START = Footprint("VACUUM START", data_changed=False, records_always=True)
END = Footprint("VACUUM END", data_changed=False, records_always=True)
NOTHING = Footprint("VACUUM", data_changed=False)


@dataclass(frozen=True, slots=True)
class Vacuum:
    """Takes files off the storage, and says so in the log twice, before it and after it.

    Neither commit has an action, so nobody conflicts with it; its own first commit does with a
    change of the table's metadata or protocol. What it retains is longer than any scenario
    takes, so no snapshot loses a file. A ``dry`` run writes no version; one that would retain
    a ``too_short`` time fails (VacuumCommand.scala, ``gc``; N26).
    """

    text: str
    table: Table
    dry: bool = False
    too_short: bool = False

    @property
    def kind(self) -> str:
        return "VACUUM"

    @property
    def predicate_reads(self) -> tuple[PredicateRead, ...]:
        return ()

    def execute(self, snapshot: Snapshot, writer: str, others: Rows) -> Execution:
        self._check()
        return Execution(NOTHING) if self.dry else Execution(START, then=(END,))

    def _check(self) -> None:
        if self.too_short:
            raise StatementFailure(
                "DELTA_VACUUM_RETENTION_PERIOD_TOO_SHORT", "RETAIN 0 HOURS is forbidden"
            )

    def effect(self, row: Row, tables: Rows) -> Row | None:
        return row

    def rerun(self, tables: Rows) -> SerialResult:
        self._check()
        return SerialResult((), tables)
