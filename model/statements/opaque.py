"""A statement that the model cannot evaluate: it can read and change any row of its table."""

from __future__ import annotations

from dataclasses import dataclass

from model.errors import NotPredicted
from model.expressions.syntax import TRUE
from model.history import PredicateRead, Row, SerialResult
from model.physical.log import Snapshot
from model.statements.base import Execution, Rows, Statement
from model.statements.overwrite import predicate_read
from model.tables.table import Table


@dataclass(frozen=True, slots=True)
class OpaqueStatement(Statement):
    """A statement of some ``kind``; ``because`` says which part of it is not understood.

    ``redefines`` tells that it may change the definition of its table.
    """

    text: str
    table: Table
    kind: str
    because: str
    redefines: bool = False

    @property
    def changes_definition(self) -> bool:
        return self.redefines

    @property
    def predicate_reads(self) -> tuple[PredicateRead, ...]:
        return (predicate_read(self.table, TRUE),)

    def execute(self, snapshot: Snapshot, writer: str, others: Rows) -> Execution:
        raise NotPredicted(self.text, self.because)

    def effect(self, row: Row, tables: Rows) -> Row | None:
        raise NotPredicted(self.text, self.because)

    def rerun(self, tables: Rows) -> SerialResult:
        raise NotPredicted(self.text, self.because)
