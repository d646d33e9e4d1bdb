"""The files that delta-rs takes to match a predicate: DataFusion's pruning by file statistics.

Delta on Spark tests the files that it read against their statistics, and files that others
added against partition values alone; delta-rs applies the same test to both. Source:
crates/core/src/delta_datafusion (``files_matching_predicate``) and
crates/core/src/kernel/transaction/state.rs (``AddContainer::predicate_matches``).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from model.expressions.simplification import simplify
from model.expressions.syntax import (
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
from model.physical.files import ColumnStatistics, DataFile
from model.values.types import BOOLEAN

Pruner = Callable[[DataFile], bool]
"""A test of whether a file's statistics allow a match."""

_MIRRORED = {"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<=", "<=>": "<=>"}
_NEGATED = {"=": "<>", "<>": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}

_BOUNDS: dict[str, Callable[[ColumnStatistics, Any], bool]] = {
    "=": lambda s, v: bool(s.minimum <= v <= s.maximum),
    "<=>": lambda s, v: bool(s.minimum <= v <= s.maximum),
    "<>": lambda s, v: bool(s.minimum != v or s.maximum != v),
    "<": lambda s, v: bool(s.minimum < v),
    "<=": lambda s, v: bool(s.minimum <= v),
    ">": lambda s, v: bool(s.maximum > v),
    ">=": lambda s, v: bool(s.maximum >= v),
}


@lru_cache(maxsize=4096)
def pruner(
    condition: Expression, counts: bool = True, exact: frozenset[int] = frozenset()
) -> Pruner:
    """A test that fails for the files whose statistics rule every match out.

    Partition columns are columns like the others: their statistics are exact. A part that cannot
    be translated keeps every file, also within an OR. ``counts`` is False if the NULL counts are
    not available, as for the files of a snapshot: then nothing is known about a column without a
    smallest value, and IS NULL rules nothing out. The exception is ``exact``, partition columns
    of strings: where the condition demands that one of them equals a constant, its value itself
    is known, even if it is NULL (``PruningStatistics::contained``).
    """
    simple = simplify(condition)
    test = _test(simple, counts)
    named = _equalled(simple) & exact
    if not named:
        return test
    return lambda file: test(file) and all(file.statistics[i].minimum is not None for i in named)


def _equalled(condition: Expression) -> frozenset[int]:
    """The columns that the condition requires to equal a constant, or one of several."""
    match condition:
        case Comparison(operator="=", left=Column(index=index), right=Literal()):
            return frozenset({index})
        case Comparison(operator="=", left=Literal(), right=Column(index=index)):
            return frozenset({index})
        case InList(operand=Column(index=index)):
            return frozenset({index})
        case And():
            return _equalled(condition.left) | _equalled(condition.right)
        case Or():
            return _equalled(condition.left) & _equalled(condition.right)
    return frozenset()


def _test(condition: Expression, counts: bool) -> Pruner:
    match condition:
        case Literal(value=value):
            # Statistics do not decide a bare NULL.
            return lambda file: value is not False
        case And():
            left, right = _test(condition.left, counts), _test(condition.right, counts)
            return lambda file: left(file) and right(file)
        case Or():
            left, right = _test(condition.left, counts), _test(condition.right, counts)
            return lambda file: left(file) or right(file)
        case Not(operand=operand):
            return _negation(operand, counts)
        case Column(index=index):
            return _bare(index, True)
        case Comparison(operator=op, left=Column() as column, right=Literal() as literal):
            return _comparison(op, column, literal, counts)
        case Comparison(operator=op, left=Literal() as literal, right=Column() as column):
            return _comparison(_MIRRORED[op], column, literal, counts)
        case IsNull(operand=Column(index=index)) if counts:
            return lambda file: file.statistics[index].nulls > 0
        case InList(operand=Column()):
            return _in_list(condition, counts)
    return _keep


def _negation(operand: Expression, counts: bool) -> Pruner:
    match operand:
        case Not():
            return _test(operand.operand, counts)
        case Column(index=index):
            return _bare(index, False)
        case And():
            return _test(Or(Not(operand.left), Not(operand.right)), counts)
        case Or():
            return _test(And(Not(operand.left), Not(operand.right)), counts)
        case Comparison(operator=op) if op in _NEGATED:
            return _test(Comparison(_NEGATED[op], operand.left, operand.right), counts)
        case IsNull(operand=Column(index=index)) if counts:
            return lambda file: file.statistics[index].nulls < len(file)
        case InList(operand=Column()):
            options = operand.options
            tests = [_test(Comparison("<>", operand.operand, value), counts) for value in options]
            return lambda file: all(test(file) for test in tests)
    return _keep


def _comparison(op: str, column: Column, literal: Literal, counts: bool) -> Pruner:
    index, value = column.index, literal.value
    if value is None:
        if op != "<=>":
            return _keep
        return _test(IsNull(column), counts)
    if column.type is BOOLEAN and op in ("=", "<>"):
        return _bare(index, (op == "=") is value)
    compare = _BOUNDS[op]

    def test(file: DataFile) -> bool:
        statistics = file.statistics[index]
        return not counts if statistics.minimum is None else compare(statistics, value)

    return test


def _bare(index: int, wanted: bool) -> Pruner:
    """``flag = TRUE`` becomes the bare column, and with it goes the look at the NULL count."""

    def test(file: DataFile) -> bool:
        statistics = file.statistics[index]
        return statistics.minimum is None or wanted in (statistics.minimum, statistics.maximum)

    return test


def _in_list(condition: InList, counts: bool) -> Pruner:
    """One comparison after the other: a hole between two options prunes as well."""
    tests = [_test(Comparison("=", condition.operand, o), counts) for o in condition.options]
    return lambda file: any(test(file) for test in tests)


def _keep(file: DataFile) -> bool:
    return True
