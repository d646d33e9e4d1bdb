"""``isodelta matrix``: the conflict table."""
