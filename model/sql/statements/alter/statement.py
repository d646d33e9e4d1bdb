"""ALTER TABLE and COMMENT ON TABLE: a table from each action's node to the parser of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from sqlglot import exp

from model.errors import StatementFailure, UnsupportedSQL
from model.sql import dialect
from model.sql.printer import actions
from model.sql.source import Source, refuse_extras, target_of
from model.sql.statements.alter import (
    columns as alter_columns,
)
from model.sql.statements.alter import (
    constraints as alter_constraints,
)
from model.sql.statements.alter import (
    features as alter_features,
)
from model.sql.statements.alter import (
    properties as alter_properties,
)
from model.statements import Statement
from model.statements.alter.statement import AlterTable, Refused
from model.tables.table import TABLE_COMMENT

Action = Callable[[Source, Sequence[exp.Expr]], Statement]
"""The parser of one kind of action: it gets all of them, as ADD COLUMNS can have several."""

_ACTIONS: dict[tuple[type[exp.Expr], str], Action] = {
    (exp.ColumnDef, ""): alter_columns.add_columns,
    (exp.Drop, "COLUMN"): alter_columns.drop_columns,
    (exp.Drop, "CONSTRAINT"): alter_constraints.drop_constraint,
    (exp.RenameColumn, ""): alter_columns.rename_column,
    (exp.AlterColumn, ""): alter_columns.change_column,
    (dialect.MoveColumn, ""): alter_columns.move_column,
    (dialect.SyncIdentity, ""): alter_columns.sync_identity,
    (exp.AlterSet, ""): alter_properties.set_properties,
    (dialect.UnsetProperties, ""): alter_properties.unset_properties,
    (exp.AddConstraint, ""): alter_constraints.add_constraint,
    (exp.ClusterProperty, ""): alter_columns.cluster_by,
    (dialect.ClusterByNone, ""): alter_columns.cluster_by,
    (dialect.DropFeature, ""): alter_features.drop_feature,
}
"""By the type of the node and, for DROP, by the kind of thing that goes."""


def alter(source: Source) -> Statement:
    """ALTER TABLE. An error that Spark raises when it runs becomes a statement that fails."""
    tree = source.tree()
    if not isinstance(tree, exp.Alter):
        raise UnsupportedSQL(f"{source.body!r} is not supported")
    refuse_extras(tree, {"this", "kind", "actions"})
    table, _ = target_of(tree.this, source)
    given = actions(tree)
    kinds = {(type(action), str(action.args.get("kind") or "")) for action in given}
    if any(isinstance(action, exp.ColumnDef) for action in given):
        kinds = {(type(action), "") for action in given}
    action = _ACTIONS.get(next(iter(kinds))) if len(kinds) == 1 else None
    if action is None:
        raise UnsupportedSQL(f"{source.body!r} is not supported")
    try:
        return action(source, given)
    except StatementFailure as error:
        return Refused(source.text, table, "ALTER TABLE", error.error_class, str(error))


def comment_on(source: Source) -> Statement:
    """COMMENT ON TABLE."""
    tree = source.tree()
    if not isinstance(tree, exp.Comment) or not tree.expression.is_string:
        raise UnsupportedSQL(f"{source.body!r}: only COMMENT ON TABLE t IS 'text' is supported")
    refuse_extras(tree, {"this", "kind", "expression"})
    table, _ = target_of(tree.this, source)
    comments = {**dict(table.comments), TABLE_COMMENT: tree.expression.name}
    after = replace(table, comments=tuple(sorted(comments.items())))
    return AlterTable(source.text, table, "SET TBLPROPERTIES", after)
