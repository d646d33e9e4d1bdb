"""The jobs of a workload: SQL templates, their parameters, and the values those take."""
