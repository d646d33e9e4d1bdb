"""SQL expressions: syntax, value, and the form in which Spark's optimizer leaves them."""
