"""Statements that change files and leave the rows alone, and RESTORE."""
