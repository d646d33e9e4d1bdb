"""Which files delta-rs takes to match a predicate: DataFusion's pruning by file statistics.

Unlike Spark's data skipping, which the conflict check of Delta on Spark applies to files that
were read but not to files that others added, delta-rs asks the same question of both. Source:
crates/core/src/delta_datafusion (``files_matching_predicate``) and
crates/core/src/kernel/transaction/state.rs (``AddContainer::predicate_matches``).
"""

from __future__ import annotations

from functools import lru_cache

from model.expressions import And, Column, Comparison, Expression, InList, IsNull, Literal, Not, Or
from model.files import DataFile
from model.simplification import simplify
from model.skipping import FileTest, file_test
from model.types import BOOLEAN

_NEGATED = {"=": "<>", "<>": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}


@lru_cache(maxsize=4096)
def pruner(condition: Expression) -> FileTest:
    """A test that fails for the files whose statistics rule every match out.

    Partition columns are columns like the others: their statistics are exact. What cannot be
    translated keeps every file; it does so part by part, also within an OR.
    """
    return _test(simplify(condition))


def _test(condition: Expression) -> FileTest:
    match condition:
        case Literal(value=value):
            # A bare NULL is nothing that statistics decide.
            return lambda file: value is not False
        case And():
            left, right = _test(condition.left), _test(condition.right)
            return lambda file: left(file) and right(file)
        case Or():
            left, right = _test(condition.left), _test(condition.right)
            return lambda file: left(file) or right(file)
        case Not(operand=operand):
            return _negation(operand)
        case (
            Comparison(left=Column() as column, right=Literal())
            | Comparison(left=Literal(), right=Column() as column)
        ):
            if column.type is BOOLEAN and condition.operator in ("=", "<>"):
                return _of_boolean(condition, column)
            return _by_statistics(condition)
        case IsNull(operand=Column()):
            return _by_statistics(condition)
        case InList(operand=Column()):
            return _in_list(condition)
    return _keep


def _negation(operand: Expression) -> FileTest:
    match operand:
        case Not():
            return _test(operand.operand)
        case And():
            return _test(Or(Not(operand.left), Not(operand.right)))
        case Or():
            return _test(And(Not(operand.left), Not(operand.right)))
        case Comparison(operator=op) if op in _NEGATED:
            return _test(Comparison(_NEGATED[op], operand.left, operand.right))
        case IsNull(operand=Column(index=index)):
            return lambda file: file.statistics[index].nulls < len(file)
        case InList(operand=Column()):
            tests = [_test(Comparison("<>", operand.operand, each)) for each in operand.options]
            return lambda file: all(test(file) for test in tests)
    return _keep


def _by_statistics(condition: Expression) -> FileTest:
    test = file_test(condition)
    if test is None:
        return _keep
    return lambda file: test(file) is True


def _of_boolean(condition: Comparison, column: Column) -> FileTest:
    """``flag = TRUE`` becomes the bare column, and with it goes the look at the NULL count."""
    test = _by_statistics(condition)
    return lambda file: file.statistics[column.index].nulls == len(file) or test(file)


def _in_list(condition: InList) -> FileTest:
    """One comparison after the other: a hole between two options prunes as well."""
    tests = [_test(Comparison("=", condition.operand, option)) for option in condition.options]
    return lambda file: any(test(file) for test in tests)


def _keep(file: DataFile) -> bool:
    return True
