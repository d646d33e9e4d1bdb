"""Theorems about levels of key-value histories."""
