"""ALTER TABLE ... ADD CONSTRAINT and DROP CONSTRAINT."""

from __future__ import annotations

import re
from dataclasses import replace

from model.errors import StatementFailure
from model.sql.dialect import parse_expression
from model.sql.expressions.scalar import Scope
from model.sql.source import Source
from model.statements import Statement
from model.statements.alter.statement import AddConstraint, AlterTable


def add_constraint(source: Source, clause: re.Match[str]) -> Statement:
    """ADD CONSTRAINT c CHECK (...). Names of constraints ignore case."""
    table, name = source.table, clause["name"].lower()
    if any(known == name for known, _, _ in table.checks):
        raise StatementFailure("DELTA_CONSTRAINT_ALREADY_EXISTS", f"there is a constraint {name}")
    # NOT NULL may be lifted later, so the condition does not rely on it.
    scope = Scope(replace(table, not_null=frozenset()), source.target)
    condition = scope.resolve(parse_expression(clause["condition"]))
    if condition.type.family != "boolean":
        raise StatementFailure("DELTA_NON_BOOLEAN_CHECK_CONSTRAINT", "no condition")
    check = (name, condition, clause["condition"].strip())
    after = replace(
        table,
        checks=(*table.checks, check),
        features=table.features | {"checkConstraints"},
    )
    return AddConstraint(source.text, table, name, condition, after)


def drop_constraint(source: Source, clause: re.Match[str]) -> Statement:
    """DROP CONSTRAINT [IF EXISTS] c: a commit even where there is none."""
    table, name = source.table, clause["name"].lower()
    kept = tuple(check for check in table.checks if check[0] != name)
    if kept == table.checks and not clause["exists"]:
        raise StatementFailure("DELTA_CONSTRAINT_DOES_NOT_EXIST", f"no constraint {name}")
    return AlterTable(source.text, table, "DROP CONSTRAINT", replace(table, checks=kept))
