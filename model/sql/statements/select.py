"""SELECT as a statement of its own."""

from __future__ import annotations

from model.sql.queries.relation import relation
from model.sql.source import Source
from model.statements import Select, Statement


def select(source: Source) -> Statement:
    """SELECT, also WITH ... SELECT, as a reader."""
    return Select(source.text, source.table, relation(source.tree(), source.tables).relation)
