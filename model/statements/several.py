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
    """One commit of several, as a function of the snapshot that it starts from."""

    def __call__(self, snapshot: Snapshot, writer: str) -> Footprint | None:
        """Its footprint; None if there is nothing to do. Raises StatementFailure."""
        ...

    def after(self, table: Table) -> Table:
        """The definition that it turns the given one into, possibly the same one."""
        ...


class KeepsDefinition:
    """A stage that does not touch the definition."""

    __slots__ = ()

    def after(self, table: Table) -> Table:
        return table


@dataclass(frozen=True, slots=True)
class SeveralCommits(LeavesRows):
    """Runs ``stages`` in order, each on the version that the one before it committed.

    Only the first commit is checked against winners: the others follow it at once. No row
    changes.
    """

    text: str
    table: Table
    stages: tuple[Stage, ...]

    @property
    def kind(self) -> str:
        return "ALTER TABLE"

    def definitions(self) -> tuple[Table, ...]:
        definitions = [self.table]
        for stage in self.stages:
            definitions.append(stage.after(definitions[-1]))
        return tuple(dict.fromkeys(definitions[1:]))

    def execute(self, snapshot: Snapshot, writer: str, others: Rows) -> Execution:
        for place, stage in enumerate(self.stages, 1):
            footprint = stage(snapshot, writer)
            if footprint is not None:
                # Every stage has a writer of its own, so that file names do not clash.
                then = (
                    partial(later, writer=f"{writer}-{number}")
                    for number, later in enumerate(self.stages[place:], place)
                )
                return Execution(footprint, then=tuple(then))
        return Execution(Footprint("ALTER TABLE"))


@dataclass(frozen=True, slots=True)
class ChangeDefinition:
    """Changes the definition that is in force, in a commit called ``operation``."""

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
