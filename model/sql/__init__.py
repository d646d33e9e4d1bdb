"""SQL text to statements and back: sqlglot parses, this package checks, resolves and prints."""

from model.sql.declaration import declared_table
from model.sql.parser import Parsed, parse_statement, parsed

__all__ = ["Parsed", "declared_table", "parse_statement", "parsed"]
