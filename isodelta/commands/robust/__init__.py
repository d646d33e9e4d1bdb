"""``isodelta robust``: whether WriteSerializable is enough for a set of jobs."""
