"""Scenarios run on an engine, observed, and compared with the model's prediction."""
