"""Findings about the structure of a log: commits, checkpoints, and files that do not fit."""
