"""Levels as axioms about key-value histories with predicate reads, and their separation."""
