"""ALTER TABLE ... ADD CONSTRAINT and DROP CONSTRAINT."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from model.errors import StatementFailure, UnsupportedSQL
from model.sql.expressions.scalar import Scope
from model.sql.printer import printed
from model.sql.source import Source, refuse_extras
from model.statements import Statement
from model.statements.alter.statement import AddConstraint, AlterTable


def add_constraint(source: Source, actions: Sequence[exp.Expr]) -> Statement:
    """ADD CONSTRAINT c CHECK (...). Names of constraints ignore case."""
    name, check = _check(source, actions)
    table = source.table
    if any(taken == name for taken, _, _ in table.checks):
        raise StatementFailure("DELTA_CONSTRAINT_ALREADY_EXISTS", f"there is a constraint {name}")
    # NOT NULL may be lifted later, so the condition does not rely on it.
    scope = Scope(replace(table, not_null=frozenset()), source.target)
    condition = scope.resolve(check)
    if condition.type.family != "boolean":
        raise StatementFailure("DELTA_NON_BOOLEAN_CHECK_CONSTRAINT", "it is not a condition")
    after = replace(
        table,
        checks=(*table.checks, (name, condition, printed(check))),
        features=table.features | {"checkConstraints"},
    )
    return AddConstraint(source.text, table, name, condition, after)


def _check(source: Source, actions: Sequence[exp.Expr]) -> tuple[str, exp.Expr]:
    """The name of a new constraint, in lower case, and its condition."""
    match actions:
        case [exp.AddConstraint(expressions=[exp.Constraint(expressions=[check]) as constraint])]:
            if isinstance(check, exp.CheckColumnConstraint):
                refuse_extras(check, {"this"})
                return constraint.this.name.lower(), check.this
    raise UnsupportedSQL(
        f"{source.body!r}: only ADD CONSTRAINT name CHECK (condition) is supported"
    )


def drop_constraint(source: Source, actions: Sequence[exp.Expr]) -> Statement:
    """DROP CONSTRAINT [IF EXISTS] c: a commit even where there is none."""
    (drop,) = actions
    refuse_extras(drop, {"tables", "kind", "exists"})
    (named,) = drop.args["tables"]
    table, name = source.table, named.name.lower()
    kept = tuple(check for check in table.checks if check[0] != name)
    if kept == table.checks and not drop.args.get("exists"):
        raise StatementFailure("DELTA_CONSTRAINT_DOES_NOT_EXIST", f"no constraint {name}")
    return AlterTable(source.text, table, "DROP CONSTRAINT", replace(table, checks=kept))
