"""``isodelta campaign``: generation, prediction, replay and comparison as a pipeline on Spark."""
