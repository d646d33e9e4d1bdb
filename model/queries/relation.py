"""The face of all relations: the scans that they read, and their rows once those are known."""

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
"""Rows, by the task of the engine that produces them: each task writes files of its own."""


class Relation(Protocol):
    """Rows that are computed from scans of tables.

    ``types`` are those of its columns, ``scans`` the scans that it needs: queries over one table
    each, of which table and condition count here.
    """

    @property
    def types(self) -> tuple[ColumnType, ...]: ...

    @property
    def scans(self) -> tuple[Query, ...]: ...

    def branches(self, inputs: Inputs) -> Branches:
        """The rows, from those that the scans gave. Raises StatementFailure."""
        ...

    def reads(self, inputs: Inputs) -> tuple[PredicateRead, ...]:
        """For each scan the rows of its table that make a difference, as a predicate.

        It may depend on the contents of other tables, never on those of the scan's own.
        """
        ...


def flat(branches: Branches) -> tuple[Row, ...]:
    """The rows of all tasks."""
    return tuple(row for branch in branches for row in branch)


def scan_reads(relation: Relation) -> tuple[PredicateRead, ...]:
    """For each scan the rows that meet its condition, whatever becomes of them."""
    return tuple(scan.predicate_read for scan in relation.scans)


def alone(
    relation: Relation, tables: Mapping[str, tuple[Row, ...]]
) -> tuple[Branches, tuple[PredicateRead, ...]]:
    """The rows over tables as they are given, and what was read. Raises StatementFailure."""
    inputs = [scan.matching(tables[scan.table]) for scan in relation.scans]
    return relation.branches(inputs), relation.reads(inputs)
