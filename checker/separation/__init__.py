"""The smallest histories that tell isolation levels apart, and the lattice that they give."""
