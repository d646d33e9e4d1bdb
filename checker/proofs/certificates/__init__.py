"""Lemmas as SMT-LIB files, and a second solver that reads those files alone."""
