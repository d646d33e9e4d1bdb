"""``isodelta audit``: the log of an existing table, checked."""
