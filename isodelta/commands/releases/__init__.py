"""``isodelta releases``: findings and conflicts by release of each engine."""
