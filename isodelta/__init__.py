"""isodelta: the isolation levels of Delta Lake, defined, searched and tried on the real engine."""
