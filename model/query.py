"""A SELECT over one table: condition, output expressions, aggregates and groups."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from model import expressions
from model.evaluation import aggregate, evaluator, matcher
from model.expressions import Aggregate, Column, Expression
from model.history import PredicateRead, Row, Value


@dataclass(frozen=True)
class Query:
    """``SELECT outputs FROM table WHERE condition [GROUP BY groups]``.

    With an aggregate among the outputs and no groups the result is exactly one row, as in SQL.
    """

    table: str
    condition: Expression
    outputs: tuple[Expression, ...]
    groups: tuple[Expression, ...] = ()

    @cached_property
    def aggregates(self) -> tuple[Aggregate, ...]:
        """The distinct aggregates among the outputs, in the order of their appearance."""
        found = [
            part
            for output in self.outputs
            for part in expressions.walk(output)
            if isinstance(part, Aggregate)
        ]
        return tuple(dict.fromkeys(found))

    @cached_property
    def predicate_read(self) -> PredicateRead:
        """What the query reads: the rows of its table that meet its condition."""
        return PredicateRead(self.table, expressions.sql(self.condition), matcher(self.condition))

    def matching(self, rows: Iterable[Row]) -> tuple[Row, ...]:
        """The rows that meet the condition. Raises StatementFailure."""
        return tuple(filter(matcher(self.condition), rows))

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
        return tuple(_replace(output, places) for output in self.outputs)


def _grouping(value: Value) -> Value:
    """The value that stands for a group: all NaN are one, and so are the two zeros."""
    if not isinstance(value, float):
        return value
    return math.nan if value != value else value + 0.0


def _replace(expression: Expression, places: Mapping[Expression, Expression]) -> Expression:
    """The expression with every part that ``places`` names put in its place."""
    if expression in places:
        return places[expression]
    changes: dict[str, Any] = {}
    for name in (field.name for field in dataclasses.fields(expression)):
        value = getattr(expression, name)
        if isinstance(value, Expression):
            changes[name] = _replace(value, places)
        elif name == "branches":
            changes[name] = tuple((_replace(c, places), _replace(v, places)) for c, v in value)
        elif isinstance(value, tuple):
            changes[name] = tuple(_replace(part, places) for part in value)
    return dataclasses.replace(expression, **changes) if changes else expression
