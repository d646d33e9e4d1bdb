"""SQL expressions: syntax, evaluation, and simplification by Spark's optimizer."""
