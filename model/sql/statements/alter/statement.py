"""ALTER TABLE t ... and COMMENT ON TABLE t: finds the parser of what is altered.

sqlglot does not know Delta's clauses, so regular expressions take them apart.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from model.errors import StatementFailure, UnsupportedSQL
from model.sql.source import Source
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

_ALTER = re.compile(
    r"ALTER\s+TABLE\s+(?P<table>[\w`.]+)\s+(?P<clause>.+)", re.IGNORECASE | re.DOTALL
)
_COMMENT = re.compile(
    r"COMMENT\s+ON\s+TABLE\s+(?P<table>[\w`.]+)\s+IS\s+'(?P<text>[^']*)'", re.IGNORECASE
)

_CLAUSES: tuple[tuple[str, Callable[[Source, re.Match[str]], Statement]], ...] = (
    (r"ADD\s+COLUMNS?\s*(?P<columns>.+)", alter_columns.add_columns),
    (r"DROP\s+COLUMNS?(?P<exists>\s+IF\s+EXISTS)?\s*(?P<columns>.+)", alter_columns.drop_columns),
    (r"RENAME\s+COLUMN\s+(?P<old>\S+)\s+TO\s+(?P<new>\S+)", alter_columns.rename_column),
    (r"(ALTER|CHANGE)\s+COLUMN\s+(?P<column>\S+)\s+(?P<change>.+)", alter_columns.change_column),
    (r"SET\s+TBLPROPERTIES\s*\((?P<pairs>.+)\)", alter_properties.set_properties),
    (
        r"UNSET\s+TBLPROPERTIES\s*(IF\s+EXISTS\s*)?\((?P<keys>.+)\)",
        alter_properties.unset_properties,
    ),
    (
        r"ADD\s+CONSTRAINT\s+(?P<name>\w+)\s+CHECK\s*\((?P<condition>.+)\)",
        alter_constraints.add_constraint,
    ),
    (
        r"DROP\s+CONSTRAINT\s+(?P<exists>IF\s+EXISTS\s+)?(?P<name>\w+)",
        alter_constraints.drop_constraint,
    ),
    (r"CLUSTER\s+BY\s*(?P<columns>NONE|\(.+\))", alter_columns.cluster_by),
    (
        r"DROP\s+FEATURE\s+(?P<feature>\w+)(?P<truncate>\s+TRUNCATE\s+HISTORY)?",
        alter_features.drop_feature,
    ),
)
_PATTERNS = tuple(
    (re.compile(pattern + r"\s*", re.IGNORECASE | re.DOTALL), parser)
    for pattern, parser in _CLAUSES
)


def alter(source: Source) -> Statement:
    """ALTER TABLE. What Spark refuses when it runs becomes a statement that fails."""
    match = _ALTER.fullmatch(source.body)
    if match is None:
        raise UnsupportedSQL(f"{source.body!r} is not supported")
    table = source.check_target(match["table"])
    for pattern, parser in _PATTERNS:
        clause = pattern.fullmatch(match["clause"])
        if clause is not None:
            try:
                return parser(source, clause)
            except StatementFailure as error:
                return Refused(source.text, table, "ALTER TABLE", error.error_class, str(error))
    raise UnsupportedSQL(f"ALTER TABLE ... {match['clause']} is not supported")


def comment_on(source: Source) -> Statement:
    """COMMENT ON TABLE."""
    match = _COMMENT.fullmatch(source.body)
    if match is None:
        raise UnsupportedSQL(f"{source.body!r}: only COMMENT ON TABLE t IS 'text' is supported")
    table = source.check_target(match["table"])
    comments = {**dict(table.comments), TABLE_COMMENT: match["text"]}
    after = replace(table, comments=tuple(sorted(comments.items())))
    return AlterTable(source.text, table, "SET TBLPROPERTIES", after)
