"""Constraints on the rows of a table: CHECK, NOT NULL, and the values of generated columns.

They are checked on every row that a statement writes, never at the commit: a violation fails the
statement and is not a conflict.
"""

from __future__ import annotations

from collections.abc import Iterable

from model.errors import StatementFailure
from model.expressions.evaluation import evaluator, matcher
from model.history import Row
from model.tables.table import Table

VIOLATED = "DELTA_VIOLATE_CONSTRAINT_WITH_VALUES"
NULL_VIOLATED = "DELTA_NOT_NULL_CONSTRAINT_VIOLATED"


def enforce(table: Table, rows: Iterable[Row]) -> None:
    """Raises StatementFailure for the first row that breaks a constraint.

    A CHECK constraint that is NULL is broken. On one row CHECK constraints are checked before NOT
    NULL, and that before generated columns (TransactionalWrite.scala, ``writeFiles``).
    """
    checks = [(name, matcher(condition)) for name, condition, _ in table.checks]
    generated = [(place, evaluator(expression)) for place, expression in table.generated]
    for row in rows:
        for name, holds in checks:
            if not holds(row):
                raise StatementFailure(VIOLATED, f"a row breaks the constraint {name}")
        for place in table.not_null:
            if row[place] is None:
                raise StatementFailure(NULL_VIOLATED, f"column {table.names[place]} is NULL")
        for place, value in generated:
            if row[place] != value(row):
                raise StatementFailure(
                    VIOLATED, f"column {table.names[place]} is not what it is generated as"
                )
