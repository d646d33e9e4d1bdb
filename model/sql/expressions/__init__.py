"""SQL expressions, from sqlglot's tree to the model's, with names and types resolved."""
