"""Data skipping: the files that a scan reads, going by partition values and statistics alone.

A file that statistics rule out does not count as read, so skipping decides which removals
conflict.
"""

from __future__ import annotations

import datetime
from functools import lru_cache
from typing import Any

from model.errors import StatementFailure
from model.expressions import syntax as expressions
from model.expressions.evaluation import matcher
from model.expressions.simplification import simplify, simplify_filter
from model.expressions.syntax import (
    And,
    Cast,
    Column,
    Comparison,
    Expression,
    IsNull,
    Literal,
    Or,
)
from model.physical.file_tests import FileTest, file_test
from model.physical.files import DataFile
from model.physical.footprint import ReadPredicate
from model.tables.table import Table
from model.values.types import DATE

__all__ = [
    "FileTest",
    "file_test",
    "partition_matches",
    "scan",
    "split",
    "split_filter",
    "split_parts",
]


@lru_cache(maxsize=4096)
def split(condition: Expression, table: Table) -> ReadPredicate:
    """A scan's condition, simplified, split into a part over partition values and the rest.

    The partition part includes what the rest implies for partition values: ``p = 1`` from
    ``p = 1 AND k = 1 OR p = 1 AND k = 2`` (DeltaTableUtils.scala,
    ``splitMetadataAndDataPredicates``).
    """
    plain = _split(simplify(condition), table)
    implied = _implied(plain.data, table)
    if implied is None:
        return plain
    parts = [part for part in (plain.partition, implied) if part != expressions.TRUE]
    return ReadPredicate(expressions.conjunction(tuple(parts)), plain.data)


@lru_cache(maxsize=4096)
def split_filter(condition: Expression, table: Table) -> ReadPredicate | None:
    """The same for a query's WHERE; None if the optimizer sees that no row can match.

    Such a query never scans the table, so the engine notes no read at all. Implied conditions
    are added only for a partition column that copies another column.
    """
    simplified = simplify_filter(condition)
    if isinstance(simplified, Literal) and simplified.value is not True:
        return None
    plain = _split(simplified, table)
    copied = tuple(
        part
        for condition in expressions.conjuncts(plain.data)
        if (part := _of_copy(condition, table)) is not None
    )
    if not copied:
        return plain
    given = expressions.conjuncts(plain.partition) if plain.partition != expressions.TRUE else ()
    return ReadPredicate(expressions.conjunction((*given, *copied)), plain.data)


