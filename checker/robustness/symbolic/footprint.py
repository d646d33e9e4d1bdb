"""The accesses of one run of a job: its reads, overwrites and additions as formulas over rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import z3

from checker.robustness.jobs.widening import Outline
from checker.robustness.symbolic.expressions import Cell, SymbolicRow, fresh_row
from model.values.types import ColumnType

NO, YES = z3.BoolVal(False), z3.BoolVal(True)

Condition = Callable[[SymbolicRow], Any]
"""From a row of the table to a formula."""


@dataclass(frozen=True, slots=True)
class Addition:
    """A row that a run adds, under a condition; ``origin`` is the row that it was, if any.

    With ``many`` it stands for any number of rows.
    """

    when: Any
    row: SymbolicRow
    origin: SymbolicRow | None = None
    many: bool = False


Additions = Callable[[SymbolicRow | None], Sequence[Addition]]
"""The rows that a run adds because it read the given row; without one, whatever it read."""


def _none(row: SymbolicRow | None) -> Sequence[Addition]:
    return ()


Derived = Callable[[str, SymbolicRow], Sequence[Addition]]
"""The rows that a run adds because another table, which no job writes, has the given row."""


@dataclass(frozen=True, slots=True)
class Access:
    """One run of a job.

    ``reads`` and ``removes`` say of a row whether the run may read it, and change it or take it
    out; ``covers`` whether it reads it for certain, where it is there, so that its footprint
    covers the row's partition. ``adds`` are the rows that it may add, changed ones as they are
    afterwards. ``surely_adds`` gives those that it adds for certain, ``surely_derives`` those that
    it adds for certain because of a row of another table, and ``sources`` are the rows of other
    tables, with their names, that ``adds`` come from. ``takes`` says of a row whether the run
    changes it or takes it out for certain, where it is there, so that its file is removed;
    ``takes_what_it_reads`` says that it does so with every row that it reads. ``blind`` says that
    it may count as a blind append, ``only_blind`` that it always does, ``blind_adds`` what it adds
    as one, if that is less than ``adds``; ``reader`` that it may write no version and be a reader,
    ``writer`` that it may write one; ``alone`` that it fails after any winner. ``needs`` are rows
    of any table, with its name, that let it add what it adds; only searches look at them.
    """

    kind: str
    reads: Condition = lambda row: NO
    covers: Condition = lambda row: NO
    removes: Condition = lambda row: NO
    adds: tuple[Addition, ...] = ()
    surely_adds: Additions = _none
    surely_derives: Derived = lambda table, row: ()
    sources: tuple[tuple[str, SymbolicRow], ...] = ()
    takes: Condition = lambda row: NO
    takes_what_it_reads: bool = False
    blind: bool = False
    only_blind: bool = False
    blind_adds: tuple[Addition, ...] | None = None
    reader: bool = False
    writer: bool = True
    alone: bool = False
    needs: tuple[tuple[str, SymbolicRow], ...] = ()
    parameters: dict[str, Cell] = field(default_factory=dict)

    @property
    def appended(self) -> tuple[Addition, ...]:
        """The rows that it may add as a blind append."""
        return self.adds if self.blind_adds is None else self.blind_adds


def anything(kind: str, types: tuple[ColumnType, ...]) -> Access:
    """A run about which only the kind of its statement is known."""
    reader = kind == "SELECT"
    if reader:
        return Access(kind, reads=lambda row: YES, reader=True, writer=False)
    return Access(
        kind,
        reads=lambda row: YES,
        removes=lambda row: YES,
        adds=(Addition(YES, fresh_row(types), many=True),),
        blind=kind in ("INSERT", "INSERT SELECT"),
        reader=True,
    )


def outlined(outline: Outline, types: tuple[ColumnType, ...]) -> Access:
    """A run that may do all that the outline allows, and does nothing for certain."""
    if not outline.writes:
        return Access(outline.kind, reads=lambda row: YES, reader=True, writer=False)
    any_row = Addition(YES, fresh_row(types), many=True)
    return Access(
        outline.kind,
        reads=_whether(outline.reads),
        removes=_whether(outline.removes),
        adds=(any_row,) if outline.adds else (),
        blind=outline.blind,
        only_blind=outline.blind and not outline.reads,
        reader=outline.reads,
    )


def _whether(any_row: bool) -> Condition:
    return lambda row: YES if any_row else NO
