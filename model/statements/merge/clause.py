"""The clauses of a MERGE: WHEN ... THEN ..."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from model.expressions.evaluation import evaluator, matcher
from model.expressions.syntax import TRUE, Expression
from model.history import Row
from model.statements.insert.generated import completed, filled
from model.tables.table import Table
from model.values import types


@dataclass(frozen=True)
class MergeClause:
    """One clause: its condition, and its effect on a row.

    Expressions are over a target row followed by a source row, one of which is all NULL where
    there is no match. ``assignments`` maps places of the target row to values, over the old row
    in an UPDATE and over a row of NULLs in an INSERT (``inserts`` is True); None stands for
    DELETE.
    """

    table: Table
    condition: Expression | None
    assignments: tuple[tuple[int, Expression], ...] | None
    inserts: bool = False

    @property
    def test(self) -> Expression:
        """The condition, TRUE if there is none."""
        return TRUE if self.condition is None else self.condition

    @property
    def deletes(self) -> bool:
        return self.assignments is None

    @cached_property
    def applies(self) -> Callable[[Row], bool]:
        """Whether the clause applies to a joined row. The function raises StatementFailure."""
        return matcher(self.test)

    @cached_property
    def _values(self) -> tuple[tuple[int, Callable[[Row], Any], types.ColumnType], ...]:
        assert self.assignments is not None
        return tuple((i, evaluator(e), self.table.types[i]) for i, e in self.assignments)

    def result(self, joined: Row) -> Row | None:
        """The target row that the clause updates to or inserts, None if it deletes the row.

        Raises StatementFailure for a value that does not fit its column.
        """
        if self.assignments is None:
            return None
        after = list(joined[: len(self.table.names)])
        for place, value, type_ in self._values:
            after[place] = types.store(value(joined), type_, types.UPDATE_OVERFLOW)
        if not self.table.generated and not self.table.defaults:
            return self.table.stored(tuple(after))
        given = frozenset(place for place, _ in self.assignments)
        complete = filled if self.inserts else completed
        full = complete(self.table, tuple(after), given, types.UPDATE_OVERFLOW)
        return self.table.stored(full)


def first_applying(clauses: tuple[MergeClause, ...], joined: Row) -> MergeClause | None:
    """The first clause that applies to a joined row, if any does. Raises StatementFailure."""
    for clause in clauses:
        if clause.applies(joined):
            return clause
    return None
