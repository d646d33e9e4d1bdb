"""Judges histories: which isolation levels they keep, and why."""
