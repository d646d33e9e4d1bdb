"""The interface of all relations: the scans they read, and the rows computed from those."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from model.history import PredicateRead, Row
from model.values.types import ColumnType

if TYPE_CHECKING:
    from model.queries.query import Query

Inputs = Sequence[Sequence[Row]]
"""The matching rows of each scan, in the order of the scans."""

Branches = tuple[tuple[Row, ...], ...]
"""Rows, grouped by the engine task that produces them: each task writes files of its own."""


class Relation(Protocol):
    """Rows that are computed from scans of tables.

    ``types`` are the types of its columns, ``scans`` the scans that it needs: queries over one
    table each, of which only table and condition matter here.
    """

    @property
    def types(self) -> tuple[ColumnType, ...]: ...

    @property
    def scans(self) -> tuple[Query, ...]: ...

    def branches(self, inputs: Inputs) -> Branches:
        """The rows, computed from those of the scans. Raises StatementFailure."""
        ...

    def reads(self, inputs: Inputs) -> tuple[PredicateRead, ...]:
        """For each scan the rows of its table that make a difference, as a predicate.

        The predicate may depend on the contents of other tables, never on the scan's own table.
        """
        ...


def flat(branches: Branches) -> tuple[Row, ...]:
    """The rows of all tasks."""
    return tuple(row for branch in branches for row in branch)


def scan_reads(relation: Relation) -> tuple[PredicateRead, ...]:
    """For each scan the rows that meet its condition, whether or not they make a difference."""
    return tuple(scan.predicate_read for scan in relation.scans)


def alone(
    relation: Relation, tables: Mapping[str, tuple[Row, ...]]
) -> tuple[Branches, tuple[PredicateRead, ...]]:
    """The rows over the given tables, and the reads. Raises StatementFailure."""
    inputs = [scan.matching(tables[scan.table]) for scan in relation.scans]
    return relation.branches(inputs), relation.reads(inputs)
