"""Explanations of verdicts on recorded histories, down to reads and writes that are in the file."""
