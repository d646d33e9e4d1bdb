"""DELETE FROM t [WHERE ...]."""

from __future__ import annotations

from model.sql.expressions.scalar import Scope
from model.sql.source import Source, refuse_extras, refuse_subqueries, target_of
from model.statements import Delete, Statement


def delete(source: Source) -> Statement:
    """DELETE."""
    tree = source.tree()
    refuse_extras(tree, {"this", "where"})
    table, qualifier = target_of(tree.this, source)
    refuse_subqueries(tree.args.get("where"))
    return Delete(source.text, table, Scope(table, qualifier).where(tree.args.get("where")))
