"""Recorded histories made up for tests and benchmarks."""
