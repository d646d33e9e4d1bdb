"""``isodelta explore``: searches for violations and differences, and levels told apart."""
