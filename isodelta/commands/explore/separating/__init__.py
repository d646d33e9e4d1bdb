"""``isodelta explore --separate``: the smallest histories that separate levels."""
