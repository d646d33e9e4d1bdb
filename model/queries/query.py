"""A SELECT over one table: condition, output expressions, aggregates and groups."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from model.expressions import syntax as expressions
from model.expressions.evaluation import aggregate, evaluator, row_test
from model.expressions.syntax import Aggregate, Column, Expression
from model.history import PredicateRead, Row, Value
from model.values.types import BIGINT, DOUBLE, INT, ColumnType
from model.values.unknown import Unknown

_BOUNDED = frozenset({INT.rank, BIGINT.rank, DOUBLE.rank})
"""Numeric types whose bounds in the statistics answer queries: all but decimals."""


@dataclass(frozen=True)
class Query:
    """``SELECT outputs FROM table WHERE condition [GROUP BY groups]``.

    With an aggregate among the outputs and no groups the result is exactly one row, as in SQL.
    ``partition_columns`` are the places of the table's partition columns.
    """

    table: str
    condition: Expression
    outputs: tuple[Expression, ...]
    groups: tuple[Expression, ...] = ()
    partition_columns: frozenset[int] = frozenset()

    @cached_property
    def aggregates(self) -> tuple[Aggregate, ...]:
        """The distinct aggregates among the outputs, in the order of their appearance."""
        appearing = [
            part
            for output in self.outputs
            for part in expressions.walk(output)
            if isinstance(part, Aggregate)
        ]
        return tuple(dict.fromkeys(appearing))

    def from_log(self, indexed: frozenset[int]) -> bool:
        """Whether the log answers the outputs from statistics of the columns ``indexed``.

        That is so for count(*) and for the smallest and largest values of columns; the condition
        is not considered (OptimizeMetadataOnlyDeltaQuery.scala).
        """
        return not self.groups and all(
            isinstance(output, Aggregate) and _from_log(output, indexed) for output in self.outputs
        )

    @cached_property
    def predicate_read(self) -> PredicateRead:
        """The query's read: the rows of its table that meet its condition."""
        return PredicateRead(self.table, expressions.sql(self.condition), self._test)

    @cached_property
    def _test(self) -> Callable[[Row], bool]:
        partition = tuple(
            part
            for part in expressions.conjuncts(self.condition)
            if expressions.columns(part) & self.partition_columns
            and expressions.columns(part) <= self.partition_columns
        )
        return row_test(self.condition, expressions.conjunction(partition))

    @property
    def types(self) -> tuple[ColumnType, ...]:
        """The types of the outputs."""
        return tuple(output.type for output in self.outputs)

    @property
    def scans(self) -> tuple[Query, ...]:
        """The query itself: as a relation it is a single scan."""
        return (self,)

    def branches(self, inputs: Sequence[Sequence[Row]]) -> tuple[tuple[Row, ...], ...]:
        """The query's rows as a relation: computed from its scan's rows by one task."""
        return (self.result(inputs[0]),)

    def reads(self, inputs: Sequence[Sequence[Row]]) -> tuple[PredicateRead, ...]:
        """The predicate of its scan."""
        return (self.predicate_read,)

    def matching(self, rows: Iterable[Row]) -> tuple[Row, ...]:
        """The rows that meet the condition. Raises StatementFailure."""
        return tuple(filter(self._test, rows))

    def result(self, matching: Iterable[Row]) -> tuple[Row, ...]:
        """The query's rows, from those that meet its condition. Raises StatementFailure."""
        if not self.aggregates and not self.groups:
            compute = tuple(map(evaluator, self.outputs))
            return tuple(tuple(f(row) for f in compute) for row in matching)
        keys = tuple(map(evaluator, self.groups))
        grouped: dict[Row, list[Row]] = {} if self.groups else {(): []}
        for row in matching:
            grouped.setdefault(tuple(_grouping(key(row)) for key in keys), []).append(row)
        compute = tuple(map(evaluator, self._over_groups))
        return tuple(
            tuple(f(key + tuple(aggregate(a, rows) for a in self.aggregates)) for f in compute)
            for key, rows in grouped.items()
        )

    @cached_property
    def _over_groups(self) -> tuple[Expression, ...]:
        """The outputs, rewritten over a row of group keys followed by aggregates."""
        places: dict[Expression, Expression] = {
            part: Column(index, expressions.sql(part), part.type)
            for index, part in enumerate((*self.groups, *self.aggregates))
        }
        return tuple(replaced(output, places) for output in self.outputs)


def _from_log(aggregate: Aggregate, indexed: frozenset[int]) -> bool:
    operand = aggregate.operand
    if aggregate.function == "count":
        return operand is None
    return (
        aggregate.function in ("min", "max")
        and isinstance(operand, Column)
        and operand.index in indexed
        and (operand.type.family == "date" or operand.type.rank in _BOUNDED)
    )


def _grouping(value: Value) -> Value:
    """The value that represents a group: all NaNs are equal, and so are the two zeros."""
    if not isinstance(value, float):
        if isinstance(value, Unknown):
            value.needed()
        return value
    return math.nan if value != value else value + 0.0


def replaced(expression: Expression, places: Mapping[Expression, Expression]) -> Expression:
    """The expression with every part that is a key of ``places`` replaced by its value there."""
    if expression in places:
        return places[expression]
    changes: dict[str, Any] = {}
    for name in (field.name for field in dataclasses.fields(expression)):
        value = getattr(expression, name)
        if isinstance(value, Expression):
            changes[name] = replaced(value, places)
        elif name == "branches":
            changes[name] = tuple((replaced(c, places), replaced(v, places)) for c, v in value)
        elif isinstance(value, tuple):
            changes[name] = tuple(replaced(part, places) for part in value)
    return dataclasses.replace(expression, **changes) if changes else expression
