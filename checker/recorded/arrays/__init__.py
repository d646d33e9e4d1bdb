"""Histories with a known version order, judged as arrays: a million transactions in seconds."""
