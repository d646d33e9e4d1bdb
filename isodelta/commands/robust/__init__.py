"""``isodelta robust``: the question whether WriteSerializable is enough for a set of jobs."""
