"""Delta Lake on Spark, driven step by step through its own transaction phases."""
