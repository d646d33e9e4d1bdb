"""Rows that stand in the statement: VALUES, and SELECT without FROM."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from model.history import PredicateRead, Row
from model.relations.base import Branches, Inputs
from model.types import ColumnType

if TYPE_CHECKING:
    from model.query import Query


@dataclass(frozen=True)
class Constants:
    """Constant rows, made by one task."""

    types: tuple[ColumnType, ...]
    rows: tuple[Row, ...]

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
