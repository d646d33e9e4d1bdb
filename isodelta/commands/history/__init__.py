"""``isodelta history``: histories that other tools recorded."""
