"""Searches for violations: exhaustive and random, and the smallest scenario of what they reach."""
