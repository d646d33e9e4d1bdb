"""Runs scenarios on real engines, observes what they do, and compares it with the model."""
