"""SELECT as a statement of its own, and WITH before SELECT, INSERT or MERGE."""

from __future__ import annotations

from sqlglot import exp

from model.errors import UnsupportedSQL
from model.sql.queries.relation import relation
from model.sql.source import Source
from model.sql.statements.merge import merge
from model.sql.statements.overwrite import insert_or_overwrite
from model.statements import Select, Statement


def select(source: Source) -> Statement:
    """SELECT, also WITH ... SELECT, as a reader."""
    return Select(source.text, source.table, relation(source.tree(), source.tables).relation)


def with_names(source: Source) -> Statement:
    """The statement that names of queries stand before."""
    tree = source.tree()
    if isinstance(tree, exp.Insert):
        return insert_or_overwrite(source)
    if isinstance(tree, exp.Query):
        return select(source)
    if isinstance(tree, exp.Merge):
        return merge(source)
    raise UnsupportedSQL(f"WITH before {tree.key.upper()} is not supported")
