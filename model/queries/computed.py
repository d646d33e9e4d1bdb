"""Relations computed from another one: WHERE, outputs and groups over it, and DISTINCT."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from model.history import PredicateRead
from model.queries.relation import Branches, Inputs, Relation, flat
from model.values.types import ColumnType
from model.values.unknown import any_unknown

if TYPE_CHECKING:
    from model.queries.query import Query


@dataclass(frozen=True)
class Computed:
    """A query over the rows of a relation; the query's own table is ignored."""

    source: Relation
    query: Query

    @cached_property
    def types(self) -> tuple[ColumnType, ...]:
        """The types of the outputs."""
        return tuple(output.type for output in self.query.outputs)

    @property
    def scans(self) -> tuple[Query, ...]:
        """The scans of the source."""
        return self.source.scans

    def branches(self, inputs: Inputs) -> Branches:
        """Row by row within each task; a group takes one task. Raises StatementFailure."""
        given = self.source.branches(inputs)
        if self.query.aggregates or self.query.groups:
            given = (flat(given),)
        return tuple(self.query.result(self.query.matching(branch)) for branch in given)

    def reads(self, inputs: Inputs) -> tuple[PredicateRead, ...]:
        """The reads of the source."""
        return self.source.reads(inputs)


@dataclass(frozen=True)
class Distinct:
    """DISTINCT: every different row once."""

    source: Relation

    @property
    def types(self) -> tuple[ColumnType, ...]:
        """The types of the source."""
        return self.source.types

    @property
    def scans(self) -> tuple[Query, ...]:
        """The scans of the source."""
        return self.source.scans

    def branches(self, inputs: Inputs) -> Branches:
        """The distinct rows, from one task. Raises StatementFailure."""
        rows = flat(self.source.branches(inputs))
        for row in rows:
            if (value := any_unknown(row)) is not None:
                value.needed()
        return (tuple(dict.fromkeys(rows)),)

    def reads(self, inputs: Inputs) -> tuple[PredicateRead, ...]:
        """The reads of the source."""
        return self.source.reads(inputs)
