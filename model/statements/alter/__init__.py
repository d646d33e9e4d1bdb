"""ALTER TABLE, and the additional commits that some of its forms make."""
