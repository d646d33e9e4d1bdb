"""VACUUM: deletes files from storage that the table does not need any more."""

from __future__ import annotations

from dataclasses import dataclass, replace

from model.errors import StatementFailure
from model.history import SerialResult
from model.physical.footprint import Footprint
from model.physical.log import Snapshot
from model.statements.base import Execution, LeavesRows, Rows
from model.tables.table import Table

START = Footprint("VACUUM START", data_changed=False, records_always=True)
_START = {
    "nothing": START,
    "removed files": replace(START, frees="removed files"),
    "all files": replace(START, frees="all files"),
}
END = Footprint("VACUUM END", data_changed=False, records_always=True)
NOTHING = Footprint("VACUUM", data_changed=False)


def _end(snapshot: Snapshot) -> Footprint:
    return END


@dataclass(frozen=True, slots=True)
class Vacuum(LeavesRows):
    """Deletes files from storage, and records that in the log before and after.

    Neither commit has an action, so no other transaction conflicts with it; its own first commit
    conflicts with a change of the table's metadata or protocol. The default retention is longer
    than any scenario takes, so no snapshot loses a file; if nothing is retained, ``frees`` says
    which files are deleted (:mod:`model.physical.storage`). A ``dry`` run writes no version; one
    whose retention is ``too_short`` fails (VacuumCommand.scala, ``gc``; N26).
    """

    text: str
    table: Table
    dry: bool = False
    too_short: bool = False
    frees: str = "nothing"

    files_only = True

    @property
    def kind(self) -> str:
        return "VACUUM"

    @property
    def fails(self) -> bool:
        return self.too_short

    def execute(self, snapshot: Snapshot, writer: str, others: Rows) -> Execution:
        self._check()
        if self.dry:
            return Execution(NOTHING)
        return Execution(_START[self.frees], then=(_end,))

    def _check(self) -> None:
        if self.too_short:
            raise StatementFailure(
                "DELTA_VACUUM_RETENTION_PERIOD_TOO_SHORT", "RETAIN 0 HOURS is forbidden"
            )

    def rerun(self, tables: Rows) -> SerialResult:
        self._check()
        return SerialResult((), tables)
