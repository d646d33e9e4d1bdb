"""What the documents say, as data: one module per kind of statement that they make."""
