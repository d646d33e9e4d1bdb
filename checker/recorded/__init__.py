"""Histories that other tools recorded: keys with values, and no version order in the file."""
