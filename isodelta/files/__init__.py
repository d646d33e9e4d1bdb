"""Scenario and workload files: their schema, how they are read, and how they are written."""
