"""One parser for each kind of SQL statement, from sqlglot's tree to the model's statement."""
