"""UNION ALL: the rows of several relations, each produced by its own tasks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from model.history import PredicateRead, Row
from model.queries.relation import Branches, Inputs, Relation
from model.values import types
from model.values.types import ColumnType

if TYPE_CHECKING:
    from model.queries.query import Query


@dataclass(frozen=True)
class Union:
    """The rows of the parts, converted to the types of the union."""

    types: tuple[ColumnType, ...]
    parts: tuple[Relation, ...]

    @cached_property
    def scans(self) -> tuple[Query, ...]:
        """The scans of the parts, in their order."""
        return tuple(scan for part in self.parts for scan in part.scans)

    def branches(self, inputs: Inputs) -> Branches:
        """The branches of the parts. Raises StatementFailure."""
        return tuple(
            tuple(map(self._widened, branch))
            for part, given in self._split(inputs)
            for branch in part.branches(given)
        )

    def reads(self, inputs: Inputs) -> tuple[PredicateRead, ...]:
        """The reads of the parts."""
        return tuple(read for part, given in self._split(inputs) for read in part.reads(given))

    def _split(self, inputs: Inputs) -> Iterator[tuple[Relation, Inputs]]:
        start = 0
        for part in self.parts:
            yield part, inputs[start : start + len(part.scans)]
            start += len(part.scans)

    def _widened(self, row: Row) -> Row:
        return tuple(
            types.widen(value, type_) for value, type_ in zip(row, self.types, strict=True)
        )