_ORDERED = {"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
"""The comparisons that carry over to a copied column, each with its sides exchanged."""

_OF_DAYS = {"<": "<=", ">": ">="}
"""For each comparison of times the comparison that then holds of their days."""


def _of_copy(condition: Expression, table: Table) -> Expression | None:
    """The condition implied for a partition column that copies the condition's column or its day.

    Source: GeneratedColumn.scala, ``generatePartitionFilters``; of its optimizable expressions
    the identity and the cast of a timestamp to a date.
    """
    copies: dict[int, tuple[Column, bool]] = {}
    for place, expression in table.generated:
        day = isinstance(expression, Cast)
        origin = expression.operand if isinstance(expression, Cast) else expression
        if place in table.partition_columns and isinstance(origin, Column):
            copies[origin.index] = Column(place, table.names[place], table.types[place]), day
    if not copies:
        return None
    match condition:
        case IsNull(operand=Column(index=index)) if index in copies:
            return IsNull(copies[index][0])
        case Comparison(operator=operator, left=left, right=right) if operator in _ORDERED:
            if isinstance(left, Literal):
                operator, left, right = _ORDERED[operator], right, left
            if not isinstance(left, Column) or not isinstance(right, Literal):
                return None
            if left.index not in copies:
                return None
            of, day = copies[left.index]
            if not day:
                return Or(IsNull(of), Comparison(operator, of, right))
            assert isinstance(right.value, datetime.datetime)
            date = Literal(right.value.date(), DATE)
            implied = Comparison(_OF_DAYS.get(operator, operator), of, date)
            return Or(implied, IsNull(implied))
    return None


def _split(condition: Expression, table: Table) -> ReadPredicate:
    return split_parts(expressions.conjuncts(condition), table)


def split_parts(parts: tuple[Expression, ...], table: Table) -> ReadPredicate:
    """A conjunction, each condition placed as a whole in the partition part or in the rest."""
    partition: list[Expression] = []
    data: list[Expression] = []
    for part in parts:
        if part != expressions.TRUE:
            (partition if _partition_only(part, table) else data).append(part)
    return ReadPredicate(
        expressions.conjunction(tuple(partition)), expressions.conjunction(tuple(data))
    )


def _partition_only(condition: Expression, table: Table) -> bool:
    return expressions.columns(condition) <= table.partition_columns


def _implied(condition: Expression, table: Table) -> Expression | None:
    """The condition on partition values implied by AND and OR alone; None if there is none."""
    match condition:
        case And():
            parts = [_implied(part, table) for part in (condition.left, condition.right)]
            implied = tuple(part for part in parts if part is not None)
            return expressions.conjunction(implied) if implied else None
        case Or():
            left, right = _implied(condition.left, table), _implied(condition.right, table)
            return None if left is None or right is None else Or(left, right)
    if condition != expressions.TRUE and _partition_only(condition, table):
        return condition
    return None


def partition_matches(predicate: ReadPredicate, file: DataFile, table: Table) -> bool:
    """Whether the partition part of a predicate is TRUE of a file's partition values.

    Raises StatementFailure where it fails on them.
    """
    return matcher(predicate.partition)(partition_row(file, table))


def stops_at(predicate: ReadPredicate, file: DataFile, table: Table) -> bool:
    """Whether a commit that made this read stops at the file: the same, or that it fails on it."""
    try:
        return partition_matches(predicate, file, table)
    except StatementFailure:
        return True


def partition_row(file: DataFile, table: Table) -> tuple[Any, ...]:
    """A row that has the file's partition values in place and NULL elsewhere."""
    row: list[Any] = [None] * len(table.names)
    for index, value in zip(table.partitions, file.partition, strict=True):
        row[index] = value
    return tuple(row)


def scan(
    predicate: ReadPredicate, files: tuple[DataFile, ...], table: Table
) -> tuple[DataFile, ...]:
    """The files that a scan reads: partitions first, then statistics.

    A file that was written before a column was added, or before statistics of it were requested,
    has none for it. If any of the tests needs missing statistics, no test skips the file
    (DataSkippingReader.scala, ``verifyStatsForFilter``). Columns for which the table does not
    collect statistics now give no test, whatever the files have.
    """
    tests = _tests(predicate.data, table)
    if predicate.partition == expressions.TRUE and not tests:
        return files
    if any(file.indexed != table.indexed for file in files):
        needed = _needed(predicate.data, table)
        without = {file.key for file in files if not needed <= file.indexed}
    else:
        without = set()
    return tuple(
        file
        for file in files
        if partition_matches(predicate, file, table)
        and (file.key in without or all(test(file) is True for test in tests))
    )


@lru_cache(maxsize=4096)
def _needed(condition: Expression, table: Table) -> frozenset[int]:
    """The columns whose statistics the tests of a condition look at."""
    needed: set[int] = set()
    for part in expressions.conjuncts(condition):
        if file_test(part, _without_statistics(table)) is not None:
            needed |= expressions.columns(part)
    return frozenset(needed) & table.indexed


def _without_statistics(table: Table) -> frozenset[int]:
    return frozenset(range(len(table.names))) - table.indexed


@lru_cache(maxsize=4096)
def _tests(condition: Expression, table: Table) -> tuple[FileTest, ...]:
    parts = expressions.conjuncts(condition)
    without = _without_statistics(table)
    return tuple(test for part in parts if (test := file_test(part, without)))
