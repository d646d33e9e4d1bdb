"""Statements that change a table's definition in several commits of their own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from model.physical.definition_change import metadata_change, protocol_change
from model.physical.footprint import Footprint
from model.physical.log import Snapshot
from model.statements.base import Execution, LeavesRows, Rows
from model.tables.table import Table


class Stage(Protocol):
    """One commit of several, as a function of the snapshot that it finds."""

    def __call__(self, snapshot: Snapshot, writer: str) -> Footprint | None:
        """Its footprint, None where nothing is to be done. Raises StatementFailure."""
        ...

    def after(self, table: Table) -> Table:
        """The definition that it makes of another one, which may be the same."""
        ...


class KeepsDefinition:
    """A stage that does not touch the definition."""

    __slots__ = ()

    def after(self, table: Table) -> Table:
        return table


@dataclass(frozen=True, slots=True)
class SeveralCommits(LeavesRows):
    """Goes through ``stages``, each on the version that the one before it has left.

    Only the first commit meets the winners of others: those after it follow at once. The rows
    stay what they are.
    """

    text: str
    table: Table
    stages: tuple[Stage, ...]

    @property
    def kind(self) -> str:
        return "ALTER TABLE"

    def definitions(self) -> tuple[Table, ...]:
        found = [self.table]
        for stage in self.stages:
            found.append(stage.after(found[-1]))
        return tuple(dict.fromkeys(found[1:]))

    def execute(self, snapshot: Snapshot, writer: str, others: Rows) -> Execution:
        for place, stage in enumerate(self.stages, 1):
            footprint = stage(snapshot, writer)
            if footprint is not None:
                # Each stage names its files apart: no two of them have the same writer.
                then = (
                    partial(later, writer=f"{writer}-{number}")
                    for number, later in enumerate(self.stages[place:], place)
                )
                return Execution(footprint, then=tuple(then))
        return Execution(Footprint("ALTER TABLE"))


@dataclass(frozen=True, slots=True)
class ChangeDefinition:
    """Makes another definition of the one that it finds, in a commit called ``operation``."""

    operation: str
    change: Callable[[Table], Table]

    def __call__(self, snapshot: Snapshot, writer: str) -> Footprint | None:
        table = snapshot.table
        after = self.after(table)
        return Footprint(
            self.operation,
            data_changed=False,
            metadata=metadata_change(table, after),
            protocol=protocol_change(table, after),
            table=after,
        )

    def after(self, table: Table) -> Table:
        return self.change(table)
