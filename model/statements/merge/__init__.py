"""MERGE INTO: clauses, source, effects, and the files it writes."""
