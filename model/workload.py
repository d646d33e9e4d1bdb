"""A scenario ready to run: its tables, and its statements for any definition of the target."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import compress

from model.history import Row, RowId, SerialResult, Transaction
from model.listing import listed
from model.physical.log import Snapshot
from model.scenario import TARGET
from model.sql import OpaquePart, understood, understood_strictly
from model.statements import Statement
from model.statements.base import check_places
from model.tables.table import Table

__all__ = ["TARGET", "Workload", "initial_rows"]


@dataclass(frozen=True, slots=True, eq=False)
class Workload:
    """Everything a run needs besides a profile and a schedule.

    ``base`` is the snapshot that the set-up leaves behind, ``table`` the target's definition
    there; ``statements`` are the transactions' statements as resolved for it, or, where that
    fails, for a definition that another transaction of the scenario makes. ``tables`` and
    ``others`` have the definitions and the rows of the other tables. No transaction of the
    workload writes them; where others do, ``others_at`` has the rows that a transaction finds in
    them when it begins, by its name. ``meaning`` is the profile's. ``opaque`` are the parts that
    the model cannot evaluate, by transaction; there are none unless the workload
    ``accepts_opaque`` ones.
    """

    table: Table
    base: Snapshot
    statements: Mapping[str, Statement]
    others: Mapping[str, tuple[Row, ...]]
    level: str
    tables: Mapping[str, Table] = field(default_factory=dict)
    meaning: Callable[[Statement], Statement] | None = None
    opaque: tuple[tuple[str, OpaquePart], ...] = ()
    accepts_opaque: bool = False
    others_at: Mapping[str, Mapping[str, tuple[Row, ...]]] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<Workload on {self.table.name} at {self.level}: {listed(self.statements)}>"

    def others_of(self, name: str) -> Mapping[str, tuple[Row, ...]]:
        """The rows of the other tables as a transaction reads them."""
        return self.others_at.get(name, self.others)

    def bound(self, transaction: Transaction) -> Transaction:
        """The transaction, whose run alone finds other tables as they were when it began.

        Its reads of those are no longer reads: no transaction of this workload can change them.
        """
        alone, others = transaction.rerun, self.others_at.get(transaction.name)
        if alone is None or others is None:
            return transaction
        target = self.table.name
        own = [read.table == target for read in transaction.predicate_reads]

        def rerun(tables: Mapping[str, tuple[Row, ...]]) -> SerialResult:
            result = alone({**tables, **others})
            return SerialResult(
                tuple(compress(result.reads, own)),
                {**tables, target: result.tables[target]},
                result.failed,
            )

        reads = tuple(compress(transaction.predicate_reads, own))
        return replace(transaction, predicate_reads=reads, rerun=rerun)

    def statement(self, name: str, table: Table) -> Statement:
        """A transaction's statement, resolved for a definition of the target.

        Raises InvalidScenario where it is wrong for that definition.
        """
        ready = self.statements[name]
        if ready.table == table:
            return ready
        read = understood if self.accepts_opaque else understood_strictly
        known = {**self.tables, table.name: table}
        statement = check_places(read(ready.text, table.name, known).statement)
        return statement if self.meaning is None else self.meaning(statement)


def initial_rows(workload: Workload) -> dict[str, dict[RowId, Row]]:
    """The rows of every table before the first transaction, with their identity."""
    initial = {workload.table.name: {row.row: row.values for row in workload.base.stored()}}
    for name, rows in workload.others.items():
        initial[name] = {(f"setup of {name}", i): row for i, row in enumerate(rows)}
    return initial
