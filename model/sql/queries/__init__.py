"""Queries, from sqlglot's tree to the model's relations."""
