"""Rows that stand in the statement: VALUES, and SELECT without FROM."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from model.history import PredicateRead, Row
from model.queries.relation import Branches, Inputs
from model.values.types import ColumnType

if TYPE_CHECKING:
    from model.queries.query import Query


@dataclass(frozen=True)
class Constants:
    """Constant rows, made by one task.

    ``foldable`` tells that the optimizer puts the values where the columns are named: those of a
    SELECT, not those of VALUES.
    """

    types: tuple[ColumnType, ...]
    rows: tuple[Row, ...]
    foldable: bool = False

    @property
    def scans(self) -> tuple[Query, ...]:
        """None."""
        return ()

    def branches(self, inputs: Inputs) -> Branches:
        """The rows."""
        return (self.rows,)

    def reads(self, inputs: Inputs) -> tuple[PredicateRead, ...]:
        """Nothing."""
        return ()
