"""Readers of the history formats of other tools, one module for each format."""
