"""The pipeline on Spark: campaigns over random histories, with their results in Delta tables."""
