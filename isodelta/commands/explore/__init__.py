"""``isodelta explore``: searches for violations and differences, and separations of levels."""
