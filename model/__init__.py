"""The abstract model: rows, files, statements, rules, histories. Pure Python, no Spark."""
