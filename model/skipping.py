"""Data skipping: which files a scan reads, judged by statistics alone.

A file that statistics rule out does not count as read, so skipping decides which removals
conflict. The translation of conditions follows the engine's DataSkippingReader.scala: a part
of a condition that it cannot translate keeps every file.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from model import expressions
from model.evaluation import matcher
from model.expressions import (
    And,
    Column,
    Comparison,
    Expression,
    InList,
    IsNull,
    Literal,
    Not,
    Or,
)
from model.files import ColumnStatistics, DataFile
from model.footprint import ReadPredicate
from model.simplification import simplify, simplify_filter
from model.table import Table

FileTest = Callable[[DataFile], "bool | None"]
"""Whether statistics allow a match: None stands for SQL's NULL."""

_MIRRORED = {"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<=", "<=>": "<=>"}
_NEGATED = {"=": "<>", "<>": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}


def split(condition: Expression, table: Table) -> ReadPredicate:
    """A scan's condition, simplified, split into what partition values decide and the rest."""
    return _split(simplify(condition), table)


def split_filter(condition: Expression, table: Table) -> ReadPredicate | None:
    """The same for a query's WHERE; None where the optimizer sees that no row can match.

    Such a query never scans the table, so the engine notes no read at all.
    """
    simplified = simplify_filter(condition)
    if isinstance(simplified, Literal) and simplified.value is not True:
        return None
    return _split(simplified, table)


def _split(condition: Expression, table: Table) -> ReadPredicate:
    partition: list[Expression] = []
    data: list[Expression] = []
    for part in expressions.conjuncts(condition):
        (partition if _partition_only(part, table) else data).append(part)
    return ReadPredicate(
        expressions.conjunction(tuple(partition)), expressions.conjunction(tuple(data))
    )


def _partition_only(condition: Expression, table: Table) -> bool:
    return expressions.columns(condition) <= table.partition_columns


def partition_matches(predicate: ReadPredicate, file: DataFile, table: Table) -> bool:
    """Whether the partition part of a predicate is TRUE of a file's partition values."""
    return matcher(predicate.partition)(partition_row(file, table))


def partition_row(file: DataFile, table: Table) -> tuple[Any, ...]:
    """A row that has the file's partition values in place and NULL elsewhere."""
    row: list[Any] = [None] * len(table.names)
    for index, value in zip(table.partitions, file.partition, strict=True):
        row[index] = value
    return tuple(row)


def scan(
    predicate: ReadPredicate, files: tuple[DataFile, ...], table: Table
) -> tuple[DataFile, ...]:
    """The files that a scan reads: partitions first, then statistics."""
    tests = [t for part in expressions.conjuncts(predicate.data) if (t := file_test(part))]
    return tuple(
        file
        for file in files
        if partition_matches(predicate, file, table) and all(test(file) is True for test in tests)
    )


@lru_cache(maxsize=4096)
def file_test(condition: Expression) -> FileTest | None:
    """A test of a file's statistics that every file with a match passes; None for no test."""
    match condition:
        case And():
            return _both(file_test(condition.left), file_test(condition.right))
        case Or():
            return _either(file_test(condition.left), file_test(condition.right))
        case Not():
            return _negation(condition.operand)
        case IsNull(operand=Column(index=index)):
            return lambda file: file.statistics[index].nulls > 0
        case Comparison(operator=op, left=Column() as column, right=Literal() as literal):
            return _comparison(op, column, literal)
        case Comparison(operator=op, left=Literal() as literal, right=Column() as column):
            return _comparison(_MIRRORED[op], column, literal)
        case InList(operand=Column() as column, options=options):
            return _in_list(column, options)
    return None


def _both(left: FileTest | None, right: FileTest | None) -> FileTest | None:
    if left is None or right is None:
        return left or right

    def test(file: DataFile) -> bool | None:
        results = (left(file), right(file))
        return False if False in results else None if None in results else True

    return test


def _either(left: FileTest | None, right: FileTest | None) -> FileTest | None:
    if left is None or right is None:
        return None

    def test(file: DataFile) -> bool | None:
        results = (left(file), right(file))
        return True if True in results else None if None in results else False

    return test


def _negation(operand: Expression) -> FileTest | None:
    match operand:
        case Not():
            return file_test(operand.operand)
        case And():
            return file_test(Or(Not(operand.left), Not(operand.right)))
        case Or():
            return file_test(And(Not(operand.left), Not(operand.right)))
        case IsNull(operand=Column(index=index)):
            return lambda file: file.statistics[index].nulls < len(file)
        case Comparison(operator=op) if op in _NEGATED:
            return file_test(Comparison(_NEGATED[op], operand.left, operand.right))
    return None


def _comparison(op: str, column: Column, literal: Literal) -> FileTest | None:
    index, value = column.index, literal.value
    if value is None:
        if op == "<=>":
            return file_test(IsNull(column))
        return None
    compare = _BOUNDS[op]

    def test(file: DataFile) -> bool | None:
        statistics = file.statistics[index]
        return None if statistics.minimum is None else compare(statistics, value)

    return test


_BOUNDS: dict[str, Callable[[ColumnStatistics, Any], bool]] = {
    "=": lambda s, v: bool(s.minimum <= v <= s.maximum),
    "<=>": lambda s, v: bool(s.minimum <= v <= s.maximum),
    "<>": lambda s, v: bool(s.minimum != v or s.maximum != v),
    "<": lambda s, v: bool(s.minimum < v),
    "<=": lambda s, v: bool(s.minimum <= v),
    ">": lambda s, v: bool(s.maximum > v),
    ">=": lambda s, v: bool(s.maximum >= v),
}


def _in_list(column: Column, options: tuple[Expression, ...]) -> FileTest | None:
    values: list[Any] = [o.value for o in options if isinstance(o, Literal) and o.value is not None]
    if len(values) < len(options):
        return None
    low, high = min(values), max(values)
    index = column.index

    def test(file: DataFile) -> bool | None:
        statistics = file.statistics[index]
        if statistics.minimum is None:
            return None
        return bool(statistics.maximum >= low and statistics.minimum <= high)

    return test
