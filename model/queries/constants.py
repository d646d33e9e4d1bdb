"""Rows written out in the statement: VALUES, and SELECT without FROM."""

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
    """Constant rows, produced by one task.

    ``foldable`` is True if the optimizer substitutes the values for references to the columns: it
    does so for those of a SELECT, not for those of VALUES.
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
