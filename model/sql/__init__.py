"""From SQL text to statements: sqlglot parses, this package checks and resolves."""

from model.sql.statements import parse_statement

__all__ = ["parse_statement"]
