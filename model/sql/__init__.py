"""From SQL text to statements: sqlglot parses, this package checks and resolves."""

from model.sql.declaration import declared_table
from model.sql.parser import brings_columns, columns_to_come, parse_statement

__all__ = ["brings_columns", "columns_to_come", "declared_table", "parse_statement"]
