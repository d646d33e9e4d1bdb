"""Theorems about code: the rules and the repair say what their formulas in the proofs say."""
