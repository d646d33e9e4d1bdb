"""Runs of jobs as z3 formulas, over unknown rows and parameters."""
