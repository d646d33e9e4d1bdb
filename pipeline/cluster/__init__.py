"""The pipeline's own Spark: its session, and the project on the executors."""
