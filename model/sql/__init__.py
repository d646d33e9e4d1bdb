"""SQL text to statements and back: sqlglot parses, this package checks, resolves and prints."""

from model.sql.declaration import declared_table
from model.sql.expressions.opaque import OpaquePart
from model.sql.parser import (
    Parsed,
    Understood,
    parse_statement,
    parsed,
    understood,
    understood_strictly,
)

__all__ = [
    "OpaquePart",
    "Parsed",
    "Understood",
    "declared_table",
    "parse_statement",
    "parsed",
    "understood",
    "understood_strictly",
]
