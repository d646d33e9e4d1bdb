"""From SQL text to statements: sqlglot parses, this package checks and resolves."""

from model.sql.parser import columns_to_come, parse_statement

__all__ = ["columns_to_come", "parse_statement"]
