"""Scenario and workload files: schema, reader and writer."""
