"""Levels as axioms about key-value histories, with predicate reads, and what separates them."""
