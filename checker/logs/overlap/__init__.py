"""Commits that overlap, and the verdicts on them."""
