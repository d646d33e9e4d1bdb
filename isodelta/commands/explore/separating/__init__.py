"""``isodelta explore --separate``: the smallest histories between levels."""
