"""Engines under test on the executors, each in a process of its own."""
